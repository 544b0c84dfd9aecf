//! One decoder block: `a = attn(norm(h))`, `m = mlp(norm(h + a))` (MATH section 1).

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};

use super::attention::{Heads, attention};
use super::gate::silu_gate;
use crate::engine::pack::Pack;
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

/// What a block added to the stream, and the stream after it.
pub struct Added {
    pub attention: Option<Tensor>, // [N, D]
    pub mlp: Option<Tensor>,       // [N, D]
    pub stream: Tensor,            // [N, D]
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
    pub fn run(&self, h: &Tensor, half: Half, pack: &Arc<Pack>) -> Result<Added> {
        match half {
            Half::Attention => {
                let a = self.attention(h, pack)?;
                let stream = (h + &a)?;
                Ok(Added {
                    attention: Some(a),
                    mlp: None,
                    stream,
                })
            }
            Half::Mlp => {
                let m = self.mlp(h)?;
                let stream = (h + &m)?;
                Ok(Added {
                    attention: None,
                    mlp: Some(m),
                    stream,
                })
            }
            Half::Both => {
                let a = self.attention(h, pack)?;
                let between = (h + &a)?;
                let m = self.mlp(&between)?;
                let stream = (between + &m)?;
                Ok(Added {
                    attention: Some(a),
                    mlp: Some(m),
                    stream,
                })
            }
        }
    }

    fn attention(&self, h: &Tensor, pack: &Arc<Pack>) -> Result<Tensor> {
        let x = candle_nn::ops::rms_norm(h, &self.attention_norm, self.eps)?; // [N, D]
        let qkv = x.matmul(&self.qkv)?; // [N, (H + 2 KV) W]
        attention(&qkv, self.heads, pack)?.matmul(&self.o) // [N, D]
    }

    fn mlp(&self, h: &Tensor) -> Result<Tensor> {
        let x = candle_nn::ops::rms_norm(h, &self.mlp_norm, self.eps)?; // [N, D]
        silu_gate(&x.matmul(&self.gate_up)?)?.matmul(&self.down) // [N, D]
    }
}
