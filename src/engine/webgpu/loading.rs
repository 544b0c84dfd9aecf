//! A model on its way to the GPU: room for all of it first, then its parts as they arrive.

use std::cell::Cell;

use super::block::Block;
use super::device::{AdapterChoice, Device, STORAGE};
use super::error::GpuError;
use super::matrix::{Format, Matrix};
use super::recorder::Shared;
use super::{Kernels, WebGpuEngine, self_test};
use super::{attention, gate, gather, gemm, norm, options, rope, score};
use crate::engine::memory::Memory;
use crate::engine::rope::Rope;
#[cfg(not(target_arch = "wasm32"))]
use crate::model::Weights;
use crate::model::{ModelConfig, Part};

/// An opened adapter with room for a model.
pub struct Loading {
    engine: WebGpuEngine,
    /// Rows of the embedding, rows of the output head, and blocks that have arrived.
    rows: usize,
    output_rows: usize,
    blocks: usize,
}

impl Loading {
    /// Opens the adapter, checks its arithmetic where that is wanted, compiles the kernels and
    /// takes all the memory the weights need.
    ///
    /// # Errors
    /// No adapter, one too small or one that computes wrong numbers, or a model it has no room for.
    pub async fn begin(
        config: ModelConfig,
        adapter: &AdapterChoice,
        format: Format,
    ) -> Result<Self, GpuError> {
        check_widths(&config)?;
        let device = Device::open(adapter).await?;
        if adapter.self_test {
            self_test::run(&device, false).await?;
        }
        let kernels = Kernels {
            gather: gather::Gather::new(&device, format),
            norm: norm::Norm::new(&device, config.width, config.rms_norm_eps as f32),
            gemm: gemm::Gemm::new(&device, format),
            turn: rope::Turn::new(&device, &config),
            attention: attention::Attention::new(&device, &config)?,
            gate: gate::Gate::new(&device, config.mlp_width),
            options: options::Options::new(&device, config.width),
            score: score::Score::new(&device, config.vocabulary),
        };
        let memory = Memory::of(&config, format.bytes());
        let scope = device
            .device
            .push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let head = |label| {
            let (rows, columns) = (config.vocabulary, config.width);
            Matrix::reserve(&device, label, rows, columns, format)
        };
        let room = || {
            let blocks = (0..config.blocks).map(|_| Block::reserve(&device, &config, format));
            let output = (!config.tied).then(|| head("output")).transpose()?;
            Ok((
                head("embedding")?,
                output,
                blocks.collect::<Result<_, _>>()?,
            ))
        };
        let room = room();
        if scope.pop().await.is_some() {
            return Err(GpuError::NoRoom {
                adapter: device.name.clone(),
                memory,
            });
        }
        let (embedding, output, blocks) = room?;
        device.check()?;
        let engine = WebGpuEngine {
            shared: Shared::new(&device),
            kernels,
            embedding,
            output,
            final_norm: device.buffer("final norm", config.width as u64 * 4, STORAGE),
            blocks,
            rope: Rope::new(&config),
            format,
            parameters: memory.parameters,
            arena: Cell::new(None),
            tally: Cell::default(),
            device,
            config,
        };
        Ok(Self {
            engine,
            rows: 0,
            output_rows: 0,
            blocks: 0,
        })
    }

    /// Uploads the next part.
    ///
    /// # Errors
    /// The device failed meanwhile.
    pub fn take(&mut self, part: &Part) -> Result<(), GpuError> {
        let WebGpuEngine {
            device,
            embedding,
            output,
            final_norm,
            blocks,
            ..
        } = &self.engine;
        match part {
            Part::Embedding(rows) => {
                embedding.fill(device, self.rows, rows);
                self.rows += rows.len() / embedding.columns;
            }
            Part::Output(rows) => {
                if let Some(output) = output {
                    output.fill(device, self.output_rows, rows);
                    self.output_rows += rows.len() / output.columns;
                }
            }
            Part::Block(weights) => {
                if let Some(block) = blocks.get(self.blocks) {
                    block.fill(device, weights);
                }
                self.blocks += 1;
            }
            Part::FinalNorm(norm) => {
                let bytes = bytemuck::cast_slice(norm);
                device.queue.write_buffer(final_norm, 0, bytes);
            }
        }
        device.flush();
        device.check()
    }

    pub fn finish(self) -> Result<WebGpuEngine, GpuError> {
        self.engine.device.check()?;
        Ok(self.engine)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl WebGpuEngine {
    /// A model whose weights are at hand, while the thread waits.
    ///
    /// # Errors
    /// As [`Loading::begin`].
    pub fn new(
        config: ModelConfig,
        weights: Weights,
        adapter: &AdapterChoice,
        format: Format,
    ) -> Result<Self, GpuError> {
        let mut loading = pollster::block_on(Loading::begin(config, adapter, format))?;
        loading.take(&Part::Embedding(weights.embedding))?;
        if let Some(output) = weights.output {
            loading.take(&Part::Output(output))?;
        }
        for block in weights.blocks {
            loading.take(&Part::Block(block))?;
        }
        loading.take(&Part::FinalNorm(weights.final_norm))?;
        loading.finish()
    }
}

/// Four numbers at a time is how every kernel reads.
fn check_widths(config: &ModelConfig) -> Result<(), GpuError> {
    let widths = [
        ("hidden_size", config.width),
        ("intermediate_size", config.mlp_width),
        ("head width", config.head_width),
    ];
    match widths.into_iter().find(|(_, width)| width % 4 != 0) {
        None => Ok(()),
        Some((what, found)) => Err(GpuError::Width { what, found }),
    }
}
