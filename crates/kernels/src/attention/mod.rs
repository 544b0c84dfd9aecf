//! Causal attention over packed sequences: rotary positions, grouped KV heads, sliding window.
//!
//! Scores and mixtures are small products with panels of keys and of values, a few queries at a
//! time; panels that lie past all of them are left out.

mod cached;
pub mod tangent;
pub mod training;

use multiversion::multiversion;
use rayon::prelude::*;

pub use self::cached::HeadCache;

use super::exp::exp;
use super::matmul::NarrowPanels;
use super::rope::{Angles, rotate};
use super::sums::{largest, sum};
use super::team::Team;

/// The sizes of a block's attention.
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
    /// Numbers of a token's queries, keys and values: (H + 2 KV) W.
    pub fn qkv_width(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.width
    }
}

/// A sequence's tokens on their way through attention.
pub struct Sequence<'a> {
    /// T
    pub tokens: usize,
    /// Tokens before the first row, whose keys and values are in `kept`.
    pub past: usize,
    pub angles: &'a Angles,
    /// Where each KV head reads the keys and values of the past and adds its own.
    pub kept: Option<&'a mut [HeadCache]>,
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

/// Attends from `qkv` [N, (H + 2 KV) W], queries, keys and values of `sequences` one after the other, to
/// `out` [N, H W]; on the threads of `team` where there is one, else on those of the pool.
///
/// # Panics
/// If `qkv` and `out` do not have a row for every token of `sequences`.
pub fn attention(
    qkv: &[f32],
    heads: Heads,
    sequences: Vec<Sequence>,
    team: Option<&Team>,
    out: &mut [f32],
) {
    let row_in = heads.qkv_width();
    let group = heads.heads / heads.kv_heads;
    let tokens: usize = sequences.iter().map(|sequence| sequence.tokens).sum();
    assert_eq!(qkv.len(), tokens * row_in, "a row for every token");
    assert_eq!(out.len(), tokens * heads.heads * heads.width, "a row of output for every token");
    let mut tasks = Vec::with_capacity(sequences.len() * heads.kv_heads);
    // Token by token, and in each KV head by KV head.
    let mut places = out.chunks_exact_mut(group * heads.width);
    let mut left = qkv;
    for Sequence { tokens, past, angles, kept } in sequences {
        let qkv;
        (qkv, left) = left.split_at(tokens * row_in);
        let mut outs: Vec<_> = (0..heads.kv_heads).map(|_| Vec::with_capacity(tokens)).collect();
        for _ in 0..tokens {
            for (out, place) in outs.iter_mut().zip(&mut places) {
                out.push(place);
            }
        }

        let mut kept = kept.into_iter().flatten();
        for (kv_head, out) in outs.into_iter().enumerate() {
            let cache = kept.next().map(|kept| (kept, past));
            tasks.push(HeadTask { qkv, angles, kv_head, out, cache });
        }
    }

    let attend = |task: &mut HeadTask| match &task.cache {
        Some((_, past)) if *past > 0 => cached::attend(task, heads),
        _ => attend(task, heads),
    };
    match team {
        Some(team) => team.each_of(&mut tasks, attend),
        None => tasks.par_iter_mut().for_each(attend),
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
            // Keys that any of these queries sees.
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

/// Turns scores into weights, in place.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn softmax(scores: &mut [f32]) {
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
    use crate::rope::tests::angles;
    use crate::testing::{close, random};

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

    fn sequence(tokens: usize, angles: &Angles) -> Sequence<'_> {
        Sequence { tokens, past: 0, angles, kept: None }
    }

    #[test]
    fn attention_equals_its_twin() {
        let team = Team::default();
        for (width, rope_width) in [(8, 8), (20, 8), (16, 0)] {
            let angles = angles(rope_width, 0..30);
            for (window, kv_heads) in [(usize::MAX, 2), (1, 6), (5, 1)] {
                let heads = Heads { heads: 6, kv_heads, width, window, rope_half: rope_width / 2 };
                let lengths = [1, 13, 7, 30, 13, 7];
                let sequences = || lengths.iter().map(|&t| sequence(t, &angles)).collect();
                let rows: usize = lengths.iter().sum();
                let qkv = random(rows * heads.qkv_width(), 1.5, 1);
                let mut ours = vec![f32::NAN; rows * 6 * width];
                attention(&qkv, heads, sequences(), None, &mut ours);
                let mut by_team = vec![f32::NAN; ours.len()];
                attention(&qkv, heads, sequences(), Some(&team), &mut by_team);
                assert_eq!(by_team, ours);

                let mut expected = Vec::new();
                let mut left = &qkv[..];
                for tokens in lengths {
                    let one;
                    (one, left) = left.split_at(tokens * heads.qkv_width());
                    expected.extend(plain(one, heads, &angles));
                }
                close(&ours, &expected, 3e-6);
            }
        }
    }

    #[test]
    fn going_on_from_what_is_kept_equals_the_whole_sequence() {
        for (window, kv_heads) in [(usize::MAX, 2), (5, 1), (1, 6)] {
            let heads = Heads { heads: 6, kv_heads, width: 20, window, rope_half: 4 };
            let row = heads.qkv_width();
            let lengths = [17, 30];
            let qkv: Vec<Vec<f32>> =
                (0..2).map(|n| random(lengths[n] * row, 1.5, n as u32)).collect();
            let team = Team::default();
            let mut caches = vec![vec![HeadCache::default(); kv_heads]; 2];
            let mut found = [Vec::new(), Vec::new()];
            for (past, lengths) in
                [([0, 0], [9, 1]), ([9, 1], [1, 4]), ([10, 5], [7, 25]), ([12, 29], [5, 1])]
            {
                let rows: Vec<f32> = (0..2)
                    .flat_map(|n| &qkv[n][past[n] * row..(past[n] + lengths[n]) * row])
                    .copied()
                    .collect();
                // The angles begin where the earlier of the sequences goes on.
                let angles = angles(8, past[0].min(past[1])..30);
                let sequences = caches.iter_mut().enumerate().map(|(n, kept)| Sequence {
                    tokens: lengths[n],
                    past: past[n],
                    angles: &angles,
                    kept: Some(kept),
                });
                let mut ours = vec![f32::NAN; (lengths[0] + lengths[1]) * 6 * 20];
                // Every other time by a team.
                let team = (past[0] % 2 == 0).then_some(&team);
                attention(&rows, heads, sequences.collect(), team, &mut ours);

                let mut left = &ours[..];
                for ((found, past), length) in found.iter_mut().zip(past).zip(lengths) {
                    let own;
                    (own, left) = left.split_at(length * 120);
                    found.truncate(past * 120);
                    found.extend_from_slice(own);
                }
            }
            for (qkv, found) in qkv.iter().zip(&found) {
                close(found, &plain(qkv, heads, &angles(8, 0..30)), 3e-6);
            }
        }
    }
}
