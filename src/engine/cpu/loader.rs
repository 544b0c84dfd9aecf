//! Weights on their way to this processor's layout.

use std::collections::HashMap;
use std::rc::Rc;

use super::attention::Heads;
use super::backend::CpuBackend;
use super::block::Block;
use super::head::Head;
use super::matmul::{MatrixBuilder, PackedMatrix};
use super::norm::Norm;
use crate::engine::EngineError;
use crate::engine::backend::{Backend, Loader};
use crate::model::Tensor;
use crate::model::stored::{MatrixRole, VectorRole, Weights};

/// Waits for the blocks of a model; what its read-out needs is read from `weights` when it is.
pub fn loader(weights: Rc<Weights>) -> Box<dyn Loader> {
    let blocks = weights.shape.blocks.iter();
    Box::new(CpuLoader {
        blocks: blocks.map(|_| Incoming::default()).collect(),
        weights,
    })
}

struct CpuLoader {
    weights: Rc<Weights>,
    blocks: Vec<Incoming>,
}

/// What has come of a block.
#[derive(Default)]
struct Incoming {
    matrices: HashMap<MatrixRole, MatrixBuilder>,
    vectors: HashMap<VectorRole, Vec<f32>>,
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
        let [outs, ins] = shape.blocks[block].matrix(role, shape.width);
        let builder = || MatrixBuilder::new(rows.dtype, outs, ins);
        let matrices = &mut self.blocks[block].matrices;
        matrices
            .entry(role)
            .or_insert_with(builder)
            .fill(first_row, rows);
        Ok(())
    }

    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError> {
        self.blocks[block].vectors.insert(role, numbers);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError> {
        let weights = self.weights;
        let mut dtypes: Vec<_> = self
            .blocks
            .iter()
            .flat_map(|block| block.matrices.values().map(MatrixBuilder::dtype))
            .collect();
        dtypes.sort_unstable();
        dtypes.dedup();
        let blocks = self.blocks.into_iter().enumerate();
        let blocks = blocks.map(|(n, incoming)| incoming.block(n, &weights));
        let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
        let head = Head::new(weights.clone())?;
        Ok(Box::new(CpuBackend::new(
            weights.shape.width,
            dtypes,
            blocks,
            head,
        )))
    }
}

impl Incoming {
    fn block(mut self, n: usize, weights: &Weights) -> Result<Block, EngineError> {
        let width = weights.shape.width;
        let shape = &weights.shape.blocks[n];
        let missing = |what: String| EngineError::Unfinished { block: n, what };
        let mut vectors = HashMap::new();
        for (role, length) in shape.vectors(width) {
            let numbers = self.vectors.remove(&role);
            let whole = numbers.filter(|numbers| numbers.len() == length);
            vectors.insert(role, whole.ok_or_else(|| missing(format!("{role:?}")))?);
        }
        let mut vector = |role| vectors.remove(&role).unwrap_or_default();
        let mut matrix = |role: MatrixRole| -> Result<PackedMatrix, EngineError> {
            let builder = self.matrices.remove(&role);
            builder
                .and_then(MatrixBuilder::finish)
                .ok_or_else(|| missing(format!("{role:?}")))
        };
        let attention_norm = Norm::new(
            shape.norm,
            vector(VectorRole::AttentionNorm),
            vector(VectorRole::AttentionNormBias),
        );
        let mlp_norm = shape.has_mlp_norm().then(|| {
            Norm::new(
                shape.norm,
                vector(VectorRole::MlpNorm),
                vector(VectorRole::MlpNormBias),
            )
        });
        Ok(Block {
            width,
            placement: shape.placement,
            residual: shape.residual,
            attention_norm,
            qkv: matrix(MatrixRole::Qkv)?,
            qkv_bias: vector(VectorRole::QkvBias),
            heads: Heads::new(&shape.attention),
            qk_norm: shape.attention.qk_norm,
            query_norm: vector(VectorRole::QueryNorm),
            key_norm: vector(VectorRole::KeyNorm),
            eps: shape.norm.eps as f32,
            out: matrix(MatrixRole::Out)?,
            out_bias: vector(VectorRole::OutBias),
            mlp_norm,
            mlp: shape.mlp,
            up: matrix(MatrixRole::Up)?,
            up_bias: vector(VectorRole::UpBias),
            down: matrix(MatrixRole::Down)?,
            down_bias: vector(VectorRole::DownBias),
        })
    }
}
