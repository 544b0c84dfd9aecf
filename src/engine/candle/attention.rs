//! Causal attention over packed sequences: rotary positions, grouped KV heads, sliding window.
//!
//! Scores and mixtures are small products with panels of keys and of values, a few queries at a
//! time; panels that lie past all of them are left out.
//!
//! [`super::tensors::attention`] says the same in plain tensor operations.

use rayon::prelude::*;

use super::exp::exp;
use crate::engine::product::Panels;
use crate::engine::rope::Angles;
use crate::engine::schedule::pack::Pack;
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
    /// For each token, the places of the query heads that share the KV head: T of [group W].
    out: Vec<&'a mut [f32]>,
}

/// `qkv` [copies N, (heads + 2 kv_heads) W] queries, keys and values to `out` [copies N, heads W],
/// where the rows are `copies` packs one after the other.
pub fn attention(qkv: &[f32], heads: Heads, pack: &Pack, out: &mut [f32]) {
    let row_in = (heads.heads + 2 * heads.kv_heads) * heads.width;
    let copies = qkv.len() / (row_in * pack.rows).max(1);
    let group = heads.heads / heads.kv_heads;
    let mut tasks = Vec::with_capacity(copies * pack.spans.len() * heads.kv_heads);
    // Token by token, and in each KV head by KV head.
    let mut places = out.chunks_exact_mut(group * heads.width);
    for copy in 0..copies {
        for (sequence, &(start, length)) in pack.spans.iter().enumerate() {
            let first = (copy * pack.rows + start) * row_in;
            let mut outs: Vec<_> = (0..heads.kv_heads)
                .map(|_| Vec::with_capacity(length))
                .collect();
            for _ in 0..length {
                for (out, place) in outs.iter_mut().zip(&mut places) {
                    out.push(place);
                }
            }
            for (kv_head, out) in outs.into_iter().enumerate() {
                tasks.push(Task {
                    qkv: &qkv[first..first + length * row_in],
                    angles: pack.angles(sequence),
                    kv_head,
                    out,
                });
            }
        }
    }
    tasks.into_par_iter().for_each(|task| attend(task, heads));
}

/// Queries that go through together: as many scores as stay in the first-level cache.
const QUERIES: usize = 24;

/// One KV head and the query heads that share it, over one sequence.
fn attend(task: Task, heads: Heads) {
    let Task {
        qkv,
        angles,
        kv_head,
        mut out,
    } = task;
    let (width, length) = (heads.width, out.len());
    let row = (heads.heads + 2 * heads.kv_heads) * width;
    let head = |t: usize, head: usize| &qkv[t * row + head * width..][..width];
    let group = heads.heads / heads.kv_heads;

    let mut turned = vec![0f32; length * width]; // [T, W]
    let turn = |from: usize, scale: f32, turned: &mut [f32]| {
        for (t, turned) in turned.chunks_exact_mut(width).enumerate() {
            rotate(head(t, from), angles, t, scale, turned);
        }
    };
    turn(heads.heads + kv_head, 1.0, &mut turned);
    let keys = Panels::from_rows(&turned, width); // [T, W]
    let values = (0..length).map(|t| head(t, heads.heads + heads.kv_heads + kv_head));
    let values = Panels::from_columns(width, length, values); // [W, T]

    let mut scores = vec![0f32; QUERIES.min(length) * keys.padded()];
    let mut mixed = vec![0f32; QUERIES.min(length) * values.padded()];
    for in_group in 0..group {
        turn(
            kv_head * group + in_group,
            1.0 / (width as f32).sqrt(),
            &mut turned,
        );
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
            for (out, mixed) in out[first..last]
                .iter_mut()
                .zip(mixed.chunks_exact(values.padded()))
            {
                out[in_group * width..][..width].copy_from_slice(&mixed[..width]);
            }
        }
    }
}

/// Sixteen maxima and sums side by side: one after the other, each would wait for the last.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn softmax(scores: &mut [f32]) {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let mut max = [f32::NEG_INFINITY; 16];
    for scores in scores.chunks(16) {
        for (max, &score) in max.iter_mut().zip(scores) {
            *max = larger(*max, score);
        }
    }
    let max = max.into_iter().fold(f32::NEG_INFINITY, larger);
    for score in scores.iter_mut() {
        *score = exp(*score - max);
    }
    let mut sums = [0f32; 16];
    for scores in scores.chunks(16) {
        for (sum, score) in sums.iter_mut().zip(scores) {
            *sum += score;
        }
    }
    let scale = 1.0 / sums.iter().sum::<f32>();
    for score in scores.iter_mut() {
        *score *= scale;
    }
}

/// Hugging Face's convention: dimension i turns with i + W/2. Every number times `scale`.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn rotate(x: &[f32], angles: &Angles, t: usize, scale: f32, out: &mut [f32]) {
    let half = x.len() / 2;
    let (cos, sin) = (
        &angles.cos[t * half..][..half],
        &angles.sin[t * half..][..half],
    );
    let ((x, y), (out_x, out_y)) = (x.split_at(half), out.split_at_mut(half));
    for i in 0..half {
        out_x[i] = (x[i] * cos[i] - y[i] * sin[i]) * scale;
        out_y[i] = (y[i] * cos[i] + x[i] * sin[i]) * scale;
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
