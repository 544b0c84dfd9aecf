//! How much memory a model's numbers take, in the types they are stored in.

use super::{Matrix, Weights};
use crate::model::DType;

/// Bytes of a model's numbers by what they are for: matrices each in its own type, vectors in f32.
/// In 64 bits whatever this program runs on: most models are larger than a browser's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightBytes {
    /// Matrices of all blocks.
    pub matrices: u64,
    /// Vectors of all blocks, of the final norm and of the head.
    pub vectors: u64,
    /// Learned positions.
    pub positions: u64,
    /// The whole embedding; a run reads the rows of its tokens only.
    pub embedding: u64,
    /// The whole head where it is stored beside the embedding; a run reads the rows of its options only, until
    /// something asks for the whole vocabulary.
    pub head: u64,
}

impl WeightBytes {
    /// Counted from the files' headers: nothing is read.
    pub fn of(weights: &Weights) -> Self {
        let bytes = |matrix: &Option<Matrix>| matrix.as_ref().map_or(0, Matrix::bytes);
        let vectors = weights.vectors().map(|vector| vector.length as u64);
        Self {
            matrices: weights.block_matrices().map(Matrix::bytes).sum(),
            vectors: DType::F32.bytes_of(vectors.sum()),
            positions: bytes(&weights.positions),
            embedding: weights.embedding.bytes(),
            head: bytes(&weights.head),
        }
    }

    /// Returns the bytes of all blocks, which a device holds for as long as it has the model.
    pub fn blocks(&self) -> u64 {
        self.matrices.saturating_add(self.vectors)
    }

    /// Returns the bytes of everything.
    pub fn total(&self) -> u64 {
        let read_out = self.embedding.saturating_add(self.head);
        let ends = self.positions.saturating_add(read_out);
        self.blocks().saturating_add(ends)
    }
}
