//! Derivatives of attention at one position that looks, by what is kept of the forward pass there: how
//! its mixture of values moves with a key, a value and its own queries, and back.
//!
//! A head's mixture is o = sum_s p_s v_s with p = softmax(q . k_s / sqrt W), so that
//! `do = sum_s p_s (dv_s + de_s (v_s - o))` where `de_s` is the score's own change.

use multiversion::multiversion;

use super::Heads;
use super::softmax;
use crate::sums::{dot, product};

/// Keys and values of a sequence, and what looked at them.
#[derive(Clone, Copy)]
pub struct TurnedRows<'a> {
    pub heads: Heads,
    /// `[T, (H + 2 KV) W]`: queries and keys turned.
    pub qkv: &'a [f32],
}

/// Attention weights and mixtures of the forward pass at one output position.
pub struct TokenLook {
    /// The position.
    t: usize,
    /// The first key that it sees.
    first: usize,
    /// `[H, S]`
    weights: Vec<f32>,
    /// `[H, W]`
    pub mixed: Vec<f32>,
}

impl TokenLook {
    /// `[H, tokens]`: the weights of all tokens of a sequence, 0 where it does not see.
    pub fn weights(&self, tokens: usize) -> Vec<f32> {
        let keys = self.t + 1 - self.first;
        let mut weights = vec![0.0; self.weights.len() / keys * tokens];
        let rows = weights.chunks_exact_mut(tokens).zip(self.weights.chunks_exact(keys));
        rows.for_each(|(row, seen)| row[self.first..=self.t].copy_from_slice(seen));
        weights
    }

    /// Zeros the weights and the mixture of a head that is off: its slopes are then 0 too.
    pub fn switch_off(&mut self, head: usize) {
        let keys = self.t + 1 - self.first;
        let width = self.mixed.len() / (self.weights.len() / keys);
        self.weights[head * keys..][..keys].fill(0.0);
        self.mixed[head * width..][..width].fill(0.0);
    }
}

impl<'a> TurnedRows<'a> {
    fn head(&self, t: usize, head: usize) -> &'a [f32] {
        &self.qkv[t * self.heads.qkv_width() + head * self.heads.width..][..self.heads.width]
    }

    /// The key and the value that query head `head` reads at `t`.
    fn seen(&self, t: usize, head: usize) -> (&'a [f32], &'a [f32]) {
        let Heads { heads, kv_heads, .. } = self.heads;
        let kv_head = heads + head / (heads / kv_heads);
        (self.head(t, kv_head), self.head(t, kv_head + kv_heads))
    }

    /// Softmax and mixtures at `t`.
    pub fn look(&self, t: usize) -> TokenLook {
        let Heads { heads, width, window, .. } = self.heads;
        let first = (t + 1).saturating_sub(window);
        let mut look = TokenLook {
            t,
            first,
            weights: vec![0.0; heads * (t + 1 - first)],
            mixed: vec![0.0; heads * width],
        };
        let weights = look.weights.chunks_exact_mut(t + 1 - first);
        let mixed = look.mixed.chunks_exact_mut(width);
        for (head, (weights, mixed)) in weights.zip(mixed).enumerate() {
            let (query, keys) = (self.head(t, head), first..=t);
            scores(query, keys.map(|s| self.seen(s, head).0), weights);
            let scale = 1.0 / (width as f32).sqrt();
            weights.iter_mut().for_each(|score| *score *= scale);
            softmax(weights);
            for (&weight, s) in weights.iter().zip(first..) {
                add(weight, self.seen(s, head).1, mixed);
            }
        }
        look
    }

    /// `out [H, W]`: how the mixtures of `look` move with the key and the value at `t_in` and, where that
    /// is the position that looks, with its queries, all of them in `dqkv [(H + 2 KV) W]`, turned.
    pub fn push(&self, look: &TokenLook, t_in: usize, dqkv: &[f32], out: &mut [f32]) {
        let Heads { heads, kv_heads, width, .. } = self.heads;
        let (scale, keys) = (1.0 / (width as f32).sqrt(), look.t + 1 - look.first);
        let mut weighed = vec![0.0; keys];
        for (head, out) in out.chunks_exact_mut(width).enumerate() {
            let of = |head: usize| &dqkv[head * width..][..width];
            let kv_head = heads + head / (heads / kv_heads);
            let weights = &look.weights[head * keys..][..keys];
            let mixed = &look.mixed[head * width..][..width];
            let (weight, value) = (weights[t_in - look.first], self.seen(t_in, head).1);
            let moved = scale * product(self.head(look.t, head), of(kv_head));
            out.copy_from_slice(of(kv_head + kv_heads));
            for ((out, v), o) in out.iter_mut().zip(value).zip(mixed) {
                *out = weight * (*out + moved * (v - o));
            }
            if t_in == look.t {
                let keys = (look.first..=look.t).map(|s| self.seen(s, head).0);
                scores(of(head), keys, &mut weighed);
                for (weighed, weight) in weighed.iter_mut().zip(weights) {
                    *weighed *= weight * scale;
                }
                // sum_s p_s e_s (v_s - o)
                let all: f32 = weighed.iter().sum();
                for (&weighed, s) in weighed.iter().zip(look.first..) {
                    add(weighed, self.seen(s, head).1, out);
                }
                add(-all, mixed, out);
            }
        }
    }

    /// The transposed: from `w [H, W]` of the mixtures to `back [(H + 2 KV) W]`, which is zeros before, of
    /// the key and the value at `t_in`, and of the queries where that is the position that looks.
    pub fn pull(&self, look: &TokenLook, t_in: usize, w: &[f32], back: &mut [f32]) {
        let Heads { heads, kv_heads, width, .. } = self.heads;
        let (scale, keys) = (1.0 / (width as f32).sqrt(), look.t + 1 - look.first);
        let mut weighed = vec![0.0; keys];
        for (head, w) in w.chunks_exact(width).enumerate() {
            let kv_head = heads + head / (heads / kv_heads);
            let weights = &look.weights[head * keys..][..keys];
            let along = product(w, &look.mixed[head * width..][..width]);
            let (weight, value) = (weights[t_in - look.first], self.seen(t_in, head).1);
            let moved = weight * scale * (product(w, value) - along);
            add(moved, self.head(look.t, head), &mut back[kv_head * width..][..width]);
            add(weight, w, &mut back[(kv_head + kv_heads) * width..][..width]);
            if t_in == look.t {
                let values = (look.first..=look.t).map(|s| self.seen(s, head).1);
                scores(w, values, &mut weighed);
                let back = &mut back[head * width..][..width];
                for ((weighed, weight), s) in weighed.iter().zip(weights).zip(look.first..) {
                    let moved = weight * scale * (weighed - along);
                    add(moved, self.seen(s, head).0, back);
                }
            }
        }
    }
}

/// `out[s] = x . rows[s]`
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn scores<'a>(x: &[f32], rows: impl Iterator<Item = &'a [f32]>, out: &mut [f32]) {
    for (out, row) in out.iter_mut().zip(rows) {
        *out = dot(x, row);
    }
}

/// `to += factor x`
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn add(factor: f32, x: &[f32], to: &mut [f32]) {
    for (to, x) in to.iter_mut().zip(x) {
        *to += factor * x;
    }
}
