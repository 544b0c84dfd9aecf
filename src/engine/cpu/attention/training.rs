//! Causal attention in training: forward, keeping the probabilities, and backward. Heads are narrow
//! and sequences short there; one thread each.
//!
//! Sequences lie one after the other in the token dimension; no token ever sees another sequence.
//! Queries and keys come turned ([`rotate_in_place`](super::super::rope::rotate_in_place)).

use super::Heads;
use crate::engine::cpu::exp::exp;
use crate::engine::cpu::sums::{dot, largest, sum};

/// Keys are taken in chunks of this many, so that scores vectorise over keys.
const CHUNK: usize = 16;

/// Keys rounded up to whole chunks.
fn padded(tokens: usize) -> usize {
    tokens.next_multiple_of(CHUNK)
}

/// Numbers that the probabilities of all sequences take: [H, T, padded T] a sequence. `starts` holds
/// the sequences' first tokens, and the end.
pub fn probabilities_len(starts: &[usize], heads: usize) -> usize {
    starts
        .windows(2)
        .map(|span| heads * (span[1] - span[0]) * padded(span[1] - span[0]))
        .sum()
}

/// Calls a function of a head's width E.
macro_rules! of_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            8 => $function::<8>($($argument),*),
            16 => $function::<16>($($argument),*),
            32 => $function::<32>($($argument),*),
            64 => $function::<64>($($argument),*),
            width => panic!("heads in training are 8, 16, 32 or 64 wide, not {width}"),
        }
    };
}

/// `out [N, H E]` from `qkv [N, (H + 2 KV) E]`, turned; writes the probabilities.
///
/// # Panics
/// If heads are not 8, 16, 32 or 64 wide, or slices are too short.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn forward(
    out: &mut [f32],
    probabilities: &mut [f32],
    qkv: &[f32],
    starts: &[usize],
    heads: Heads,
) {
    of_width!(
        heads.width,
        forward_of(out, probabilities, qkv, starts, heads)
    );
}

/// `dqkv [N, (H + 2 KV) E]` (still turned) from `dout [N, H E]`.
///
/// # Panics
/// As [`forward`].
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn gradient(
    dqkv: &mut [f32],
    dout: &[f32],
    probabilities: &[f32],
    qkv: &[f32],
    starts: &[usize],
    heads: Heads,
) {
    of_width!(
        heads.width,
        gradient_of(dqkv, dout, probabilities, qkv, starts, heads)
    );
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
    heads: Heads,
) {
    let (stride, group) = (heads.qkv_width(), heads.heads / heads.kv_heads);
    let scale = 1.0 / (E as f32).sqrt();
    let mut turned = Vec::new();
    let mut at = 0;
    for row in starts.windows(2) {
        let (first, tokens) = (row[0], row[1] - row[0]);
        let keys = padded(tokens);
        for h in 0..heads.heads {
            let (key, value) = (
                (heads.heads + h / group) * E,
                (heads.heads + heads.kv_heads + h / group) * E,
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
                row[i + 1..].fill(f32::NEG_INFINITY);
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
                out[(first + i) * heads.heads * E + h * E..][..E].copy_from_slice(&mixed);
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
    heads: Heads,
) {
    let (stride, group) = (heads.qkv_width(), heads.heads / heads.kv_heads);
    let scale = 1.0 / (E as f32).sqrt();
    let (mut turned, mut scores) = (Vec::new(), Vec::new());
    dqkv.fill(0.0);
    let mut at = 0;
    for row in starts.windows(2) {
        let (first, tokens) = (row[0], row[1] - row[0]);
        let keys = padded(tokens);
        scores.clear();
        scores.resize(keys, 0.0);
        for h in 0..heads.heads {
            let (key, value) = (
                (heads.heads + h / group) * E,
                (heads.heads + heads.kv_heads + h / group) * E,
            );
            if h % group == 0 {
                transpose::<E>(&mut turned, qkv, first, stride, value, tokens);
            }
            for i in 0..tokens {
                let query: &[f32; E] = head(qkv, (first + i) * stride + h * E);
                let dmixed: &[f32; E] = head(dout, (first + i) * heads.heads * E + h * E);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::testing::{close, random};
    use crate::engine::rope::Angles;

    #[test]
    fn forward_equals_the_twin_and_backward_is_its_slope() {
        for (width, kv_heads) in [(8, 2), (16, 1), (32, 4)] {
            let heads = Heads {
                heads: 4,
                kv_heads,
                width,
                window: usize::MAX,
                rope_half: 0,
            };
            let starts = [0, 3, 4, 23];
            let (row, n) = (heads.qkv_width(), 23);
            let (qkv, dout) = (random(n * row, 1.0, 1), random(n * 4 * width, 1.0, 2));
            let twin = |qkv: &[f32]| -> Vec<f64> {
                let spans = starts
                    .windows(2)
                    .map(|span| &qkv[span[0] * row..span[1] * row]);
                spans
                    .flat_map(|qkv| super::super::tests::plain(qkv, heads, &Angles::default()))
                    .collect()
            };
            let mut probabilities = vec![f32::NAN; probabilities_len(&starts, 4)];
            let mut out = vec![f32::NAN; n * 4 * width];
            forward(&mut out, &mut probabilities, &qkv, &starts, heads);
            close(&out, &twin(&qkv), 3e-6);

            let mut dqkv = vec![f32::NAN; n * row];
            gradient(&mut dqkv, &dout, &probabilities, &qkv, &starts, heads);
            let loss = |qkv: &[f32]| -> f64 {
                let out = twin(qkv);
                out.iter()
                    .zip(&dout)
                    .map(|(y, &dy)| y * f64::from(dy))
                    .sum()
            };
            for i in (0..n * row).step_by(37) {
                let at = |by: f32| {
                    let mut qkv = qkv.clone();
                    qkv[i] += by;
                    (loss(&qkv), f64::from(qkv[i]))
                };
                let (above, below) = (at(1e-3), at(-1e-3));
                let slope = (above.0 - below.0) / (above.1 - below.1);
                close(&dqkv[i..=i], &[slope], 1e-4);
            }
        }
    }
}
