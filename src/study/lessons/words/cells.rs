//! Words for the fields of rows of tasks.

use super::{column, decomposition, kind, order, task};
use crate::study::lessons::RowGroup;

pub fn words(groups: &[RowGroup], parts: &[&str]) -> Option<String> {
    let of = |name: &str| task(groups, name);
    let n = |name: &str| rows_of(groups, name);
    Some(match *parts {
        ["accuracy", name] => format!("accuracy on {} (%{})", of(name), n(name)),
        ["accuracy", name, plan] => {
            format!("accuracy on {}, {} (%{})", of(name), order(plan), n(name))
        }
        ["above_chance", name] => {
            format!("accuracy above chance on {} (points{})", of(name), n(name))
        }
        ["lost", name, plan] => {
            format!("accuracy lost on {}, {} (points{})", of(name), order(plan), n(name))
        }
        ["ahead", name, a, b] => {
            let (a, b) = (order(a), order(b));
            format!("accuracy on {}, {a} less {b} (points{})", of(name), n(name))
        }
        ["differ", name, a, b] => {
            let (a, b) = (order(a), order(b));
            format!("answers on {} that differ between {a} and {b} (%{})", of(name), n(name))
        }
        ["chance", name] => format!("chance on {} (%)", of(name)),
        ["majority", name] => format!("the most frequent answer on {} (%)", of(name)),
        ["uniform", name] => format!("MSE of equal probabilities on {}", of(name)),
        ["rows", "mean"] => "rows of each task".to_owned(),
        ["rows", name] => format!("rows of {}", of(name)),
        ["share", by, from, name] => {
            format!("part of the diversity by {} on {} (%, {})", kind(by)?, of(name), column(from)?)
        }
        ["reached", name] => format!("members until nearly all of {} is right", of(name)),
        ["reached_at", name] => format!("the member that brings nearly all of {}", of(name)),
        ["gain", "first", name] => {
            format!("accuracy that the first half of the components adds on {} (points)", of(name))
        }
        ["gain", "second", name] => {
            format!("accuracy that the second half of the components adds on {} (points)", of(name))
        }
        ["gain_more", name] => {
            format!("accuracy added by the second half less by the first on {} (points)", of(name))
        }
        ["first_word", name] => {
            format!("rows of {} whose right answer is the likeliest of all tokens (%)", of(name))
        }
        ["above_majority"] => "tasks surely above one constant answer".to_owned(),
        ["tasks"] => "tasks that were asked".to_owned(),
        ["dearest", name] => format!("the block whose removal costs most on {}", of(name)),
        ["dearest_place", name] => {
            format!("place of the block whose removal costs most on {} (% of the way)", of(name))
        }
        ["dropped", name] => format!("blocks left out one at a time on {}", of(name)),
        ["free", name] => {
            format!("blocks that cost less than five percentage points on {}", of(name))
        }
        [what, from, name] => {
            format!("{} on {} ({})", decomposition(what)?, of(name), column(from)?)
        }
        [what, from, name, plan] => {
            format!("{} on {}, {} ({})", decomposition(what)?, of(name), order(plan), column(from)?)
        }
        _ => return None,
    })
}

/// The number of rows behind a number, after its unit: `", n = 48"`; nothing where the step does not say.
fn rows_of(groups: &[RowGroup], name: &str) -> String {
    let group = groups.iter().find(|group| group.name() == name);
    let count = group.map(|group| group.count).or_else(|| {
        let all: usize = groups.iter().map(|group| group.count).sum();
        (name == "mean" && all > 0).then_some(all)
    });
    count.map_or_else(String::new, |count| format!(", n = {count}"))
}
