//! Blocks x heads: what each looks at most, from one token.

use super::{AttentionShown, attention_members, attention_runs, cut, switched, token};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{Figure, FigureDraft, Table, TableCell, Theme};
use crate::study::report::Lens;

const CELL: u32 = 26;
/// Letters of a desk's width, over all heads.
const LETTERS: usize = 125;

pub(super) fn figure(lens: &Lens, shown: AttentionShown, theme: &Theme) -> Option<Figure> {
    let pattern = lens.attention_pattern.as_ref()?;
    let carried = lens.attention_carried.as_ref()?;
    let query = token(lens, lens.attention_query?);
    let numbers = if shown.is_carried { carried } else { pattern };
    let runs = attention_runs(lens);
    let members = attention_members(lens);
    let count = pattern.iter().map(Vec::len).max()?;
    let letters = (LETTERS / count.max(1)).min(16);
    let (mut patches, mut rows) = (Vec::new(), Vec::new());
    let mut best: Option<(f32, String)> = None;
    for (y, (name, run)) in runs.iter().enumerate() {
        for (x, row) in numbers[y].iter().enumerate() {
            let at = largest(row);
            let is_off = run.heads_off.contains(x);
            let (weight, length) = (pattern[y][x][at], carried[y][x][at]);
            let seen = token(lens, at);
            if !is_off && best.as_ref().is_none_or(|(most, _)| row[at] > *most) {
                let who = format!("block {name}'s head {x} looks most at “{seen}”");
                best = Some((row[at], who));
            }
            let plan = switched(lens, y, x);
            let state = if is_off { ", switched off" } else { "" };
            patches.push(Patch {
                x,
                y,
                value: f64::from(row[at]),
                name: format!(
                    "block {name}, head {x}{state}\nat “{seen}” ({at})\nweight {}, carried {}",
                    short(weight.into()),
                    short(length.into())
                ),
                text: (letters > 2)
                    .then(|| if is_off { "off".to_owned() } else { cut(&seen, letters) }),
                framed: (y, x) == (shown.run, shown.head),
                plan: plan.clone(),
            });
            rows.push(vec![
                TableCell::Member {
                    text: format!("block {name}, head {x}{state}"),
                    member: members.get(y).cloned().unwrap_or_default(),
                },
                TableCell::Text(seen),
                TableCell::Number(at as f64),
                TableCell::Number(weight.into()),
                TableCell::Number(length.into()),
                plan.map_or_else(|| TableCell::Text(String::new()), TableCell::Plan),
            ]);
        }
    }
    let names = |count: usize| (0..count).map(|head| head.to_string()).collect();
    let panel = Panel {
        patches,
        ..Panel::new(
            "block (upwards as they run) by head, and the token that it looks at most",
            Axis::category("head", names(count)),
            Axis::category("", runs.iter().map(|(name, _)| name.clone()).collect()),
            Vec::new(),
        )
    };
    let quantity = if shown.is_carried { "length carried" } else { "largest weight" };
    let ramp = Ramp::over(quantity, panel.patches.iter().map(|patch| patch.value));
    let headers = ["head", "looks most at", "position", "weight", "carried", "switch it"];
    let shared = match shown.sharing {
        0 | 1 => "Every head has keys and values of its own.".to_owned(),
        each => format!("Every {each} neighbouring heads read the same keys and values."),
    };
    let height = CELL * runs.len().max(2) as u32;
    let draft = FigureDraft {
        key: "heads",
        title: best.map_or_else(
            || "No head looks".to_owned(),
            |(most, who)| format!("From “{query}”, {who}: {quantity} {}", short(most.into())),
        ),
        words: [
            shared,
            "Where a head looks is not why the model answers: a click switches it off, and the answer tells.".to_owned(),
        ],
        table: Table {
            headers: headers.map(str::to_owned).to_vec(),
            rows,
        },
        plot: Plot {
            ramp: Some(ramp),
            ..Plot::new(vec![panel.tall(height)], Vec::new(), 1)
        },
    };
    Some(draft.figure(theme))
}

/// The first of the largest.
pub(in crate::chart) fn largest(row: &[f32]) -> usize {
    (0..row.len()).fold(0, |best, t| if row[t] > row[best] { t } else { best })
}
