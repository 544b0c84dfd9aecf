//! A block on its way to this processor's layout.

use std::collections::HashMap;

use atelier_kernels::attention::Heads;
use atelier_kernels::matmul::{MatrixBuilder, PackedMatrix};
use atelier_kernels::norm::Norm;

use super::block::Block;
use crate::engine::branch::NormRole;
use crate::model::shape::{AttentionShape, BlockShape};
use crate::model::weights::{MatrixRole, VectorRole};
use crate::model::{DType, Tensor};

/// The weights of a block that have arrived so far.
#[derive(Default)]
pub struct Incoming {
    matrices: HashMap<MatrixRole, MatrixBuilder>,
    vectors: HashMap<VectorRole, Vec<f32>>,
}

impl Incoming {
    /// Rows `first_row..` of a matrix that is `whole` [out, in].
    pub fn matrix(&mut self, role: MatrixRole, whole: [usize; 2], first_row: usize, rows: &Tensor) {
        let builder = || MatrixBuilder::new(whole[0], whole[1]);
        let matrix = self.matrices.entry(role).or_insert_with(builder);
        matrix.fill(first_row, rows);
    }

    pub fn vector(&mut self, role: VectorRole, numbers: Vec<f32>) {
        self.vectors.insert(role, numbers);
    }

    /// The dtypes of the matrices that have arrived.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> {
        self.matrices.values().flat_map(MatrixBuilder::dtypes)
    }

    /// Builds the block; the error names the weight that is missing or not complete.
    pub fn block(mut self, shape: &BlockShape, width: usize) -> Result<Block, String> {
        let mut vectors = HashMap::new();
        for (role, length) in shape.vectors(width) {
            let numbers = self.vectors.remove(&role);
            let whole = numbers.filter(|numbers| numbers.len() == length);
            vectors.insert(role, whole.ok_or_else(|| format!("{role:?}"))?);
        }
        let mut vector = |role| vectors.remove(&role).unwrap_or_default();
        let norms = [NormRole::Attention, NormRole::Mlp].map(|role| {
            let [gain, bias] = role.vectors().map(&mut vector);
            Norm::new(shape.norm, gain, bias)
        });
        let mut matrix = |role: MatrixRole| -> Result<PackedMatrix, String> {
            let builder = self.matrices.remove(&role);
            builder.and_then(MatrixBuilder::finish).ok_or_else(|| format!("{role:?}"))
        };
        let [qkv, out, up, down] = MatrixRole::ALL.map(&mut matrix);
        Ok(Block {
            width,
            heads: Heads::from(&shape.attention),
            norms,
            matrices: [qkv?, out?, up?, down?],
            vectors,
            shape: shape.clone(),
        })
    }
}

impl From<&AttentionShape> for Heads {
    fn from(shape: &AttentionShape) -> Self {
        Self {
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            width: shape.head_width,
            window: shape.window.unwrap_or(usize::MAX),
            rope_half: shape.rope.as_ref().map_or(0, |rope| rope.width / 2),
        }
    }
}
