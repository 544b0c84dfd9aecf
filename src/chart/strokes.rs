//! Strokes: the members of a run, named for people and grouped into tiles.

use std::collections::HashMap;

use super::inside::{steps, visible};
use super::number::{counted, ordinal, short};
use super::plot::{Axis, Line, MarkShape, Panel, Pen, Plot, Point, Series};
use super::theme::mark;
use super::{TableCell, Theme};
use crate::engine::{Member, MemberKind, member_names};
use crate::measure::decomposition::logit_difference;
use crate::plan::Half;
use crate::study::report::Lens;

/// One painter's turn: the embedding, or a block run with its one or two strokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// `None` for the embedding.
    pub block: Option<usize>,
    /// Indices into the members, one or two.
    pub strokes: Vec<usize>,
    /// 1 for the block's first run, 2 for its second, …
    pub run: usize,
    /// The step of the plan that it runs in beside other blocks, counted from 0; `None` where it runs alone.
    pub beside: Option<usize>,
}

/// The members grouped by block run, in the order they ran.
pub fn tiles(lens: &Lens) -> Vec<Tile> {
    let groups = groups(lens);
    let mut tiles: Vec<Tile> = Vec::new();
    let mut previous: Option<MemberKind> = None;
    for (i, member) in lens.members.iter().enumerate() {
        let beside = groups.get(i).copied().flatten();
        // An MLP belongs to the attention of the same block just before it.
        let goes_on = member.kind == MemberKind::Mlp
            && previous == Some(MemberKind::Attention)
            && tiles.last().is_some_and(|tile| tile.block == member.block && tile.beside == beside);
        match tiles.last_mut() {
            Some(tile) if goes_on => tile.strokes.push(i),
            _ => {
                // The read-out's bias has no block either, and is no second run of the embedding.
                let earlier = tiles.iter().filter(|tile| {
                    tile.block == member.block
                        && lens.members[tile.strokes[0]].kind != MemberKind::Bias
                        && member.kind != MemberKind::Bias
                });
                let run = 1 + earlier.count();
                tiles.push(Tile { block: member.block, strokes: vec![i], run, beside });
            }
        }
        previous = Some(member.kind);
    }
    tiles
}

/// The step of the plan in which each member's block runs beside others, counted from 0.
pub(super) fn groups(lens: &Lens) -> Vec<Option<usize>> {
    // The embedding comes before the first step.
    let mut groups = vec![None];
    for (index, step) in steps(&lens.plan).iter().enumerate() {
        let runs = step.block_runs();
        let group = (runs.len() > 1).then_some(index);
        for run in runs {
            let strokes = if run.half == Half::Both { 2 } else { 1 };
            groups.extend(std::iter::repeat_n(group, strokes));
        }
    }
    groups
}

/// Member `i` in words: `the embedding`, `block 3's MLP`, `block 3's MLP (2nd run)`.
pub fn stroke_name(lens: &Lens, i: usize) -> String {
    names(&lens.members).swap_remove(i)
}

/// `[M]` every member in words.
pub(super) fn names(members: &[Member]) -> Vec<String> {
    let mut runs: HashMap<(MemberKind, Option<usize>), usize> = HashMap::new();
    for member in members {
        *runs.entry((member.kind, member.block)).or_default() += 1;
    }
    let mut seen: HashMap<(MemberKind, Option<usize>), usize> = HashMap::new();
    let name = |member: &Member| {
        let Some(block) = member.block else {
            return match member.kind {
                MemberKind::Bias => "the read-out's bias",
                _ => "the embedding",
            }
            .to_owned();
        };
        let part = kind_name(member.kind);
        let own = (member.kind, member.block);
        let run = seen.entry(own).or_default();
        *run += 1;
        if runs[&own] > 1 {
            format!("block {block}'s {part} ({} run)", ordinal(*run))
        } else {
            format!("block {block}'s {part}")
        }
    };
    members.iter().map(name).collect()
}

/// A kind in a legend and in a table.
pub fn kind_name(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "MLP",
        MemberKind::Bias => "bias",
    }
}

/// The kinds that a model has: few have a bias member.
pub(super) fn kinds(has_bias: bool) -> impl Iterator<Item = MemberKind> + Clone {
    let all = [MemberKind::Embedding, MemberKind::Attention, MemberKind::Mlp, MemberKind::Bias];
    all.into_iter().take(if has_bias { 4 } else { 3 })
}

/// A kind in its colour and with its mark.
pub(super) fn kind_pen(kind: MemberKind, theme: &Theme) -> Pen {
    let name = match kind {
        // Bias is also what the members' mean error is called.
        MemberKind::Bias => "the read-out's bias",
        _ => kind_name(kind),
    };
    Pen::new(name, theme.of(kind), Line::None, mark(kind))
}

/// The kinds of these members, in their colours and with their marks.
pub(super) fn kind_pens(members: &[Member], theme: &Theme) -> Vec<Pen> {
    kinds(has_bias(members)).map(|kind| kind_pen(kind, theme)).collect()
}

/// More strokes than this have no room for a name each.
const NAMED: usize = 40;

/// With more components than that, one block in so many is named.
const EVERY: usize = 5;

/// The strokes in the order they ran: in the plan's notation, `emb`, `0a`, `0m`, …; of many, every fifth block's number.
pub(super) fn axis(members: &[Member]) -> Axis {
    if members.len() > NAMED {
        return block_axis(members);
    }
    let label = |member: &Member| match (member.kind, member.block) {
        (MemberKind::Attention, Some(block)) => format!("{block}a"),
        (MemberKind::Mlp, Some(block)) => format!("{block}m"),
        (MemberKind::Bias, _) => "bias".to_owned(),
        _ => "emb".to_owned(),
    };
    Axis::category(
        "components as they ran; a: attention, m: MLP",
        members.iter().map(label).collect(),
    )
}

/// Components named by their blocks alone, one block in [`EVERY`] as they ran.
fn block_axis(members: &[Member]) -> Axis {
    let runs = block_runs(members);
    let name = |i: usize| {
        let run = runs[i].filter(|run| run % EVERY == 0)?;
        let is_first = i == 0 || runs[i - 1] != Some(run);
        members[i].block.filter(|_| is_first).map(|block| block.to_string())
    };
    let names = (0..members.len()).map(|i| name(i).unwrap_or_default()).collect();
    Axis::category("components as they ran; numbers are blocks", names)
}

/// `[M]` the block run of every member, counted from 0; `None` for one that is of no block.
fn block_runs(members: &[Member]) -> Vec<Option<usize>> {
    let mut runs: Vec<Option<usize>> = Vec::with_capacity(members.len());
    let mut next = 0;
    let mut previous: Option<&Member> = None;
    for member in members {
        // An MLP belongs to the attention of its block just before it.
        let goes_on = member.kind == MemberKind::Mlp
            && previous.is_some_and(|previous| {
                (previous.kind, previous.block) == (MemberKind::Attention, member.block)
            });
        if member.block.is_some() && !goes_on {
            next += 1;
        }
        runs.push(member.block.map(|_| next - 1));
        previous = Some(member);
    }
    runs
}

/// `[M]` whether each member stands on a shade: block runs are shaded in turn.
pub(super) fn shaded(members: &[Member]) -> Vec<bool> {
    block_runs(members).into_iter().map(|run| run.is_some_and(|run| run % 2 == 1)).collect()
}

/// A value per component: bars of one pen, each with its kind's mark at the end.
pub(super) fn panel(
    members: &[Member],
    theme: &Theme,
    name: String,
    values: &[f64],
    (pen, shape): (Pen, MarkShape),
) -> Panel {
    let points = values.iter().zip(names(members)).enumerate();
    let points =
        points.map(|(i, (y, name))| Point::new(i as f64, *y, format!("{name}\n{}", short(*y))));
    let points: Vec<Point> = points.collect();
    let mut series = vec![Series::bars(shape, pen, points.clone())];
    series.extend(kind_marks(members, theme, points));
    Panel { shaded: shaded(members), ..Panel::from_zero(name, axis(members), series) }
}

/// A series of marks per kind, of a point per member.
pub(super) fn kind_marks(members: &[Member], theme: &Theme, points: Vec<Point>) -> Vec<Series> {
    let series = |kind: MemberKind| {
        let own = points.iter().zip(members).filter(|(_, member)| member.kind == kind);
        Series::new(kind_pen(kind, theme), own.map(|(point, _)| point.clone()))
    };
    kinds(has_bias(members)).map(series).collect()
}

/// Whether the read-out has a bias, which is a member of its own.
pub(super) fn has_bias(members: &[Member]) -> bool {
    members.iter().any(|member| member.kind == MemberKind::Bias)
}

/// Links every place of a plot over these members to its member; every mark, where places say nothing.
pub(super) fn link(plot: &mut Plot, members: &[Member]) {
    let picks: Vec<String> = member_names(members).iter().map(|name| member_pick(name)).collect();
    if plot.hover.is_some() {
        plot.picks = picks;
        return;
    }
    let series = plot.panels.iter_mut().flat_map(|panel| &mut panel.series);
    for point in series.flat_map(|series| &mut series.points) {
        point.pick = picks.get(point.x as usize).cloned();
    }
}

/// How a mark says which member's own row it leads to.
pub const MEMBER_PICK: &str = "member:";

pub(super) fn member_pick(name: &str) -> String {
    format!("{MEMBER_PICK}{name}")
}

/// The cells of a table that name these strokes in words and lead to their own rows.
pub(super) fn cells(members: &[Member]) -> Vec<TableCell> {
    let all = names(members).into_iter().zip(member_names(members));
    all.map(|(text, member)| TableCell::Member { text, member }).collect()
}

/// `25 components`.
pub(super) fn count(members: &[Member]) -> String {
    counted(members.len(), "component")
}

/// Option `k` as it is quoted in a sentence: its text without the space that joins it to the
/// prompt, or its token where there is no text. Where the options differ in such spaces, these are drawn.
pub fn option_name(lens: &Lens, k: usize) -> String {
    let options = lens.options.as_deref().unwrap_or_default();
    match options.get(k) {
        Some(text) if !text.trim().is_empty() && differ_in_spaces(options) => {
            format!("“{}”", drawn_spaces(text))
        }
        Some(text) if !text.trim().is_empty() => format!("“{}”", text.trim()),
        Some(text) => format!("“{}”", visible(text)),
        None => format!("token {}", lens.option_token_ids[k]),
    }
}

/// Whether some options begin or end with a space and others do not.
pub(super) fn differ_in_spaces(options: &[String]) -> bool {
    let ends = |text: &String| [text.starts_with(' '), text.ends_with(' ')];
    options.windows(2).any(|pair| ends(&pair[0]) != ends(&pair[1]))
}

/// A text whose first and last spaces can be seen: `"␣cold"`.
fn drawn_spaces(text: &str) -> String {
    let before = text.len() - text.trim_start_matches(' ').len();
    let after = text.len() - text.trim_end_matches(' ').len();
    format!("{}{}{}", "␣".repeat(before), text.trim_matches(' '), "␣".repeat(after))
}

/// The option the model answers.
pub(super) fn answered(lens: &Lens) -> usize {
    crate::measure::decomposition::argmax(&lens.probabilities)
}

/// `[M]` each component's net vote. They add up to the model's logit difference.
pub fn votes(lens: &Lens) -> Vec<f64> {
    lens.member_logits.iter().map(|row| logit_difference(row, lens.answer)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_strokes_every_fifth_block_is_named() {
        let member = |kind, block| Member { kind, block };
        let blocks = (0..30).flat_map(|block| {
            [MemberKind::Attention, MemberKind::Mlp].map(|kind| member(kind, Some(block)))
        });
        let all: Vec<Member> =
            std::iter::once(member(MemberKind::Embedding, None)).chain(blocks).collect();
        let named = |axis: Axis| match axis {
            Axis::Category { names, .. } => names,
            _ => Vec::new(),
        };
        let names = named(axis(&all));
        let seen: Vec<(usize, &str)> =
            names.iter().enumerate().map(|(i, name)| (i, name.as_str())).collect();
        let seen: Vec<_> = seen.into_iter().filter(|(_, name)| !name.is_empty()).collect();
        assert_eq!(seen, [(1, "0"), (11, "5"), (21, "10"), (31, "15"), (41, "20"), (51, "25")]);
        assert_eq!(named(axis(&all[..4])), ["emb", "0a", "0m", "1a"]);
    }

    #[test]
    fn spaces_are_drawn_only_where_options_differ_in_them() {
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert!(!differ_in_spaces(&all(&[" Rome", " Paris"])));
        assert!(differ_in_spaces(&all(&[" Rome", "Paris"])));
        assert!(differ_in_spaces(&all(&["cold", "cold "])));
        assert_eq!([" cold", "cold", "cold "].map(drawn_spaces), ["␣cold", "cold", "cold␣"]);
    }
}
