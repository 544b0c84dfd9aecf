//! Causal attention over packed sequences, one sequence at a time: q/k norms, rotary positions,
//! grouped KV heads, a sliding window.

use candle_core::{D, Device, Result, Tensor};

use super::norm;
use super::rope::RopeTables;
use crate::engine::schedule::pack::Pack;
use crate::model::shape::{AttentionShape, QkNorm};

/// Scores computed at once, all heads and copies together: bounds the `[C, H, Q, T]` tensor.
const SCORES: usize = 1 << 26;

/// A block's attention shape, with the gains of its query and key norms.
pub struct Attention<'a> {
    pub shape: &'a AttentionShape,
    /// Gains of the norms of queries and keys, where the shape has them: `[W]`, or `[H W]` and
    /// `[KV W]`.
    pub query_norm: Option<&'a Tensor>,
    pub key_norm: Option<&'a Tensor>,
    pub eps: f64,
}

impl Attention<'_> {
    /// `qkv` `[C N, (H + 2 KV) W]`, C packs one after the other, to `[C N, H W]`.
    pub fn run(&self, qkv: &Tensor, pack: &Pack, tables: &RopeTables) -> Result<Tensor> {
        let (rows, width) = qkv.dims2()?;
        let copies = rows / pack.rows;
        let qkv = qkv.reshape((copies, pack.rows, width))?; // [C, N, (H + 2 KV) W]
        let mut sequences = Vec::with_capacity(pack.spans.len());
        for (sequence, &(start, length)) in pack.spans.iter().enumerate() {
            let qkv = qkv.narrow(1, start, length)?; // [C, T, (H + 2 KV) W]
            sequences.push(self.attend(&qkv, sequence, tables)?); // [C, T, H W]
        }
        Tensor::cat(&sequences, 1)?.reshape((rows, self.shape.attended_width()))
    }

    /// One sequence, in every copy: `[C, T, (H + 2 KV) W]` to `[C, T, H W]`.
    fn attend(&self, qkv: &Tensor, sequence: usize, tables: &RopeTables) -> Result<Tensor> {
        let shape = self.shape;
        let (copies, length, _) = qkv.dims3()?;
        let query_width = shape.attended_width();
        let [queries, keys, values] = self.split(qkv, sequence, tables)?; // [C, H, T, W]
        let at_once = (SCORES / (copies * shape.heads * length)).max(1);
        let mut attended = Vec::new();
        for first in (0..length).step_by(at_once) {
            let last = (first + at_once).min(length);
            let queries = queries.narrow(2, first, last - first)?.contiguous()?; // [C, H, Q, W]
            let scores = queries.matmul(&keys.t()?)?; // [C, H, Q, T]
            let scores = (scores / (shape.head_width as f64).sqrt())?; // [C, H, Q, T]
            let mask = self.mask(first..last, length, qkv.device())?; // [Q, T]
            let weights = softmax(&scores.broadcast_add(&mask)?)?; // [C, H, Q, T]
            attended.push(weights.matmul(&values)?); // [C, H, Q, W]
        }
        Tensor::cat(&attended, 2)? // [C, H, T, W]
            .transpose(1, 2)? // [C, T, H, W]
            .reshape((copies, length, query_width))
    }

    /// Queries, keys and values of one sequence, turned, once for every query head:
    /// `[C, T, (H + 2 KV) W]` to `[C, H, T, W]` each.
    fn split(&self, qkv: &Tensor, sequence: usize, tables: &RopeTables) -> Result<[Tensor; 3]> {
        let shape = self.shape;
        let (query_width, kv_width) = (shape.attended_width(), shape.kv_heads * shape.head_width);
        let queries = qkv.narrow(2, 0, query_width)?; // [C, T, H W]
        let keys = qkv.narrow(2, query_width, kv_width)?; // [C, T, KV W]
        let values = qkv.narrow(2, query_width + kv_width, kv_width)?; // [C, T, KV W]

        let queries = self.heads(&queries, shape.heads, self.query_norm)?; // [C, H, T, W]
        let keys = self.heads(&keys, shape.kv_heads, self.key_norm)?; // [C, KV, T, W]
        let values = self.heads(&values, shape.kv_heads, None)?; // [C, KV, T, W]
        let queries = tables.turn(sequence, &queries)?; // [C, H, T, W]
        let keys = self.repeat(&tables.turn(sequence, &keys)?)?; // [C, H, T, W]
        let values = self.repeat(&values)?; // [C, H, T, W]
        Ok([queries, keys, values])
    }

    /// One sequence's `qkv` `[T, (H + 2 KV) W]` to its weights `[H, T, T]`, and the values that they
    /// weigh `[H, T, W]`.
    pub fn weights(
        &self,
        qkv: &Tensor,
        sequence: usize,
        tables: &RopeTables,
    ) -> Result<[Tensor; 2]> {
        let length = qkv.dim(0)?;
        let [queries, keys, values] = self.split(&qkv.unsqueeze(0)?, sequence, tables)?; // [1, H, T, W]
        let scores = queries.contiguous()?.matmul(&keys.t()?)?; // [1, H, T, T]
        let scores = (scores / (self.shape.head_width as f64).sqrt())?; // [1, H, T, T]
        let mask = self.mask(0..length, length, qkv.device())?; // [T, T]
        let weights = softmax(&scores.broadcast_add(&mask)?)?; // [1, H, T, T]
        Ok([weights.squeeze(0)?, values.squeeze(0)?])
    }

    /// `[C, T, n W]`, normed where there is a gain, to n heads `[C, n, T, W]`.
    fn heads(&self, x: &Tensor, count: usize, gain: Option<&Tensor>) -> Result<Tensor> {
        let (copies, length, _) = x.dims3()?;
        let x = match (gain, self.shape.qk_norm) {
            (Some(gain), QkNorm::Full) => norm::rms(x, gain, self.eps)?, // [C, T, n W]
            _ => x.clone(),
        };
        let x = x.reshape((copies, length, count, self.shape.head_width))?; // [C, T, n, W]
        let x = match (gain, self.shape.qk_norm) {
            (Some(gain), QkNorm::Head) => norm::rms(&x, gain, self.eps)?, // [C, T, n, W]
            _ => x,
        };
        x.transpose(1, 2)?.contiguous() // [C, n, T, W]
    }

    /// KV heads once for every query head that shares them: `[C, KV, T, W]` to `[C, H, T, W]`.
    fn repeat(&self, x: &Tensor) -> Result<Tensor> {
        let (copies, kv_heads, length, width) = x.dims4()?;
        let sharing = self.shape.heads / kv_heads;
        x.unsqueeze(2)? // [C, KV, 1, T, W]
            .broadcast_as((copies, kv_heads, sharing, length, width))?
            .contiguous()?
            .reshape((copies, self.shape.heads, length, width))
    }

    /// 0 where a query sees a key, minus infinity where it does not: `[Q, T]`.
    fn mask(
        &self,
        queries: std::ops::Range<usize>,
        length: usize,
        device: &Device,
    ) -> Result<Tensor> {
        let (first, last) = (queries.start as u32, queries.end as u32);
        let query = Tensor::arange(first, last, device)?.unsqueeze(1)?; // [Q, 1]
        let key = Tensor::arange(0, length as u32, device)?.unsqueeze(0)?; // [1, T]
        let hidden = Tensor::full(f32::NEG_INFINITY, (queries.len(), length), device)?; // [Q, T]
        let seen = hidden.zeros_like()?; // [Q, T]
        let is_before = key.broadcast_le(&query)?; // [Q, T]
        let mask = is_before.where_cond(&seen, &hidden)?; // [Q, T]
        match self.shape.window {
            Some(window) if window < length => {
                let reach = key.broadcast_add(&Tensor::new(window as u32, device)?)?; // [1, T]
                let is_near = reach.broadcast_gt(&query)?; // [Q, T]
                is_near.where_cond(&mask, &hidden)
            }
            _ => Ok(mask),
        }
    }
}

/// Over the last dimension.
fn softmax(x: &Tensor) -> Result<Tensor> {
    let largest = x.max_keepdim(D::Minus1)?; // [.., 1]
    let exp = x.broadcast_sub(&largest)?.exp()?; // [.., T]
    exp.broadcast_div(&exp.sum_keepdim(D::Minus1)?)
}
