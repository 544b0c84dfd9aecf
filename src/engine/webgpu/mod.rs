//! Our own WGSL engine, through wgpu: the same numbers as the reference engine's, from any GPU.
//!
//! One folder a kernel, each with a README; `block` strings them together. A run is a `program`
//! (which stream lies where) executed pack by pack (`walk`): every stream that waits for a block
//! is rows of the same matrix products, members are written where they are kept by the product that
//! makes them, and what was recorded is read back once.

mod arena;
mod attention;
mod block;
#[cfg(target_arch = "wasm32")]
mod browser;
mod device;
mod error;
mod gate;
mod gather;
mod gemm;
mod grid;
mod kernel;
mod loading;
mod matrix;
mod members;
mod next;
mod norm;
mod options;
mod pass;
mod probe;
mod readback;
mod recorder;
mod rope;
mod score;
mod self_test;
mod template;
mod tokens;
mod walk;
#[cfg(not(target_arch = "wasm32"))]
pub mod yardstick;

pub use device::AdapterChoice;
pub use error::GpuError;
pub use loading::Loading;
pub use matrix::Format;
pub use recorder::Tally;

use std::cell::Cell;
use std::sync::Arc;

use self::arena::Arena;
use self::block::Block;
use self::device::Device;
use self::matrix::Matrix;
use self::members::Members;
use self::next::Next;
use self::pass::Pass;
use self::recorder::Shared;
use self::tokens::Tokens;
use self::walk::Walk;
use super::rope::Rope;
use super::{Capture, Engine, EngineError, Run, TokenScore, Trace, check};
use crate::model::{ModelConfig, Passage, Prompt};
use crate::plan::Plan;

/// A model on a GPU.
pub struct WebGpuEngine {
    config: ModelConfig,
    device: Device,
    shared: Shared,
    kernels: Kernels,
    embedding: Matrix,        // [V, D]
    output: Option<Matrix>,   // [V, D]; the embedding if none
    final_norm: wgpu::Buffer, // [D]
    blocks: Vec<Block>,
    rope: Rope,
    format: Format,
    parameters: usize,
    /// The last run's buffers, until the next run takes them.
    arena: Cell<Option<Arena>>,
    tally: Cell<Tally>,
}

struct Kernels {
    gather: gather::Gather,
    norm: norm::Norm,
    gemm: gemm::Gemm,
    turn: rope::Turn,
    attention: attention::Attention,
    gate: gate::Gate,
    options: options::Options,
    score: score::Score,
}

impl WebGpuEngine {
    /// What the runs since the last call asked of the GPU.
    pub fn take_tally(&self) -> Tally {
        self.tally.take()
    }

    /// Bytes of weights on the GPU.
    pub fn weight_bytes(&self) -> u64 {
        let matrices = self.output.iter().chain([&self.embedding]);
        matrices.map(Matrix::bytes).sum::<u64>()
            + self.final_norm.size()
            + self.blocks.iter().map(Block::bytes).sum::<u64>()
    }

    /// Bytes that the runs so far have left on the GPU for the next.
    pub fn activation_bytes(&self) -> u64 {
        let arena = self.arena.take().unwrap_or_default();
        let bytes = arena.bytes();
        self.arena.set(Some(arena));
        bytes
    }

    fn output(&self) -> &Matrix {
        self.output.as_ref().unwrap_or(&self.embedding)
    }

    fn give_back(&self, pass: Pass) {
        self.tally.set(self.tally.get() + pass.recorder.tally);
        self.arena.set(Some(pass.arena));
    }

    /// Numbers in the widest row that a block makes of a token.
    fn widest_row(&self) -> usize {
        let qkv = (self.config.heads + 2 * self.config.kv_heads) * self.config.head_width;
        qkv.max(2 * self.config.mlp_width).max(self.config.width)
    }

    /// Floating-point operations of a block's matrix products for one token.
    fn work_a_row(&self) -> u64 {
        let ModelConfig {
            width,
            mlp_width,
            heads,
            kv_heads,
            head_width,
            ..
        } = self.config;
        2 * width as u64 * (2 * (heads + kv_heads) * head_width + 3 * mlp_width) as u64
    }
}

impl Engine for WebGpuEngine {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn describe(&self) -> String {
        format!("WebGPU on {} ({})", self.device.name, self.format.name())
    }

    fn parameters(&self) -> usize {
        self.parameters
    }

    fn profile(&self) -> Option<String> {
        let Tally {
            dispatches,
            submissions,
            work,
            read_back_bytes,
        } = self.take_tally();
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        Some(format!(
            "{dispatches} dispatches in {submissions} submissions, {:.2} GFLOP, {read_back_bytes} bytes read back; \
             on the GPU {:.1} MiB of weights and {:.1} MiB of activations",
            work as f64 / 1e9,
            mib(self.weight_bytes()),
            mib(self.activation_bytes()),
        ))
    }

    fn start<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        capture: Capture,
    ) -> Result<Box<dyn Run<Trace> + 'a>, EngineError> {
        check::prompts(&self.config, &prompts)?;
        check::plans(&self.config, &plans)?;
        let record = Members {
            prompts,
            plans: plans.clone(),
            capture,
        };
        Ok(Box::new(Walk::new(self, record, &plans)?))
    }

    fn score<'a>(
        &'a self,
        passages: Arc<[Passage]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<TokenScore> + 'a>, EngineError> {
        check::passages(&self.config, &passages)?;
        check::plans(&self.config, &plans)?;
        Ok(Box::new(Walk::new(self, Tokens { passages }, &plans)?))
    }

    fn next<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<Vec<f32>> + 'a>, EngineError> {
        check::prompts(&self.config, &prompts)?;
        check::plans(&self.config, &plans)?;
        Ok(Box::new(Walk::new(self, Next { prompts }, &plans)?))
    }
}
