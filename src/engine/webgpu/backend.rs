//! A model's blocks and read-out on a GPU.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::arena::Arena;
use super::attention::TileSize;
use super::block::Block;
use super::gpu::Gpu;
use super::head::{FinalNorm, Head};
use super::pass::GpuPass;
use super::recorder::Tally;
use crate::engine::EngineError;
use crate::engine::backend::{Backend, Limits, Pass, Start};
use crate::model::DType;
use crate::model::shape::BlockShape;
use crate::model::stored::{MatrixRole, Weights};

/// Rows that one block call takes at most (at least one pack).
const CALL_ROWS: usize = 8192;

/// Floating-point operations of one block call (at least one pack): between two calls a run tells
/// how far it is, and hears "cancel".
const CALL_WORK: u64 = 25_000_000_000;

/// Bytes that streams, kept rows, or numbers given back may take; the device's bindings may allow
/// less.
const MOST_BYTES: u64 = 1 << 30;

/// What keeps a dispatch's thread count and a row's first number within 32 bits.
const PACK_ROWS: usize = 1 << 18;

pub struct WebGpuBackend {
    pub(super) gpu: Gpu,
    pub(super) weights: Rc<Weights>,
    /// `None`: every matrix as it is stored.
    pub(super) dtype: Option<DType>,
    pub(super) blocks: Vec<Block>,
    pub(super) final_norm: FinalNorm,
    /// Uploaded when a run first asks for all logits.
    pub(super) head: OnceCell<Head>,
    /// The last run's buffers, until the next run takes them.
    pub(super) arena: Cell<Option<Arena>>,
    pub(super) tally: Cell<Tally>,
}

impl WebGpuBackend {
    /// The whole output head, uploaded now if it is not there yet.
    pub(super) fn head(&self) -> Result<&Head, EngineError> {
        if self.head.get().is_none() {
            let head = Head::upload(&self.gpu.device, &self.weights, self.dtype)?;
            // Nobody else set it meanwhile: a backend belongs to one thread.
            let _ = self.head.set(head);
        }
        self.head.get().ok_or_else(|| {
            super::GpuError::Driver("the output head was not kept".to_owned()).into()
        })
    }

    /// Sizes of attention's tiles, by the blocks' heads.
    pub(super) fn queries(&self) -> Result<Vec<usize>, EngineError> {
        let mut queries = Vec::new();
        for block in &self.blocks {
            let size = TileSize::of(&self.gpu.device, block.shape.attention.head_width)?;
            if !queries.contains(&size.queries) {
                queries.push(size.queries);
            }
        }
        Ok(queries)
    }

    /// Bytes of weights on the GPU.
    fn weight_bytes(&self) -> u64 {
        let head = self.head.get().map_or(0, Head::bytes);
        head + self.blocks.iter().map(Block::bytes).sum::<u64>()
    }

    /// Bytes that the runs so far have left on the GPU for the next.
    fn activation_bytes(&self) -> u64 {
        let arena = self.arena.take();
        let bytes = arena.as_ref().map_or(0, Arena::bytes);
        self.arena.set(arena);
        bytes
    }
}

impl Backend for WebGpuBackend {
    fn describe(&self) -> String {
        let stored = self.weights.blocks.iter().flat_map(|block| &block.matrices);
        let held = |matrix: &crate::model::stored::Matrix| self.dtype.unwrap_or(matrix.dtype);
        let mut dtypes: Vec<DType> = stored.map(held).collect();
        dtypes.sort_unstable();
        dtypes.dedup();
        let names: Vec<&str> = dtypes.into_iter().map(DType::name).collect();
        format!("WebGPU on {} ({})", self.gpu.device.name, names.join(" and "))
    }

    fn limits(&self) -> Limits {
        limits(
            self.gpu.device.largest_buffer(),
            self.gpu.width,
            self.blocks.iter().map(|block| &block.shape),
        )
    }

    fn profile(&self) -> Option<String> {
        let Tally {
            dispatches,
            submissions,
            work,
            read_back_bytes,
            ..
        } = self.tally.take();
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        Some(format!(
            "{dispatches} dispatches in {submissions} submissions, {:.2} GFLOP, {read_back_bytes} bytes read back; \
             on the GPU {:.1} MiB of weights and {:.1} MiB of activations",
            work as f64 / 1e9,
            mib(self.weight_bytes()),
            mib(self.activation_bytes()),
        ))
    }

    fn begin<'a>(&'a self, start: Start) -> Result<Box<dyn Pass + 'a>, EngineError> {
        Ok(Box::new(GpuPass::open(self, &start)?))
    }
}

/// What fits into bindings of `largest` bytes.
fn limits<'a>(
    largest: u64,
    width: usize,
    blocks: impl Iterator<Item = &'a BlockShape> + Clone,
) -> Limits {
    let widest = blocks.clone().map(|block| widest_row(block, width)).max();
    let work = blocks.map(|block| work_a_row(block, width)).max();
    let fit = usize::try_from(largest / 4).unwrap_or(usize::MAX) / widest.unwrap_or(width).max(1);
    let worked = (CALL_WORK / work.unwrap_or(1).max(1)) as usize;
    Limits {
        // Half: what a pack gives back may be as much for its tokens as for its sequences, and all
        // of it lies in one buffer.
        bytes: (largest / 2).min(MOST_BYTES),
        call_rows: fit.min(worked).min(CALL_ROWS),
        pack_rows: fit.min(PACK_ROWS),
    }
}

/// Numbers in the widest row that a block makes of a token.
fn widest_row(block: &BlockShape, width: usize) -> usize {
    let (attention, mlp) = (&block.attention, &block.mlp);
    let inside = attention.qkv_width().max(attention.attended_width());
    inside.max(mlp.up_rows()).max(width)
}

/// Floating-point operations of a block's matrix products for one token.
fn work_a_row(block: &BlockShape, width: usize) -> u64 {
    let matrices = MatrixRole::ALL.map(|role| block.matrix(role, width));
    let numbers = |[rows, columns]: [usize; 2]| rows as u64 * columns as u64;
    2 * matrices.map(numbers).iter().sum::<u64>()
}
