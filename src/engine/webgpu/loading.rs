//! A model on its way to the GPU: room for all of its blocks first, then their weights as they arrive.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::attention::TileSize;
use super::backend::WebGpuBackend;
use super::block::Block;
use super::device::{AdapterChoice, Device};
use super::error::GpuError;
use super::gpu::Gpu;
use super::head::FinalNorm;
use super::self_test;
use crate::engine::EngineError;
use crate::engine::backend::{Backend, Loader};
use crate::engine::memory::Memory;
use crate::model::shape::ModelShape;
use crate::model::stored::{MatrixRole, VectorRole, Weights};
use crate::model::{DType, Tensor};

/// Opens the adapter, checks its arithmetic where that is wanted, and takes all the memory that the
/// blocks' weights need: each matrix as it is stored, or all in `dtype`.
///
/// # Errors
/// No adapter, one too small or one that computes wrong numbers, or a model it has no room for.
pub async fn loader(
    weights: Rc<Weights>,
    adapter: &AdapterChoice,
    dtype: Option<DType>,
) -> Result<Box<dyn Loader>, EngineError> {
    let shape = &weights.shape;
    check_widths(shape)?;
    let device = Device::open(adapter).await?;
    if adapter.self_test {
        self_test::run(&device, false).await?;
    }
    for block in &shape.blocks {
        TileSize::of(&device, block.attention.head_width)?;
    }
    let scope = device
        .device
        .push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let blocks = shape.blocks.iter().zip(&weights.blocks);
    let blocks = blocks.map(|(shape, stored)| {
        let dtypes = std::array::from_fn(|i| dtype.unwrap_or(stored.matrices[i].dtype));
        Block::reserve(&device, shape, weights.shape.width, dtypes)
    });
    let blocks: Result<Vec<Block>, GpuError> = blocks.collect();
    let rows = MatrixRole::ALL.iter().flat_map(|&role| {
        let blocks = shape.blocks.iter();
        blocks.map(move |block| block.matrix(role, shape.width)[0])
    });
    let longest = rows.max().unwrap_or(0).max(shape.vocabulary);
    let (width, name) = (shape.width, device.name.clone());
    let gpu = Gpu::new(device, width, longest);
    if scope.pop().await.is_some() {
        let memory = Memory::of(&weights, dtype);
        return Err(GpuError::NoRoom {
            adapter: name,
            memory,
        }
        .into());
    }
    gpu.device.check()?;
    Ok(Box::new(WebGpuLoader(WebGpuBackend {
        blocks: blocks?,
        final_norm: FinalNorm::upload(&gpu.device, &weights)?,
        head: OnceCell::new(),
        arena: Cell::new(None),
        tally: Cell::default(),
        gpu,
        dtype,
        weights,
    })))
}

/// A backend that waits for its weights.
struct WebGpuLoader(WebGpuBackend);

impl Loader for WebGpuLoader {
    fn matrix(
        &mut self,
        block: usize,
        role: MatrixRole,
        first_row: usize,
        rows: &Tensor,
    ) -> Result<(), EngineError> {
        let device = &self.0.gpu.device;
        let filled = self.0.blocks[block]
            .matrix(role)
            .fill(device, first_row, rows);
        filled.map_err(|value| GpuError::Half {
            matrix: format!("the matrix {role:?} of block {block}"),
            value,
        })?;
        device.flush();
        Ok(device.check()?)
    }

    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError> {
        let device = &self.0.gpu.device;
        self.0.blocks[block].fill_vector(device, role, &numbers);
        Ok(device.check()?)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError> {
        self.0.gpu.device.check()?;
        Ok(Box::new(self.0))
    }
}

/// Four numbers at a time is how every kernel reads.
fn check_widths(shape: &ModelShape) -> Result<(), GpuError> {
    let blocks = shape.blocks.iter().flat_map(|block| {
        [
            ("intermediate_size", block.mlp.width),
            ("head width", block.attention.head_width),
        ]
    });
    let mut widths = std::iter::once(("hidden_size", shape.width)).chain(blocks);
    match widths.find(|(_, width)| width % 4 != 0) {
        None => Ok(()),
        Some((what, found)) => Err(GpuError::Width { what, found }),
    }
}
