//! The reference engine: f32, on CPU (and on CUDA where that feature is built).
//!
//! Prompts are packed without padding, a block runs once for all streams that wait for it, and only
//! the last tokens and the options' rows ever meet the output head. On CPU a block is our own code
//! on rows (`rows`, over `engine::product`), with a twin in candle's tensor operations beside it
//! (`tensors`), which other devices run.

mod attention;
mod block;
mod exp;
mod gate;
mod members;
mod next;
mod norm;
mod read;
mod rows;
mod slices;
#[cfg(not(target_arch = "wasm32"))]
mod tensors;
mod tokens;
mod walk;

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};

use self::block::Block;
use self::members::Members;
use self::next::Next;
use self::tokens::Tokens;
use self::walk::Walk;
use super::rope::Rope;
use super::{Capture, Engine, EngineError, Run, TokenScore, Trace, check, product};
use crate::model::{ModelConfig, Passage, Prompt, Weights};
use crate::plan::Plan;

/// A model on a candle device.
pub struct CandleEngine {
    config: ModelConfig,
    device: Device,
    embedding: Tensor,  // [V, D]
    output: Tensor,     // [V, D]
    final_norm: Tensor, // [D]
    blocks: Vec<Block>,
    rope: Rope,
    parameters: usize,
}

impl CandleEngine {
    /// Takes the weights over, and lays them out for this processor block by block.
    pub fn new(
        config: ModelConfig,
        weights: Weights,
        device: Device,
    ) -> std::result::Result<Self, EngineError> {
        let parameters = weights.parameters();
        let shape = (config.vocabulary, config.width);
        let embedding = Tensor::from_vec(weights.embedding, shape, &device)?;
        let output = match weights.output {
            None => embedding.clone(),
            Some(output) => Tensor::from_vec(output, shape, &device)?,
        };
        let final_norm = Tensor::from_vec(weights.final_norm, config.width, &device)?;
        let blocks = weights
            .blocks
            .into_iter()
            .map(|block| Block::new(&config, block, &device));
        let blocks = blocks.collect::<Result<_>>()?;
        Ok(Self {
            rope: Rope::new(&config),
            config,
            device,
            embedding,
            output,
            final_norm,
            blocks,
            parameters,
        })
    }

    /// [N, D], the sequences one after the other.
    fn embed(&self, sequences: &[impl AsRef<[u32]>]) -> Result<Tensor> {
        let ids: Vec<u32> = sequences
            .iter()
            .flat_map(|ids| ids.as_ref().iter().copied())
            .collect();
        self.embedding
            .index_select(&Tensor::new(ids, &self.device)?, 0)
    }

    fn normed(&self, streams: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm(streams, &self.final_norm, self.config.rms_norm_eps as f32)
    }

    /// Normed rows [R, D] through the output layer: [R, V], row by row.
    fn logits(&self, normed: &Tensor) -> Result<Vec<f32>> {
        #[cfg(not(target_arch = "wasm32"))]
        if !self.device.is_cpu() {
            return normed.matmul(&self.output.t()?)?.flatten_all()?.to_vec1();
        }
        let (d, v) = (self.config.width, self.config.vocabulary);
        slices::of(normed, |normed| {
            slices::of(&self.output, |output| {
                let mut logits = vec![0f32; normed.len() / d * v];
                product::multiply(normed, output, d, &mut logits);
                logits
            })
        })?
    }
}

impl Engine for CandleEngine {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn describe(&self) -> String {
        // Nothing of this very processor: the text stands in reports, which do not depend on it.
        let device = if self.device.is_cpu() { "CPU" } else { "CUDA" };
        format!("candle on {device} (f32)")
    }

    fn parameters(&self) -> usize {
        self.parameters
    }

    fn start<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        capture: Capture,
    ) -> std::result::Result<Box<dyn Run<Trace> + 'a>, EngineError> {
        check::prompts(&self.config, &prompts)?;
        check::plans(&self.config, &plans)?;
        let record = Members {
            engine: self,
            prompts,
            plans: plans.clone(),
            capture,
        };
        Ok(Box::new(Walk::new(self, record, &plans)))
    }

    fn score<'a>(
        &'a self,
        passages: Arc<[Passage]>,
        plans: Arc<[Plan]>,
    ) -> std::result::Result<Box<dyn Run<TokenScore> + 'a>, EngineError> {
        check::passages(&self.config, &passages)?;
        check::plans(&self.config, &plans)?;
        let record = Tokens {
            engine: self,
            passages,
        };
        Ok(Box::new(Walk::new(self, record, &plans)))
    }

    fn next<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
    ) -> std::result::Result<Box<dyn Run<Vec<f32>> + 'a>, EngineError> {
        check::prompts(&self.config, &prompts)?;
        check::plans(&self.config, &plans)?;
        let record = Next {
            engine: self,
            prompts,
        };
        Ok(Box::new(Walk::new(self, record, &plans)))
    }
}
