//! Causal attention in training: forward, keeping the probabilities, and backward. Heads are narrow
//! and sequences short there; one thread each.
//!
//! Sequences lie one after the other in the token dimension; no token ever sees another sequence.
//! Queries and keys come turned ([`rotate_in_place`](super::super::rope::rotate_in_place)). All products
//! are of a chunk of a sequence's tokens with what they see, or with what sees them.

mod sequence;
#[cfg(test)]
mod tests;

use self::sequence::{PackedSequence, padded};
use super::Heads;
use crate::exp::exp;
use crate::matmul::training::{LeftFactor, StridedProduct};
use crate::sums::{dot, largest, sum};

/// Numbers that the probabilities of all sequences take: [H, T, padded T] a sequence. `starts` holds
/// the sequences' first tokens, and the end.
pub fn probabilities_len(starts: &[usize], heads: usize) -> usize {
    starts.windows(2).map(|span| heads * (span[1] - span[0]) * padded(span[1] - span[0])).sum()
}

/// `out [N, H W]` from `qkv [N, (H + 2 KV) W]`, turned; writes the probabilities.
///
/// # Panics
/// If slices are too short.
pub fn forward(
    out: &mut [f32],
    probabilities: &mut [f32],
    qkv: &[f32],
    starts: &[usize],
    heads: Heads,
) {
    let (width, group) = (heads.width, heads.heads / heads.kv_heads);
    let scale = 1.0 / (width as f32).sqrt();
    let mut turned = Vec::new();
    for (sequence, span) in PackedSequence::all(starts, heads) {
        let (keys, row) = (padded(sequence.tokens), sequence.row());
        let of_head = sequence.tokens * keys;
        for (h, p) in probabilities[span].chunks_exact_mut(of_head.max(1)).enumerate() {
            let (key, value) = (heads.heads + h / group, heads.heads + heads.kv_heads + h / group);
            if h % group == 0 {
                sequence.transpose(qkv, key, &mut turned);
            }
            for (chunk, seen) in sequence.chunks() {
                let p = &mut p[chunk.start * keys..chunk.end * keys];
                let queries = LeftFactor::rows(&qkv[sequence.at(chunk.start, h)..], row);
                let scores = sequence.product(chunk.len(), width, seen);
                scores.run(queries, (&turned, keys), (p, keys));
                for (t, p) in chunk.clone().zip(p.chunks_exact_mut(keys)) {
                    softmax(&mut p[..seen], t, scale);
                }
                let depth = seen.min(sequence.tokens);
                sequence.product(chunk.len(), depth, width).run(
                    LeftFactor::rows(p, keys),
                    (&qkv[sequence.at(0, value)..], row),
                    (&mut out[sequence.mixed_at(chunk.start, h)..], sequence.mixed_row()),
                );
            }
        }
    }
}

/// `dqkv [N, (H + 2 KV) W]` (still turned) from `dout [N, H W]`.
///
/// # Panics
/// As [`forward`].
pub fn gradient(
    dqkv: &mut [f32],
    dout: &[f32],
    probabilities: &[f32],
    qkv: &[f32],
    starts: &[usize],
    heads: Heads,
) {
    let (width, group) = (heads.width, heads.heads / heads.kv_heads);
    let scale = 1.0 / (width as f32).sqrt();
    let (mut turned, mut dscores) = (Vec::new(), Vec::new());
    for (sequence, span) in PackedSequence::all(starts, heads) {
        let (keys, row, tokens) = (padded(sequence.tokens), sequence.row(), sequence.tokens);
        let mixed_row = sequence.mixed_row();
        dscores.resize(tokens * keys, 0.0);
        let of_head = tokens * keys;
        for (h, p) in probabilities[span].chunks_exact(of_head.max(1)).enumerate() {
            let (key, value) = (heads.heads + h / group, heads.heads + heads.kv_heads + h / group);
            if h % group == 0 {
                sequence.transpose(qkv, value, &mut turned);
            }
            for (chunk, seen) in sequence.chunks() {
                let span = chunk.start * keys..chunk.end * keys;
                let dscores = &mut dscores[span.clone()];
                sequence.product(chunk.len(), width, seen).run(
                    LeftFactor::rows(&dout[sequence.mixed_at(chunk.start, h)..], mixed_row),
                    (&turned, keys),
                    (dscores, keys),
                );
                for (d, p) in dscores.chunks_exact_mut(keys).zip(p[span].chunks_exact(keys)) {
                    softmax_gradient(&mut d[..seen], &p[..seen], scale);
                }
                let depth = seen.min(tokens);
                sequence.product(chunk.len(), depth, width).run(
                    LeftFactor::rows(dscores, keys),
                    (&qkv[sequence.at(0, key)..], row),
                    (&mut dqkv[sequence.at(chunk.start, h)..], row),
                );
            }
            // Keys and values of a chunk, from the queries of it and of those after it.
            for (chunk, _) in sequence.chunks() {
                let from = chunk.start * keys + chunk.start;
                let sum = StridedProduct {
                    add: h % group > 0,
                    ..sequence.product(chunk.len(), tokens - chunk.start, width)
                };
                sum.run(
                    LeftFactor::columns(&dscores[from..], keys),
                    (&qkv[sequence.at(chunk.start, h)..], row),
                    (&mut dqkv[sequence.at(chunk.start, key)..], row),
                );
                sum.run(
                    LeftFactor::columns(&p[from..], keys),
                    (&dout[sequence.mixed_at(chunk.start, h)..], mixed_row),
                    (&mut dqkv[sequence.at(chunk.start, value)..], row),
                );
            }
        }
    }
}

/// Turns the scores of token `t` into probabilities; it does not see the keys after it.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn softmax(scores: &mut [f32], t: usize, scale: f32) {
    scores[t + 1..].fill(f32::NEG_INFINITY);
    let most = largest(scores);
    for score in scores.iter_mut() {
        *score = exp((*score - most) * scale);
    }
    scores[t + 1..].fill(0.0);
    let inverse = 1.0 / sum(scores);
    for score in scores.iter_mut() {
        *score *= inverse;
    }
}

/// Turns `d`, the gradient of the probabilities `p`, into that of the scores.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn softmax_gradient(d: &mut [f32], p: &[f32], scale: f32) {
    let mean = dot(p, d);
    for (d, p) in d.iter_mut().zip(p) {
        *d = p * (*d - mean) * scale;
    }
}
