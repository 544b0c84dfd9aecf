//! Attention of a few new tokens over keys and values that are kept: a dot product a key, a sum a
//! value, for the time of one token is what memory takes.

use multiversion::multiversion;

use super::super::sums::dot;
use super::{HeadTask, Heads, rotate, softmax};

/// Keys and values of one KV head over one sequence.
#[derive(Clone, Default)]
pub struct HeadCache {
    /// Turned as at their positions. [T, W]
    pub keys: Vec<f32>,
    /// [T, W]
    pub values: Vec<f32>,
}

impl HeadCache {
    /// Keeps the first `past` tokens alone.
    pub fn forget(&mut self, past: usize, width: usize) {
        self.keys.truncate(past * width);
        self.values.truncate(past * width);
    }
}

/// New tokens of one sequence, after those that the cache holds.
pub fn attend(task: &mut HeadTask, heads: Heads) {
    let HeadTask { qkv, angles, kv_head, out, cache } = task;
    let kv_head = *kv_head;
    let Some((cache, past)) = cache else { return };
    let past = *past;
    let (width, length) = (heads.width, out.len());
    let row = heads.qkv_width();
    let head = |t: usize, head: usize| &qkv[t * row + head * width..][..width];
    let group = heads.heads / heads.kv_heads;

    cache.forget(past, width);
    let mut turned = vec![0f32; width];
    for t in 0..length {
        let key = head(t, heads.heads + kv_head);
        rotate(key, angles, heads.rope_half, past + t, 1.0, &mut turned);
        cache.keys.extend_from_slice(&turned);
        let value = head(t, heads.heads + heads.kv_heads + kv_head);
        cache.values.extend_from_slice(value);
    }
    let mut scores = vec![0f32; past + length];
    let scale = 1.0 / (width as f32).sqrt();
    for (t, out) in out.iter_mut().enumerate() {
        let at = past + t;
        let own = (at + 1).saturating_sub(heads.window)..at + 1;
        let keys = &cache.keys[own.start * width..own.end * width];
        let values = &cache.values[own.start * width..own.end * width];
        let scores = &mut scores[..own.len()];
        for (in_group, out) in out.chunks_exact_mut(width).take(group).enumerate() {
            let query = head(t, kv_head * group + in_group);
            rotate(query, angles, heads.rope_half, at, scale, &mut turned);
            dots(&turned, keys, scores);
            softmax(scores);
            mix(scores, values, out);
        }
    }
}

/// `scores [T] = keys [T, W] query [W]`
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn dots(query: &[f32], keys: &[f32], scores: &mut [f32]) {
    for (score, key) in scores.iter_mut().zip(keys.chunks_exact(query.len())) {
        *score = dot(query, key);
    }
}

/// `out [W] = scores [T] values [T, W]`
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn mix(scores: &[f32], values: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    for (score, value) in scores.iter().zip(values.chunks_exact(out.len())) {
        for (out, value) in out.iter_mut().zip(value) {
            *out += score * value;
        }
    }
}
