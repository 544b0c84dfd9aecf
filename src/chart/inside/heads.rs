//! Blocks x heads: what each looks at most, from one token.

use super::{AttentionShown, attention_members, attention_runs, cut, switched, token};
use crate::chart::TableCell::{self, Number, Text};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{FigureDraft, Table};
use crate::study::report::Lens;

const CELL: u32 = 26;
/// Letters of a desk's width, over all heads.
const LETTERS: usize = 125;

pub(super) fn figure(lens: &Lens, shown: AttentionShown) -> Option<FigureDraft> {
    let pattern = lens.attention_pattern.as_ref()?;
    let carried = lens.attention_carried.as_ref()?;
    let query = token(lens, lens.attention_query?);
    let numbers = if shown.is_carried { carried } else { pattern };
    let runs = attention_runs(lens);
    let members = attention_members(lens);
    let count = pattern.iter().map(Vec::len).max()?;
    let letters = (LETTERS / count.max(1)).min(16);
    let first = FirstToken::read(numbers);
    // Without the first token, every head is held at the largest of the others.
    let skipped = usize::from(shown.skips_first && lens.attention_query > Some(0));
    let (mut patches, mut rows) = (Vec::new(), Vec::new());
    let mut best: Option<(f32, String)> = None;
    for (y, (name, run)) in runs.iter().enumerate() {
        for (x, row) in numbers[y].iter().enumerate() {
            let from = skipped.min(row.len().saturating_sub(1));
            let at = from + largest(&row[from..]);
            let is_off = run.heads_off.contains(x);
            let (weight, length) = (pattern[y][x][at], carried[y][x][at]);
            let seen = token(lens, at);
            let is_sunk = at == 0 && first.is_sink();
            if !is_off && !is_sunk && best.as_ref().is_none_or(|(most, _)| row[at] > *most) {
                let who = format!("block {name}'s head {x} attends most to “{seen}”");
                best = Some((row[at], who));
            }
            let plan = switched(lens, y, x);
            let state = if is_off { ", switched off" } else { "" };
            let text = format!(
                "block {name}, head {x}{state}\nat “{seen}” ({at})\nweight {}, carried {}",
                short(weight.into()),
                short(length.into())
            );
            patches.push(Patch {
                text: (letters > 2).then(|| match (is_off, is_sunk) {
                    (true, _) => "off".to_owned(),
                    (_, true) => "1st".to_owned(),
                    _ => cut(&seen, letters),
                }),
                framed: (y, x) == (shown.run, shown.head),
                plan: plan.clone(),
                ..Patch::new([x, y], row[at].into(), text)
            });
            let text = format!("block {name}, head {x}{state}");
            let member = members.get(y).cloned().unwrap_or_default();
            rows.push((TableCell::Member { text, member }, seen, at, [weight, length], plan));
        }
    }
    // The heads that carry most stand first in the table.
    rows.sort_by(|(.., [_, a], _), (.., [_, b], _)| b.total_cmp(a));
    let beside = if skipped > 0 { ", without the first" } else { "" };
    let quantity = if shown.is_carried { "value-weighted attention" } else { "largest weight" };
    let ramp = Ramp::over(quantity, patches.iter().map(|patch| patch.value));
    let panel = Panel::map(
        format!(
            "block (upwards as they run) by head, and the token that it attends to most{beside}"
        ),
        Axis::category("head", (0..count).map(|head| head.to_string()).collect()),
        Axis::category("", runs.iter().map(|(name, _)| name.clone()).collect()),
        patches,
    );
    let shared = match shown.sharing {
        0 | 1 => "Every head has keys and values of its own.".to_owned(),
        each => format!("Every {each} neighbouring heads read the same keys and values."),
    };
    let height = CELL * runs.len().max(2) as u32;
    let who = best.map_or_else(
        || "no head attends elsewhere".to_owned(),
        |(most, who)| format!("{who}: {quantity} {}", short(most.into())),
    );
    Some(FigureDraft {
        key: "heads",
        title: match first.is_sink() {
            true => format!("From “{query}”, {} look most at the first token; beside it, {who}", first.words()),
            false => format!("From “{query}”, {who}"),
        },
        words: [
            shared + &first.explained(&token(lens, 0)),
            "What a head attends to is not why the model answers. A click switches it off, and shows the answer without it.".to_owned(),
        ],
        table: Table::of(
            rows,
            &[
                ("head", &|(head, ..)| head.clone()),
                ("attends most to", &|(_, seen, ..)| Text(seen.clone())),
                ("position", &|(_, _, at, ..)| Number(*at as f64)),
                ("weight", &|(.., [weight, _], _)| Number((*weight).into())),
                ("value-weighted", &|(.., [_, length], _)| Number((*length).into())),
                ("switch it", &|(.., plan)| {
                    plan.clone().map_or_else(|| Text(String::new()), TableCell::Plan)
                }),
            ],
        ),
        plot: Plot::map(panel.tall(height), ramp),
    })
}

/// How many heads look most at the first token. Where most do, it is an attention sink.
struct FirstToken {
    sunk: usize,
    heads: usize,
}

impl FirstToken {
    /// `[runs][heads][keys]`
    fn read(numbers: &[Vec<Vec<f32>>]) -> Self {
        let all = || numbers.iter().flatten().filter(|row| row.len() > 1);
        Self { sunk: all().filter(|row| largest(row) == 0).count(), heads: all().count() }
    }

    /// Whether most heads look there.
    fn is_sink(&self) -> bool {
        2 * self.sunk > self.heads
    }

    /// `217 of 270 heads`
    fn words(&self) -> String {
        format!("{} of {} heads", self.sunk, self.heads)
    }

    fn explained(&self, first: &str) -> String {
        match self.is_sink() {
            true => format!(
                " “1st” is the first token, “{first}”: an attention sink, where a large weight says little of what a head reads."
            ),
            false => String::new(),
        }
    }
}

/// The first of the largest.
pub(in crate::chart) fn largest(row: &[f32]) -> usize {
    (0..row.len()).fold(0, |best, t| if row[t] > row[best] { t } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_is_a_sink_where_most_heads_look_there() {
        let sunk = vec![0.9, 0.1, 0.0];
        let reads = vec![0.1, 0.8, 0.1];
        let of = |heads: &[&Vec<f32>]| {
            FirstToken::read(&[heads.iter().map(|&row| row.clone()).collect::<Vec<_>>()])
        };
        let most = of(&[&sunk, &sunk, &reads]);
        assert!(most.is_sink() && most.words() == "2 of 3 heads");
        assert!(!of(&[&sunk, &reads]).is_sink());
        // A single token looks at itself, and nowhere else.
        assert!(!of(&[&vec![1.0]]).is_sink());
    }
}
