//! A block in plain tensor operations: what [`super::rows`] is compared with, and what runs where
//! rows are not in this processor's memory (CUDA).

use candle_core::{D, DType, Device, Result, Tensor};

use super::attention::Heads;
use super::block::Added;
use crate::engine::schedule::pack::Pack;
use crate::model::{BlockWeights, ModelConfig};
use crate::plan::Half;

pub struct Block {
    heads: Heads,
    eps: f32,
    attention_norm: Tensor, // [D]
    qkv: Tensor,            // [D, (H + 2 KV) W], a transposed view
    o: Tensor,              // [H W, D]
    mlp_norm: Tensor,       // [D]
    gate_up: Tensor,        // [D, 2 F]
    down: Tensor,           // [F, D]
}

impl Block {
    pub fn new(config: &ModelConfig, weights: BlockWeights, device: &Device) -> Result<Self> {
        let (d, f) = (config.width, config.mlp_width);
        let q = config.heads * config.head_width;
        let qkv = q + 2 * config.kv_heads * config.head_width;
        let linear = |weight: Vec<f32>, out: usize, r#in: usize| {
            Tensor::from_vec(weight, (out, r#in), device)?.t()
        };
        Ok(Self {
            heads: Heads::new(config),
            eps: config.rms_norm_eps as f32,
            attention_norm: Tensor::from_vec(weights.attention_norm, d, device)?,
            qkv: linear(weights.qkv, qkv, d)?,
            o: linear(weights.o, d, q)?,
            mlp_norm: Tensor::from_vec(weights.mlp_norm, d, device)?,
            gate_up: linear(weights.gate_up, 2 * f, d)?,
            down: linear(weights.down, d, f)?,
        })
    }

    /// Runs on [copies N, D], `copies` packs one after the other.
    pub fn run(&self, h: &Tensor, half: Half, pack: &Pack) -> Result<Added> {
        let mut stream = h.clone();
        let attention = if half == Half::Mlp {
            None
        } else {
            let a = self.attention(&stream, pack)?;
            stream = (stream + &a)?;
            Some(a)
        };
        let mlp = if half == Half::Attention {
            None
        } else {
            let m = self.mlp(&stream)?;
            stream = (stream + &m)?;
            Some(m)
        };
        Ok(Added {
            attention,
            mlp,
            stream,
        })
    }

    fn attention(&self, h: &Tensor, pack: &Pack) -> Result<Tensor> {
        let x = candle_nn::ops::rms_norm(h, &self.attention_norm, self.eps)?; // [N, D]
        let qkv = x.matmul(&self.qkv)?; // [N, (H + 2 KV) W]
        attention(&qkv, self.heads, pack)?.matmul(&self.o) // [N, D]
    }

    fn mlp(&self, h: &Tensor) -> Result<Tensor> {
        let x = candle_nn::ops::rms_norm(h, &self.mlp_norm, self.eps)?; // [N, D]
        silu_gate(&x.matmul(&self.gate_up)?)?.matmul(&self.down) // [N, D]
    }
}

/// [N, 2 F] (gate columns, then up) to [N, F].
pub fn silu_gate(gate_up: &Tensor) -> Result<Tensor> {
    let (_, width) = gate_up.dims2()?;
    let gate = gate_up.narrow(1, 0, width / 2)?.contiguous()?.silu()?;
    gate * gate_up.narrow(1, width / 2, width / 2)?.contiguous()?
}

/// [copies N, (heads + 2 kv_heads) W] to [copies N, heads W], one sequence at a time.
pub fn attention(qkv: &Tensor, heads: Heads, pack: &Pack) -> Result<Tensor> {
    let Heads {
        heads,
        kv_heads,
        width,
        window,
    } = heads;
    let (rows, _) = qkv.dims2()?;
    let device = qkv.device();
    let mut outs = Vec::new();
    for copy in 0..rows / pack.rows {
        for (sequence, &(start, t)) in pack.spans.iter().enumerate() {
            let qkv = qkv.narrow(0, copy * pack.rows + start, t)?;
            let part = |first: usize, count: usize| {
                qkv.narrow(1, first * width, count * width)?
                    .reshape((t, count, width))?
                    .transpose(0, 1)?
                    .contiguous()
            };
            let angles = pack.angles(sequence);
            let table = |x: &[f32]| Tensor::from_slice(&x[..t * width / 2], (t, width / 2), device);
            let (cos, sin) = (table(&angles.cos)?, table(&angles.sin)?);
            let rope =
                |x: Tensor| candle_nn::rotary_emb::rope(&x.unsqueeze(0)?, &cos, &sin)?.squeeze(0);
            let q = rope(part(0, heads)?)?; // [H, T, W]
            let repeat = |x: Tensor| {
                let x = x
                    .unsqueeze(1)?
                    .broadcast_as((kv_heads, heads / kv_heads, t, width))?;
                x.contiguous()?.reshape((heads, t, width))
            };
            let k = repeat(rope(part(heads, kv_heads)?)?)?; // [H, T, W]
            let v = repeat(part(heads + kv_heads, kv_heads)?)?; // [H, T, W]
            let mask: Vec<f32> = (0..t * t)
                .map(|i| (i / t, i % t))
                .map(|(q, k)| {
                    if k <= q && q - k < window {
                        0.0
                    } else {
                        f32::NEG_INFINITY
                    }
                })
                .collect();
            let mask = Tensor::from_vec(mask, (1, t, t), device)?;
            let scores = (q.matmul(&k.t()?)? / (width as f64).sqrt())?.broadcast_add(&mask)?; // [H, T, T]
            let y = candle_nn::ops::softmax(&scores, D::Minus1)?.matmul(&v)?; // [H, T, W]
            outs.push(y.transpose(0, 1)?.reshape((t, heads * width))?);
        }
    }
    Tensor::cat(&outs, 0)?.to_dtype(DType::F32)
}
