//! Strokes: the members of a run, named for people and grouped into tiles.

use super::Column;
use super::number::ordinal;
use crate::engine::MemberKind;
use crate::measure::decomposition::softmax;
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
}

/// The members grouped by block run, in the order they ran.
pub fn tiles(lens: &Lens) -> Vec<Tile> {
    let mut tiles: Vec<Tile> = Vec::new();
    let mut previous: Option<MemberKind> = None;
    for (i, member) in lens.members.iter().enumerate() {
        // An MLP belongs to the attention of the same block just before it.
        let goes_on = member.kind == MemberKind::Mlp
            && previous == Some(MemberKind::Attention)
            && tiles.last().is_some_and(|tile| tile.block == member.block);
        match tiles.last_mut() {
            Some(tile) if goes_on => tile.strokes.push(i),
            _ => {
                let run = 1 + tiles
                    .iter()
                    .filter(|tile| tile.block == member.block)
                    .count();
                tiles.push(Tile {
                    block: member.block,
                    strokes: vec![i],
                    run,
                });
            }
        }
        previous = Some(member.kind);
    }
    tiles
}

/// `[M]` short labels in the plan's notation: `emb`, `0a`, `0m`, …
pub(super) fn labels(lens: &Lens) -> Vec<String> {
    let label = |member: &crate::engine::Member| match (member.kind, member.block) {
        (MemberKind::Attention, Some(block)) => format!("{block}a"),
        (MemberKind::Mlp, Some(block)) => format!("{block}m"),
        (MemberKind::Bias, _) => "bias".to_owned(),
        _ => "emb".to_owned(),
    };
    lens.members.iter().map(label).collect()
}

/// Member `i` in words: `the embedding`, `block 3's MLP`, `block 3's MLP (2nd run)`.
pub fn stroke_name(lens: &Lens, i: usize) -> String {
    let member = lens.members[i];
    let (Some(block), kind) = (member.block, member.kind) else {
        return match member.kind {
            MemberKind::Bias => "the read-out's bias",
            _ => "the embedding",
        }
        .to_owned();
    };
    let part = if kind == MemberKind::Attention {
        "attention"
    } else {
        "MLP"
    };
    let same = |m: &&crate::engine::Member| **m == member;
    if lens.members.iter().filter(same).count() > 1 {
        let run = lens.members[..=i].iter().filter(same).count();
        format!("block {block}'s {part} ({} run)", ordinal(run))
    } else {
        format!("block {block}'s {part}")
    }
}

/// `[M]` every stroke in words.
pub(super) fn names(lens: &Lens) -> Vec<String> {
    (0..lens.members.len())
        .map(|i| stroke_name(lens, i))
        .collect()
}

/// `25 strokes`.
pub(super) fn count(lens: &Lens) -> String {
    format!("{} strokes", lens.members.len())
}

/// Option `k` as it is quoted in a sentence: its text without the space that joins it to the
/// prompt, or its token where there is no text.
pub fn option_name(lens: &Lens, k: usize) -> String {
    match lens.options.as_ref().and_then(|options| options.get(k)) {
        Some(text) if !text.trim().is_empty() => format!("“{}”", text.trim()),
        Some(text) => format!("“{}”", text.escape_debug()),
        None => format!("token {}", lens.option_token_ids[k]),
    }
}

/// The option the model answers.
pub(super) fn answered(lens: &Lens) -> usize {
    crate::measure::decomposition::argmax(&lens.probabilities)
}

/// `[M]` each stroke's vote: its value for the right option less the mean of its values for the
/// others. In logits the votes add up to the model's own margin; in the other two columns the
/// values are the stroke's own probabilities, as in its bias.
pub fn votes(lens: &Lens, column: Column) -> Vec<f64> {
    let vote = |row: &Vec<f32>| {
        let u: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        margin(
            &if column == Column::Logit {
                u
            } else {
                softmax(&u)
            },
            lens.answer,
        )
    };
    lens.member_logits.iter().map(vote).collect()
}

/// `x[answer]` less the mean of the rest.
pub(super) fn margin(x: &[f64], answer: usize) -> f64 {
    let others = (x.len() - 1).max(1) as f64;
    let sum: f64 = x.iter().sum();
    x[answer] - (sum - x[answer]) / others
}
