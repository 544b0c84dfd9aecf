//! Causal attention within each row of a packed batch, with rotary positions, and its gradient.
//!
//! Rows lie one after the other in the token dimension; no token ever sees another row.

use super::kernels::{dot, exp, largest, sum};
use super::shape::{ROPE_THETA, Shape};
use super::simd::vectorised;

/// Keys are taken in chunks of this many, so that scores vectorise over keys.
const CHUNK: usize = 16;

/// Cosines and sines of every position, [context, E/2] each.
pub struct Rotary {
    cos: Vec<f32>,
    sin: Vec<f32>,
    half: usize,
}

impl Rotary {
    pub fn new(shape: &Shape) -> Self {
        let half = shape.head_width() / 2;
        let angle =
            |at: usize| (at / half) as f32 * ROPE_THETA.powf(-((at % half) as f32) / half as f32);
        let all = 0..shape.context * half;
        Self {
            cos: all.clone().map(|at| angle(at).cos()).collect(),
            sin: all.map(|at| angle(at).sin()).collect(),
            half,
        }
    }

    /// Turns the queries and keys of `qkv` [N, Q] by their positions in the row (Hugging Face's
    /// rotate-half convention), or back with `inverse`.
    pub fn turn(&self, qkv: &mut [f32], starts: &[usize], shape: &Shape, inverse: bool) {
        turn(self, qkv, starts, shape, inverse);
    }
}

/// Keys rounded up to whole chunks.
fn padded(tokens: usize) -> usize {
    tokens.next_multiple_of(CHUNK)
}

/// Floats that the probabilities of all rows take: [H, T, padded T] a row.
pub fn probabilities_len(starts: &[usize], heads: usize) -> usize {
    starts
        .windows(2)
        .map(|row| heads * (row[1] - row[0]) * padded(row[1] - row[0]))
        .sum()
}

vectorised! {
    /// See [`Rotary::turn`].
    pub fn turn(rotary: &Rotary, qkv: &mut [f32], starts: &[usize], shape: &Shape, inverse: bool) {
        let (stride, half) = (shape.qkv_width(), rotary.half);
        let turned = (shape.heads + shape.kv_heads) * 2 * half;
        let sign = if inverse { -1.0 } else { 1.0 };
        for row in starts.windows(2) {
                for (position, token) in (row[0]..row[1]).enumerate() {
                    let cos = &rotary.cos[position * half..(position + 1) * half];
                    let sin = &rotary.sin[position * half..(position + 1) * half];
                    for head in qkv[token * stride..token * stride + turned].chunks_exact_mut(2 * half) {
                        let (a, b) = head.split_at_mut(half);
                        for i in 0..half {
                            let (x, y, sin) = (a[i], b[i], sin[i] * sign);
                            a[i] = x * cos[i] - y * sin;
                            b[i] = y * cos[i] + x * sin;
                        }
                    }
                }
            }
    }

/// `out [N, H E]` from `qkv [N, Q]`, already turned; keeps the probabilities.
pub fn forward(out: &mut [f32], probabilities: &mut [f32], qkv: &[f32], starts: &[usize], shape: &Shape) {
    match shape.head_width() {
        8 => forward_of::<8>(out, probabilities, qkv, starts, shape),
        16 => forward_of::<16>(out, probabilities, qkv, starts, shape),
        _ => forward_of::<32>(out, probabilities, qkv, starts, shape),
    }
}

/// `dqkv [N, Q]` (still turned) from `dout [N, H E]`.
pub fn gradient(
    dqkv: &mut [f32],
    dout: &[f32],
    probabilities: &[f32],
    qkv: &[f32],
    starts: &[usize],
    shape: &Shape,
) {
    match shape.head_width() {
        8 => gradient_of::<8>(dqkv, dout, probabilities, qkv, starts, shape),
        16 => gradient_of::<16>(dqkv, dout, probabilities, qkv, starts, shape),
        _ => gradient_of::<32>(dqkv, dout, probabilities, qkv, starts, shape),
    }
}
}

/// The E values at `at`.
#[inline(always)]
fn head<const E: usize>(from: &[f32], at: usize) -> &[f32; E] {
    from[at..at + E].first_chunk().expect("a slice of E values")
}

/// `scores[j] = sum_e left[e] * transposed[e][j]` for the chunks that reach key `i`.
#[inline(always)]
fn against_all<const E: usize>(
    scores: &mut [f32],
    left: &[f32; E],
    transposed: &[f32],
    i: usize,
    keys: usize,
) {
    for chunk in 0..=i / CHUNK {
        let mut sums = [0f32; CHUNK];
        for (e, &factor) in left.iter().enumerate() {
            let right = &transposed[e * keys + chunk * CHUNK..][..CHUNK];
            for lane in 0..CHUNK {
                sums[lane] += factor * right[lane];
            }
        }
        scores[chunk * CHUNK..][..CHUNK].copy_from_slice(&sums);
    }
}

#[inline(always)]
fn transpose<const E: usize>(
    into: &mut Vec<f32>,
    from: &[f32],
    first: usize,
    stride: usize,
    offset: usize,
    tokens: usize,
) {
    let keys = padded(tokens);
    into.clear();
    into.resize(E * keys, 0.0);
    for j in 0..tokens {
        let values: &[f32; E] = head(from, (first + j) * stride + offset);
        for e in 0..E {
            into[e * keys + j] = values[e];
        }
    }
}

#[inline(always)]
fn forward_of<const E: usize>(
    out: &mut [f32],
    probabilities: &mut [f32],
    qkv: &[f32],
    starts: &[usize],
    shape: &Shape,
) {
    let (stride, heads, group) = (shape.qkv_width(), shape.heads, shape.heads / shape.kv_heads);
    let scale = 1.0 / (E as f32).sqrt();
    let mut turned = Vec::new();
    let mut at = 0;
    for row in starts.windows(2) {
        let (first, tokens) = (row[0], row[1] - row[0]);
        let keys = padded(tokens);
        for h in 0..heads {
            let (key, value) = (
                (heads + h / group) * E,
                (heads + shape.kv_heads + h / group) * E,
            );
            if h % group == 0 {
                transpose::<E>(&mut turned, qkv, first, stride, key, tokens);
            }
            for i in 0..tokens {
                let query: &[f32; E] = head(qkv, (first + i) * stride + h * E);
                let row = &mut probabilities[at..at + keys];
                at += keys;
                against_all(row, query, &turned, i, keys);
                let reach = (i / CHUNK + 1) * CHUNK;
                row[i + 1..].fill(f32::MIN);
                let most = largest(&row[..reach]);
                for score in &mut row[..reach] {
                    *score = exp((*score - most) * scale);
                }
                row[i + 1..].fill(0.0);
                let inverse = 1.0 / sum(&row[..reach]);
                for probability in &mut row[..reach] {
                    *probability *= inverse;
                }
                let mut mixed = [0f32; E];
                for (j, &probability) in row[..=i].iter().enumerate() {
                    let value: &[f32; E] = head(qkv, (first + j) * stride + value);
                    for e in 0..E {
                        mixed[e] += probability * value[e];
                    }
                }
                out[(first + i) * heads * E + h * E..][..E].copy_from_slice(&mixed);
            }
        }
    }
}

#[inline(always)]
fn gradient_of<const E: usize>(
    dqkv: &mut [f32],
    dout: &[f32],
    probabilities: &[f32],
    qkv: &[f32],
    starts: &[usize],
    shape: &Shape,
) {
    let (stride, heads, group) = (shape.qkv_width(), shape.heads, shape.heads / shape.kv_heads);
    let scale = 1.0 / (E as f32).sqrt();
    let (mut turned, mut scores) = (Vec::new(), Vec::new());
    dqkv.fill(0.0);
    let mut at = 0;
    for row in starts.windows(2) {
        let (first, tokens) = (row[0], row[1] - row[0]);
        let keys = padded(tokens);
        scores.clear();
        scores.resize(keys, 0.0);
        for h in 0..heads {
            let (key, value) = (
                (heads + h / group) * E,
                (heads + shape.kv_heads + h / group) * E,
            );
            if h % group == 0 {
                transpose::<E>(&mut turned, qkv, first, stride, value, tokens);
            }
            for i in 0..tokens {
                let query: &[f32; E] = head(qkv, (first + i) * stride + h * E);
                let dmixed: &[f32; E] = head(dout, (first + i) * heads * E + h * E);
                let row = &probabilities[at..at + keys];
                at += keys;
                let reach = (i / CHUNK + 1) * CHUNK;
                against_all(&mut scores, dmixed, &turned, i, keys);
                let mean = dot(&row[..reach], &scores[..reach]);
                for j in 0..reach {
                    scores[j] = row[j] * (scores[j] - mean) * scale;
                }
                let mut dquery = [0f32; E];
                for j in 0..=i {
                    let token = (first + j) * stride;
                    let keyed: &[f32; E] = head(qkv, token + key);
                    let (score, probability) = (scores[j], row[j]);
                    let dkey = &mut dqkv[token + key..][..E];
                    for e in 0..E {
                        dquery[e] += score * keyed[e];
                        dkey[e] += score * query[e];
                    }
                    let dvalue = &mut dqkv[token + value..][..E];
                    for e in 0..E {
                        dvalue[e] += probability * dmixed[e];
                    }
                }
                dqkv[(first + i) * stride + h * E..][..E].copy_from_slice(&dquery);
            }
        }
    }
}
