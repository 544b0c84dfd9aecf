//! Weights on their way to this processor's layout.

use std::borrow::Cow;
use std::rc::Rc;

use super::backend::CpuBackend;
use super::head::Head;
use super::incoming::Incoming;
use crate::engine::EngineError;
use crate::engine::backend::{Backend, Loader};
use crate::engine::memory::Memory;
use crate::model::Tensor;
use crate::model::shape::BlockShape;
use crate::model::weights::{MatrixRole, VectorRole, Weights};

/// Waits for the blocks of a model; its read-out reads rows from `weights` when it needs them, if they are at hand.
pub fn loader(weights: Rc<Weights>) -> Box<dyn Loader> {
    Box::new(CpuLoader::new(weights))
}

pub struct CpuLoader {
    weights: Rc<Weights>,
    blocks: Vec<Incoming>,
    /// The output head's slices, where it is held.
    head: Vec<Tensor<'static>>,
}

impl CpuLoader {
    pub fn new(weights: Rc<Weights>) -> Self {
        let blocks = weights.shape.blocks.iter();
        let blocks = blocks.map(|_| Incoming::default()).collect();
        Self { blocks, head: Vec::new(), weights }
    }

    /// The backend, if everything has come.
    pub fn loaded(self) -> Result<CpuBackend, EngineError> {
        let weights = self.weights;
        let mut dtypes: Vec<_> = self.blocks.iter().flat_map(Incoming::dtypes).collect();
        dtypes.sort_unstable();
        dtypes.dedup();
        let shape = &weights.shape;
        let blocks = self.blocks.into_iter().zip(&shape.blocks).enumerate();
        let block = |(n, (incoming, block)): (usize, (Incoming, &BlockShape))| {
            let missing = |what| EngineError::Unfinished { block: n, what };
            incoming.block(block, shape.width).map_err(missing)
        };
        let blocks = blocks.map(block).collect::<Result<Vec<_>, _>>()?;
        let head = Head::new(weights.clone(), self.head)?;
        let width = weights.shape.width;
        Ok(CpuBackend::new(width, dtypes, blocks, head))
    }
}

impl Loader for CpuLoader {
    fn matrix(
        &mut self,
        block: usize,
        role: MatrixRole,
        first_row: usize,
        rows: &Tensor,
    ) -> Result<(), EngineError> {
        let shape = &self.weights.shape;
        let whole = shape.blocks[block].matrix(role, shape.width);
        self.blocks[block].matrix(role, whole, first_row, rows);
        Ok(())
    }

    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError> {
        self.blocks[block].vector(role, numbers);
        Ok(())
    }

    /// Every token that is read needs the whole head, and to fetch it takes longer than its products.
    fn takes_head(&self) -> bool {
        Memory::on_processor(&self.weights).head > 0
    }

    fn head(&mut self, _first_row: usize, rows: &Tensor) -> Result<(), EngineError> {
        let bytes = Cow::Owned(rows.bytes.to_vec());
        self.head.push(Tensor { bytes, ..*rows });
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError> {
        Ok(Box::new(self.loaded()?))
    }
}
