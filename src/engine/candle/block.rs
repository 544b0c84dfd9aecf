//! One decoder block: `a = attn(norm(h))`, `m = mlp(norm(h + a))` (MATH section 1).

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};

#[cfg(not(target_arch = "wasm32"))]
use super::tensors;
use super::{rows, slices};
use crate::engine::schedule::pack::Pack;
use crate::model::{BlockWeights, ModelConfig};
use crate::plan::Half;

pub enum Block {
    /// On this processor.
    Rows(rows::Block),
    #[cfg(not(target_arch = "wasm32"))]
    Tensors(tensors::Block),
}

/// What a block added to the stream, and the stream after it.
pub struct Added {
    pub attention: Option<Tensor>, // [N, D]
    pub mlp: Option<Tensor>,       // [N, D]
    pub stream: Tensor,            // [N, D]
}

impl Block {
    pub fn new(config: &ModelConfig, weights: BlockWeights, device: &Device) -> Result<Self> {
        #[cfg(not(target_arch = "wasm32"))]
        if !device.is_cpu() {
            return tensors::Block::new(config, weights, device).map(Self::Tensors);
        }
        let _ = device; // a browser has no other
        Ok(Self::Rows(rows::Block::new(config, weights)))
    }

    /// Runs on [copies N, D], `copies` packs one after the other.
    pub fn run(&self, h: &Tensor, half: Half, pack: &Arc<Pack>) -> Result<Added> {
        match self {
            Self::Rows(block) => {
                let shape = h.shape();
                let added = slices::of(h, |h| block.run(h, half, pack))?;
                let tensor = |x: Vec<f32>| Tensor::from_vec(x, shape, h.device());
                Ok(Added {
                    attention: added.attention.map(tensor).transpose()?,
                    mlp: added.mlp.map(tensor).transpose()?,
                    stream: tensor(added.stream)?,
                })
            }
            #[cfg(not(target_arch = "wasm32"))]
            Self::Tensors(block) => block.run(h, half, pack),
        }
    }
}
