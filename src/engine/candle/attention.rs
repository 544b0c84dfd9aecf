//! Causal attention over packed sequences: rotary positions, grouped KV heads, sliding window.
//!
//! [`super::tensors::attention`] says the same in plain tensor operations.

use rayon::prelude::*;

use super::exp::exp;
use crate::engine::pack::Pack;
use crate::engine::rope::Angles;
use crate::model::ModelConfig;

/// What attention needs to know of a model.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    pub heads: usize,
    pub kv_heads: usize,
    /// W
    pub width: usize,
    /// A token sees itself and the `window - 1` before it.
    pub window: usize,
}

impl Heads {
    pub fn new(config: &ModelConfig) -> Self {
        Self {
            heads: config.heads,
            kv_heads: config.kv_heads,
            width: config.head_width,
            window: config.sliding_window.unwrap_or(usize::MAX),
        }
    }
}

/// One KV head of one sequence: the unit of parallel work.
struct Task<'a> {
    /// [T, (heads + 2 kv_heads) W]
    qkv: &'a [f32],
    angles: &'a Angles,
    kv_head: usize,
    /// [heads / kv_heads, T, W]
    out: &'a mut [f32],
}

/// `qkv` [copies N, (heads + 2 kv_heads) W] queries, keys and values to `out` [copies N, heads W],
/// where the rows are `copies` packs one after the other.
pub fn attention(qkv: &[f32], heads: Heads, pack: &Pack, out: &mut [f32]) {
    let width = heads.width;
    let (row_in, row_out) = (
        (heads.heads + 2 * heads.kv_heads) * width,
        heads.heads * width,
    );
    let rows = qkv.len() / row_in;
    let copies = rows / pack.rows.max(1);
    let group = heads.heads / heads.kv_heads;

    // Head-major, so that every task owns a contiguous piece: [copy, sequence][heads, T, W].
    let mut by_head = vec![0f32; rows * row_out];
    let mut tasks = Vec::with_capacity(copies * pack.spans.len() * heads.kv_heads);
    let mut rest = by_head.as_mut_slice();
    for copy in 0..copies {
        for (sequence, &(start, length)) in pack.spans.iter().enumerate() {
            let first = (copy * pack.rows + start) * row_in;
            for kv_head in 0..heads.kv_heads {
                let (out, after) = std::mem::take(&mut rest).split_at_mut(group * length * width);
                rest = after;
                tasks.push(Task {
                    qkv: &qkv[first..first + length * row_in],
                    angles: pack.angles(sequence),
                    kv_head,
                    out,
                });
            }
        }
    }
    tasks
        .into_par_iter()
        .for_each(|task| attend(task.qkv, task.angles, task.kv_head, heads, task.out));

    // Back to one row a token.
    for copy in 0..copies {
        for &(start, length) in &pack.spans {
            let first = (copy * pack.rows + start) * row_out;
            let piece = first..first + length * row_out;
            let (from, to) = (&by_head[piece.clone()], &mut out[piece]);
            for (head, from) in from.chunks_exact(length * width).enumerate() {
                for (t, row) in from.chunks_exact(width).enumerate() {
                    to[t * row_out + head * width..][..width].copy_from_slice(row);
                }
            }
        }
    }
}

/// One KV head and the query heads that share it, over one sequence.
///
/// Keys are kept transposed [W, T], so that scores of one query against all keys are W vector
/// updates of length T: heads of 8 or 16 are too short to vectorise along.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn attend(qkv: &[f32], angles: &Angles, kv_head: usize, heads: Heads, out: &mut [f32]) {
    let Heads {
        heads,
        kv_heads,
        width,
        window,
    } = heads;
    let row = (heads + 2 * kv_heads) * width;
    let (length, half, group) = (qkv.len() / row, width / 2, heads / kv_heads);
    let scale = 1.0 / (width as f32).sqrt();

    let mut keys = vec![0f32; width * length]; // [W, T]
    let mut query = vec![0f32; width];
    for t in 0..length {
        rotate(
            &qkv[t * row + (heads + kv_head) * width..][..width],
            angles,
            t,
            &mut query,
        );
        for (w, &k) in query.iter().enumerate() {
            keys[w * length + t] = k;
        }
    }
    let mut scores = vec![0f32; length];
    for (in_group, out) in out.chunks_exact_mut(length * width).enumerate() {
        let head = kv_head * group + in_group;
        for (t, out) in out.chunks_exact_mut(width).enumerate() {
            rotate(
                &qkv[t * row + head * width..][..width],
                angles,
                t,
                &mut query,
            );
            let seen = (t + 1).saturating_sub(window)..t + 1;
            let scores = &mut scores[seen.clone()];
            scores.fill(0.0);
            for (w, &q) in query.iter().enumerate() {
                let q = q * scale;
                for (score, k) in scores.iter_mut().zip(&keys[w * length..][seen.clone()]) {
                    *score += q * k;
                }
            }
            let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let mut sum = 0.0;
            for score in scores.iter_mut() {
                *score = exp(*score - max);
                sum += *score;
            }
            let values = &qkv[(heads + kv_heads + kv_head) * width..];
            for (t, p) in seen.zip(scores.iter()) {
                for (o, v) in out.iter_mut().zip(&values[t * row..][..width]) {
                    *o += p * v;
                }
            }
            for o in out.iter_mut() {
                *o /= sum;
            }
        }
    }
    debug_assert_eq!(half * 2, width);
}

/// Hugging Face's convention: dimension i turns with i + W/2.
#[inline(always)]
fn rotate(x: &[f32], angles: &Angles, t: usize, out: &mut [f32]) {
    let half = x.len() / 2;
    let (cos, sin) = (
        &angles.cos[t * half..][..half],
        &angles.sin[t * half..][..half],
    );
    for i in 0..half {
        out[i] = x[i] * cos[i] - x[i + half] * sin[i];
        out[i + half] = x[i + half] * cos[i] + x[i] * sin[i];
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::super::tensors;
    use super::*;
    use crate::engine::rope::Rope;
    use crate::model::ModelConfig;

    fn config(window: &str) -> ModelConfig {
        ModelConfig::from_json(&format!(
            r#"{{"model_type":"mistral","vocab_size":8,"hidden_size":48,"intermediate_size":8,
            "num_hidden_layers":1,"num_attention_heads":6,"num_key_value_heads":2,
            "max_position_embeddings":64,"rms_norm_eps":1e-5,"sliding_window":{window}}}"#
        ))
        .expect("a config")
    }

    #[test]
    fn the_kernel_equals_its_reference() {
        for window in ["null", "1", "5"] {
            let config = config(window);
            let heads = Heads::new(&config);
            let sequences = [1, 13, 7, 30].map(|length| vec![0; length]);
            let pack = Pack::new(&sequences, &Rope::new(&config));
            let rows = 2 * pack.rows; // two packs one after the other
            let qkv = Tensor::randn(0f32, 1.5, (rows, (6 + 2 * 2) * 8), &Device::Cpu).expect("qkv");
            let plain = tensors::attention(&qkv, heads, &pack).expect("the reference");
            let numbers = |x: &Tensor| x.flatten_all().and_then(|x| x.to_vec1::<f32>());
            let qkv = numbers(&qkv).expect("qkv");
            let mut fused = vec![f32::NAN; rows * 6 * 8];
            attention(&qkv, heads, &pack, &mut fused);
            let plain = numbers(&plain).expect("the reference");
            assert_eq!(fused.len(), plain.len());
            for (fused, plain) in fused.iter().zip(plain) {
                assert!(
                    (fused - plain).abs() < 1e-5,
                    "window {window}: {fused}, {plain}"
                );
            }
        }
    }
}
