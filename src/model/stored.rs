//! A checkpoint read as a model of a given shape: which stored rows make each matrix that an engine
//! wants, whatever the family's own spelling. Nothing is read before it is asked for, and then in
//! slices of rows, in the stored dtype.

use std::ops::Range;
use std::rc::Rc;

use super::{DType, ModelError, ModelShape, Tensor};

/// Bytes of one slice of a matrix at most (at least [`SLICE_ROWS`] rows).
pub const SLICE_BYTES: u64 = 32 << 20;

/// Slices begin at multiples of so many rows, which every backend's layout divides.
pub const SLICE_ROWS: usize = 64;

/// The matrices of a block, `[out, in]` row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatrixRole {
    /// `[(H + 2 KV) W, D]`: query rows, then keys, then values.
    Qkv,
    /// `[D, H W]`
    Out,
    /// `[2 F, D]` gate rows, then up; `[F, D]` where the MLP is not gated.
    Up,
    /// `[D, F]`
    Down,
}

impl MatrixRole {
    pub const ALL: [Self; 4] = [Self::Qkv, Self::Out, Self::Up, Self::Down];
}

/// The vectors of a block, f32 whatever the checkpoint stores: they are small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorRole {
    /// `[D]`; where norms stand after their branch, attention's.
    AttentionNorm,
    AttentionNormBias,
    /// `[(H + 2 KV) W]`, zero where a part has none.
    QkvBias,
    /// `[W]` or `[H W]`
    QueryNorm,
    /// `[W]` or `[KV W]`
    KeyNorm,
    /// `[D]`
    OutBias,
    /// `[D]`; none where one norm serves both branches.
    MlpNorm,
    MlpNormBias,
    /// `[F]` (no gated MLP has one)
    UpBias,
    /// `[D]`
    DownBias,
}

/// Where bytes of the model's weight files come from: mapped pages, memory, a browser's file.
pub trait Source {
    /// Bytes `range` of weight file `file`.
    ///
    /// # Errors
    /// The file cannot be read there (any more).
    fn read(
        &self,
        file: usize,
        range: Range<u64>,
    ) -> Result<std::borrow::Cow<'_, [u8]>, ModelError>;

    /// Says that what was read so far will not be read again soon, so that the system keeps no
    /// second copy beside what was made of it.
    fn release(&self) {}
}

/// A matrix `[rows, columns]` of the model, and where its rows lie.
pub struct Matrix {
    /// Of every row: the stored type, or f32 where tensors of several types make one matrix.
    pub dtype: DType,
    pub rows: usize,
    pub columns: usize,
    segments: Vec<Segment>,
}

/// A vector of the model, and where it lies.
pub struct Vector {
    pub length: usize,
    segments: Vec<Segment>,
    /// Added to every number read: 1 where a family's gain is `1 + weight`.
    plus: f32,
}

/// Neighbouring rows of a matrix that one stored tensor holds.
struct Segment {
    /// The stored tensor's name, for errors.
    tensor: String,
    /// Which weight file.
    file: usize,
    /// Bytes of the whole stored tensor in that file.
    bytes: Range<u64>,
    dtype: DType,
    /// Where the segment's rows lie in the stored tensor.
    layout: Layout,
}

enum Layout {
    /// Rows `first..first + count` of a tensor of [.., columns].
    Rows { first: usize, count: usize },
    /// Columns `first..first + count` of a tensor of [columns of the matrix, `stride`]: GPT-2 stores
    /// its matrices [in, out].
    Transposed {
        first: usize,
        count: usize,
        stride: usize,
    },
    /// So many zeros (a part without a bias in a fused bias).
    Zeros { count: usize },
}

/// One block's tensors.
pub struct BlockTensors {
    /// By [`MatrixRole::ALL`].
    pub matrices: [Matrix; 4],
    /// Those that [`BlockShape::vectors`](super::shape::BlockShape::vectors) names, in its order.
    pub vectors: Vec<(VectorRole, Vector)>,
}

/// A checkpoint, read as a model.
pub struct Weights {
    pub shape: ModelShape,
    /// `[V, D]`
    pub embedding: Matrix,
    /// `[context, D]`, where positions are learned.
    pub positions: Option<Matrix>,
    /// `[V, D]`; `None`: the embedding's rows.
    pub head: Option<Matrix>,
    /// `[V]`
    pub head_bias: Option<Vector>,
    /// `[D]`
    pub final_norm: Vector,
    /// `[D]`
    pub final_norm_bias: Option<Vector>,
    pub blocks: Vec<BlockTensors>,
    source: Rc<dyn Source>,
}

impl Weights {
    /// Rows `rows` of a matrix in its dtype; borrowed where they lie one after the other in memory.
    ///
    /// # Errors
    /// The file cannot be read; a NaN or an infinity among the numbers, with tensor and element.
    pub fn rows(&self, matrix: &Matrix, rows: Range<usize>) -> Result<Tensor<'_>, ModelError> {
        todo!()
    }

    /// The rows named, as f32, one after the other: `[ids, columns]`.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn gather(&self, matrix: &Matrix, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
        todo!()
    }

    /// `[length]`, as f32.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn vector(&self, vector: &Vector) -> Result<Vec<f32>, ModelError> {
        todo!()
    }

    /// The output rows' matrix.
    pub fn head(&self) -> &Matrix {
        self.head.as_ref().unwrap_or(&self.embedding)
    }

    /// Numbers the model stores, shared ones once.
    pub fn parameters(&self) -> u64 {
        todo!()
    }

    /// Says that what was read so far will not be read again soon.
    pub fn release(&self) {
        self.source.release();
    }
}

impl Matrix {
    /// The slices in which a matrix is read: at most [`SLICE_BYTES`], each but the last a multiple of
    /// [`SLICE_ROWS`] rows.
    pub fn slices(&self) -> Vec<Range<usize>> {
        let a_row = self.dtype.bytes_of(self.columns as u64).max(1);
        let rows = (SLICE_BYTES / a_row) as usize / SLICE_ROWS * SLICE_ROWS;
        let rows = rows.max(SLICE_ROWS);
        let starts = (0..self.rows).step_by(rows);
        starts
            .map(|start| start..(start + rows).min(self.rows))
            .collect()
    }

    pub fn bytes(&self) -> u64 {
        self.dtype.bytes_of(self.rows as u64 * self.columns as u64)
    }
}
