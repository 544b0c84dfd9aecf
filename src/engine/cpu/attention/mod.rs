//! Causal attention over packed sequences: rotary positions, grouped KV heads, sliding window.
//!
//! Scores and mixtures are small products with panels of keys and of values, a few queries at a
//! time; panels that lie past all of them are left out.

mod cached;
pub mod looks;
pub mod tangent;
#[cfg(feature = "cli")]
pub mod training;

use rayon::prelude::*;

pub use self::cached::{CacheRows, HeadCache, RunCache};

use super::block::Threads;
use super::exp::exp;
use super::matmul::NarrowPanels;
use super::rope::rotate;
use super::sums::{largest, sum};
use crate::engine::rope::Angles;
use crate::engine::schedule::pack::Pack;
use crate::model::shape::AttentionShape;

/// What attention needs to know of a block.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    pub heads: usize,
    pub kv_heads: usize,
    /// W
    pub width: usize,
    /// A token sees itself and the `window - 1` before it.
    pub window: usize,
    /// Half of the dimensions that turn.
    pub rope_half: usize,
}

impl Heads {
    pub fn new(shape: &AttentionShape) -> Self {
        Self {
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            width: shape.head_width,
            window: shape.window.unwrap_or(usize::MAX),
            rope_half: shape.rope.as_ref().map_or(0, |rope| rope.width / 2),
        }
    }

    /// Numbers of a token's queries, keys and values: (H + 2 KV) W.
    pub fn qkv_width(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.width
    }
}

/// One KV head of one sequence: the unit of parallel work.
struct HeadTask<'a> {
    /// [T, (H + 2 KV) W]
    qkv: &'a [f32],
    angles: &'a Angles,
    kv_head: usize,
    /// For each token, the places of the query heads that share the KV head: T of [group W].
    out: Vec<&'a mut [f32]>,
    /// Where keys and values are kept, and how many tokens stand before the first.
    cache: Option<(&'a mut HeadCache, usize)>,
}

/// `qkv` [N, (H + 2 KV) W] queries, keys and values to `out` [N, H W], where the rows are those of
/// `sequences` of the pack, one after the other; with a `cache`, they go on from what it holds and are
/// kept in it.
pub fn attention(
    qkv: &[f32],
    heads: Heads,
    pack: &Pack,
    sequences: &[usize],
    cache: Option<CacheRows>,
    by: Threads,
    out: &mut [f32],
) {
    let mut kept = cache.map_or_else(Vec::new, CacheRows::heads);
    let row_in = heads.qkv_width();
    let group = heads.heads / heads.kv_heads;
    let mut tasks = Vec::with_capacity(sequences.len() * heads.kv_heads);
    // Token by token, and in each KV head by KV head.
    let mut places = out.chunks_exact_mut(group * heads.width);
    let mut left = qkv;
    for &sequence in sequences {
        let length = pack.spans[sequence].1;
        let qkv;
        (qkv, left) = left.split_at(length * row_in);
        let mut outs: Vec<_> = (0..heads.kv_heads).map(|_| Vec::with_capacity(length)).collect();
        for _ in 0..length {
            for (out, place) in outs.iter_mut().zip(&mut places) {
                out.push(place);
            }
        }
        let kept = kept.get_mut(sequence).and_then(Option::take);
        let mut kept = kept.into_iter().flatten();
        for (kv_head, out) in outs.into_iter().enumerate() {
            tasks.push(HeadTask {
                qkv,
                angles: pack.angles(sequence),
                kv_head,
                out,
                cache: kept.next().map(|kept| (kept, pack.past[sequence])),
            });
        }
    }
    let attend = |task: &mut HeadTask| match &task.cache {
        Some((_, past)) if *past > 0 => cached::attend(task, heads),
        _ => attend(task, heads),
    };
    match by {
        Threads::OneToken(team) => team.each_of(&mut tasks, attend),
        Threads::Apart | Threads::Together => tasks.par_iter_mut().for_each(attend),
    }
}

/// Queries that go through together: as many scores as stay in the first-level cache.
const QUERIES: usize = 24;

/// One KV head and the query heads that share it, over one sequence.
fn attend(task: &mut HeadTask, heads: Heads) {
    let HeadTask { qkv, angles, kv_head, out, cache } = task;
    let kv_head = *kv_head;
    let (width, length) = (heads.width, out.len());
    let row = heads.qkv_width();
    let head = |t: usize, head: usize| &qkv[t * row + head * width..][..width];
    let group = heads.heads / heads.kv_heads;

    let mut turned = vec![0f32; length * width]; // [T, W]
    let turn = |from: usize, scale: f32, turned: &mut [f32]| {
        for (t, turned) in turned.chunks_exact_mut(width).enumerate() {
            rotate(head(t, from), angles, heads.rope_half, t, scale, turned);
        }
    };
    turn(heads.heads + kv_head, 1.0, &mut turned);
    let keys = NarrowPanels::from_rows(&turned, width); // [T, W]
    let values = (0..length).map(|t| head(t, heads.heads + heads.kv_heads + kv_head));
    if let Some((cache, _)) = cache {
        cache.forget(0, width);
        cache.keys.extend_from_slice(&turned);
        values.clone().for_each(|v| cache.values.extend_from_slice(v));
    }
    let values = NarrowPanels::from_columns(width, length, values); // [W, T]

    let mut scores = vec![0f32; QUERIES.min(length) * keys.padded()];
    let mut mixed = vec![0f32; QUERIES.min(length) * values.padded()];
    for in_group in 0..group {
        turn(kv_head * group + in_group, 1.0 / (width as f32).sqrt(), &mut turned);
        for first in (0..length).step_by(QUERIES) {
            let last = (first + QUERIES).min(length);
            let queries = last - first;
            // What any of these queries sees.
            let seen = (first + 1).saturating_sub(heads.window)..last;
            let columns = keys.whole(seen.clone());
            let scores = &mut scores[..queries * keys.padded()];
            let query = &turned[first * width..last * width];
            keys.multiply(query, width, 0..width, columns.clone(), scores);
            for (t, scores) in (first..last).zip(scores.chunks_exact_mut(keys.padded())) {
                let own = (t + 1).saturating_sub(heads.window)..t + 1;
                scores[seen.start..own.start].fill(0.0);
                scores[own.end..seen.end].fill(0.0);
                softmax(&mut scores[own]);
            }
            let mixed = &mut mixed[..queries * values.padded()];
            values.multiply(scores, keys.padded(), seen, 0..values.padded(), mixed);
            for (out, mixed) in out[first..last].iter_mut().zip(mixed.chunks_exact(values.padded()))
            {
                out[in_group * width..][..width].copy_from_slice(&mixed[..width]);
            }
        }
    }
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn softmax(scores: &mut [f32]) {
    let most = largest(scores);
    for score in scores.iter_mut() {
        *score = exp(*score - most);
    }
    let scale = 1.0 / sum(scores);
    for score in scores.iter_mut() {
        *score *= scale;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::cpu::team::Team;
    use crate::engine::cpu::testing::{close, random};
    use crate::engine::rope::Rope;
    use crate::model::shape::RopeShape;

    /// The slow plain twin, in f64: one sequence's rows [T, (H + 2 KV) W] to [T, H W].
    pub fn plain(qkv: &[f32], heads: Heads, angles: &Angles) -> Vec<f64> {
        let (w, row, half) = (heads.width, heads.qkv_width(), heads.rope_half);
        let turned = |t: usize, head: usize| -> Vec<f64> {
            let x = &qkv[t * row + head * w..][..w];
            let mut x: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            for i in 0..half {
                let cos = f64::from(angles.cos[t * half + i]);
                let sin = f64::from(angles.sin[t * half + i]);
                let (a, b) = (x[i], x[i + half]);
                x[i] = a * cos - b * sin;
                x[i + half] = b * cos + a * sin;
            }
            x
        };
        let mut out = Vec::new();
        for t in 0..qkv.len() / row {
            for head in 0..heads.heads {
                let kv = heads.heads + head / (heads.heads / heads.kv_heads);
                let query = turned(t, head);
                let seen = (t + 1).saturating_sub(heads.window)..t + 1;
                let score = |s: usize| -> f64 {
                    let dot: f64 = query.iter().zip(turned(s, kv)).map(|(q, k)| q * k).sum();
                    (dot / (w as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = seen.clone().map(score).collect();
                let sum: f64 = scores.iter().sum();
                let value =
                    |s: usize, i: usize| f64::from(qkv[s * row + (kv + heads.kv_heads) * w + i]);
                let mixed = |i: usize| -> f64 {
                    let parts = seen.clone().zip(&scores);
                    parts.map(|(s, score)| score / sum * value(s, i)).sum()
                };
                out.extend((0..w).map(mixed));
            }
        }
        out
    }

    #[test]
    fn attention_equals_its_twin() {
        let team = Team::default();
        for (width, rope_width) in [(8, 8), (20, 8), (16, 0)] {
            let rope = Rope::of(&RopeShape { width: rope_width, theta: 1e4, scaling: None });
            let pack = Pack::of(&[1, 13, 7, 30], (rope_width > 0).then_some(&rope));
            for (window, kv_heads) in [(usize::MAX, 2), (1, 6), (5, 1)] {
                let heads = Heads { heads: 6, kv_heads, width, window, rope_half: rope_width / 2 };
                // A pack and part of another, one after the other.
                let sequences = [0, 1, 2, 3, 1, 2];
                let rows: usize = sequences.iter().map(|&s| pack.spans[s].1).sum();
                let qkv = random(rows * heads.qkv_width(), 1.5, 1);
                let mut ours = vec![f32::NAN; rows * 6 * width];
                attention(&qkv, heads, &pack, &sequences, None, Threads::Together, &mut ours);
                let mut by_team = vec![f32::NAN; ours.len()];
                let by = Threads::OneToken(&team);
                attention(&qkv, heads, &pack, &sequences, None, by, &mut by_team);
                assert_eq!(by_team, ours);
                let mut expected = Vec::new();
                let mut left = &qkv[..];
                for s in sequences {
                    let one;
                    (one, left) = left.split_at(pack.spans[s].1 * heads.qkv_width());
                    expected.extend(plain(one, heads, pack.angles(s)));
                }
                close(&ours, &expected, 3e-6);
            }
        }
    }

    #[test]
    fn going_on_from_what_is_kept_equals_the_whole_sequence() {
        let rope = Rope::of(&RopeShape { width: 8, theta: 1e4, scaling: None });
        for (window, kv_heads) in [(usize::MAX, 2), (5, 1), (1, 6)] {
            let heads = Heads { heads: 6, kv_heads, width: 20, window, rope_half: 4 };
            let row = heads.qkv_width();
            let lengths = [17, 30];
            let whole = Pack::of(&lengths, Some(&rope));
            let qkv: Vec<Vec<f32>> =
                (0..2).map(|n| random(lengths[n] * row, 1.5, n as u32)).collect();
            let team = Team::default();
            // The cache's sequences stand in another order than the pack's.
            let mut cache = RunCache::new(2, kv_heads);
            let mut found = [Vec::new(), Vec::new()];
            for (past, lengths) in
                [([0, 0], [9, 1]), ([9, 1], [1, 4]), ([10, 5], [7, 25]), ([12, 29], [5, 1])]
            {
                let pack = Pack::going_on(&past, &lengths, Some(&rope));
                let rows: Vec<f32> = (0..2)
                    .flat_map(|n| &qkv[n][past[n] * row..(past[n] + lengths[n]) * row])
                    .copied()
                    .collect();
                let mut ours = vec![f32::NAN; pack.rows * 6 * 20];
                // Every other time by a team.
                let by = match past[0] % 2 {
                    0 => Threads::OneToken(&team),
                    _ => Threads::Together,
                };
                let rows_of = CacheRows { run: &mut cache, of: &[1, 0] };
                attention(&rows, heads, &pack, &[0, 1], Some(rows_of), by, &mut ours);
                for ((found, past), (start, length)) in found.iter_mut().zip(past).zip(&pack.spans)
                {
                    found.truncate(past * 120);
                    found.extend_from_slice(&ours[start * 120..(start + length) * 120]);
                }
            }
            for (n, found) in found.iter().enumerate() {
                close(found, &plain(&qkv[n], heads, whole.angles(n)), 3e-6);
            }
        }
    }
}
