//! A checkpoint read as a model of a given shape: which stored rows make each matrix that an engine
//! wants, whatever the family's own spelling. Nothing is read before it is asked for, and then in
//! slices of rows, in the stored dtype.

mod assembly;
mod finite;
mod matrix;
mod memory;
mod reading;
mod source;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::rc::Rc;

use self::assembly::Assembly;
use self::finite::FiniteParts;
pub use self::matrix::{Matrix, TypedRows, Vector};
pub use self::memory::WeightBytes;
use self::reading::SegmentReader;
pub use self::source::{BytesAtHand, Source};
use super::checkpoint::gguf;
use super::checkpoint::tensors::TensorPlaces;
use super::{
    DType, FileBytes, ModelError, ModelFiles, ModelShape, Tensor, TokenizerFiles, family,
    vocabulary,
};

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
    /// In the order in which a block uses them.
    pub const ALL: [Self; 4] = [Self::Qkv, Self::Out, Self::Up, Self::Down];
}

/// The vectors of a block, f32 whatever the checkpoint stores: they are small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorRole {
    /// `[D]`; where norms stand after their branch, attention's.
    AttentionNorm,
    AttentionNormBias,
    /// `[(H + 2 KV) W]`
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

/// One block's tensors.
pub struct BlockTensors {
    /// By [`MatrixRole::ALL`].
    pub matrices: [Matrix; 4],
    /// The vectors that [`BlockShape::vectors`](super::shape::BlockShape::vectors) names, in its order.
    pub vectors: Vec<(VectorRole, Vector)>,
}

/// A checkpoint, read as a model.
pub struct Weights {
    pub shape: ModelShape,
    /// `[V, D]`
    pub embedding: Matrix,
    /// `[context, D]`, where positions are learned.
    pub positions: Option<Matrix>,
    /// `[V, D]`; `None`: the embedding's rows. Tied rows that are stored twice are here too.
    pub head: Option<Matrix>,
    /// `[V]`
    pub head_bias: Option<Vector>,
    /// `[D]`
    pub final_norm: Vector,
    /// `[D]`
    pub final_norm_bias: Option<Vector>,
    pub blocks: Vec<BlockTensors>,
    /// A `tokenizer.json` made of the vocabulary that a GGUF file carries.
    tokenizer: Option<TokenizerFiles>,
    /// Names of the weight files.
    files: Vec<String>,
    source: Rc<dyn Source>,
    finite: FiniteParts,
}

impl Weights {
    /// Looks up every tensor of files whose bytes are at hand; reads none yet.
    ///
    /// # Errors
    /// As [`Self::from_source`].
    pub fn open(files: &ModelFiles) -> Result<Self, ModelError> {
        let sizes: Vec<u64> = files.weights.iter().map(|(_, bytes)| bytes.len() as u64).collect();
        Self::from_source(files, &sizes, Rc::new(BytesAtHand::of(files)))
    }

    /// Looks up every tensor of files of these sizes, in the order of `files.weights`; reads their
    /// headers through `source`, and nothing behind them yet.
    ///
    /// # Errors
    /// A `config.json` that is no model's; a file that is not safetensors or was cut off; a tensor
    /// that is missing, of another shape or type than the config says, or that the model has no
    /// place for.
    pub fn from_source<W>(
        files: &ModelFiles<W>,
        sizes: &[u64],
        source: Rc<dyn Source>,
    ) -> Result<Self, ModelError> {
        let named = files.weights.iter().zip(sizes);
        let named: Vec<(&str, u64)> = named.map(|((name, _), &size)| (&name[..], size)).collect();
        let bytes = |file, range| source.read(file, range);
        let mut tokenizer = None;
        let (mut shape, names, places) = if let Some(config) = &files.config {
            let (shape, names) = family::read(&String::from_utf8_lossy(config))?;
            (shape, names, TensorPlaces::read(&named, files.index.as_ref(), bytes)?)
        } else {
            let (metadata, places) = gguf::split::read(&named, bytes)?;
            let table = |name: &str| table(&places, &*source, name);
            let (shape, names) = family::gguf::read(&metadata, &places, table)?;
            if files.tokenizer.is_none() {
                let json = vocabulary::tokenizer_json(&metadata)?;
                tokenizer = json.map(|json| TokenizerFiles::Json(FileBytes::Owned(json)));
            }
            (shape, names, places)
        };
        let assembly = Assembly::new(&shape, names, &places);
        let embedding = assembly.embedding()?;
        let positions = assembly.positions()?;
        let head = assembly.head()?;
        let head_bias = assembly.head_bias()?;
        let blocks = shape.blocks.iter().enumerate();
        let blocks = blocks.map(|(number, block)| assembly.block(number, block));
        let blocks = blocks.collect::<Result<_, _>>()?;
        let (final_norm, final_norm_bias) = assembly.final_norm()?;
        assembly.check_all_used()?;
        // transformers multiplies by a scale of the embedding's own type, and so it was trained.
        shape.input.scale = embedding.dtype_of(0).nearest(shape.input.scale);
        Ok(Self {
            embedding,
            positions,
            head,
            head_bias,
            final_norm,
            final_norm_bias,
            blocks,
            files: places.files,
            tokenizer,
            source,
            finite: FiniteParts::default(),
            shape,
        })
    }

    /// The vocabulary that the weights carry, where none lies beside them.
    pub fn tokenizer(&self) -> Option<&TokenizerFiles> {
        self.tokenizer.as_ref()
    }

    /// Rows `rows` of a matrix, which are of one type ([`Matrix::slices`] sees to it), in that type;
    /// borrowed where they lie one after the other in memory. The bytes are aligned to nothing.
    ///
    /// # Errors
    /// The file cannot be read; a NaN or an infinity among the numbers, with tensor and element.
    pub fn rows(&self, matrix: &Matrix, rows: Range<usize>) -> Result<Tensor<'_>, ModelError> {
        let (dtype, columns) = (matrix.dtype_of(rows.start), matrix.columns);
        let read = self.reader().rows(&matrix.segments, columns, dtype, rows.clone());
        Ok(Tensor { dtype, rows: rows.len(), columns, bytes: read? })
    }

    /// The rows named, as f32, one after the other: `[ids, columns]`.
    ///
    /// # Errors
    /// As [`Self::rows`]; an id that is no row's.
    pub fn gather(&self, matrix: &Matrix, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
        let mut out = Vec::with_capacity(ids.len() * matrix.columns);
        for &id in ids {
            let row = id as usize;
            if row >= matrix.rows {
                let vocabulary = matrix.rows;
                return Err(ModelError::TokenId { id, vocabulary });
            }
            let row = self.rows(matrix, row..row + 1)?;
            row.dtype.widen(&row.bytes, &mut out);
        }
        self.check_unchanged()?;
        Ok(out)
    }

    /// `[length]`, as f32.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn vector(&self, vector: &Vector) -> Result<Vec<f32>, ModelError> {
        let all = 0..vector.length;
        let reader = self.reader();
        let mut out = Vec::with_capacity(vector.length);
        let bytes = reader.rows(&vector.segments, 1, DType::F32, all)?;
        DType::F32.widen(&bytes, &mut out);
        if vector.plus != 0.0 {
            out.iter_mut().for_each(|number| *number += vector.plus);
        }
        Ok(out)
    }

    /// The output rows' matrix.
    pub fn head(&self) -> &Matrix {
        self.head.as_ref().unwrap_or(&self.embedding)
    }

    /// The matrices of all blocks.
    pub fn block_matrices(&self) -> impl Iterator<Item = &Matrix> {
        self.blocks.iter().flat_map(|block| &block.matrices)
    }

    /// All vectors, those outside of blocks last.
    pub fn vectors(&self) -> impl Iterator<Item = &Vector> {
        let blocks = self.blocks.iter().flat_map(|block| &block.vectors);
        let ends = [&self.final_norm_bias, &self.head_bias];
        blocks.map(|(_, vector)| vector).chain([&self.final_norm]).chain(ends.into_iter().flatten())
    }

    /// Numbers the model stores, shared ones once.
    pub fn parameters(&self) -> u64 {
        let is_own = !self.shape.head.tied;
        let ends =
            [Some(&self.embedding), self.positions.as_ref(), self.head.as_ref().filter(|_| is_own)];
        let matrices = self.block_matrices().chain(ends.into_iter().flatten());
        let vectors = self.vectors().map(|vector| vector.length as u64);
        matrices.map(Matrix::numbers).chain(vectors).sum()
    }

    /// Bytes of its numbers as they are stored.
    pub fn bytes(&self) -> WeightBytes {
        WeightBytes::of(self)
    }

    /// Checks that the files are what they were when they were opened; an answer that was computed of
    /// [`Self::rows`] is right only if this holds afterwards.
    ///
    /// # Errors
    /// [`ModelError::Changed`]
    pub fn check_unchanged(&self) -> Result<(), ModelError> {
        self.source.check_unchanged()
    }

    /// Whether reading rows costs nothing; see [`Source::is_at_hand`].
    pub fn is_at_hand(&self) -> bool {
        self.source.is_at_hand()
    }

    /// Says that what was read so far will not be read again soon.
    pub fn release(&self) {
        self.source.release();
    }

    fn reader(&self) -> SegmentReader<'_> {
        SegmentReader { source: &*self.source, files: &self.files, finite: &self.finite }
    }
}

/// A stored vector, as f32.
fn table(places: &TensorPlaces, source: &dyn Source, name: &str) -> Result<Vec<f32>, ModelError> {
    let length = match places.shape(name) {
        Some(&[length]) => length,
        _ => 0,
    };
    let found = places.find(name, &[length], "rotary frequencies are stretched by it")?;
    let bytes = source.read(found.file, found.bytes)?;
    let mut numbers = Vec::new();
    found.dtype.widen(&bytes, &mut numbers);
    Ok(numbers)
}
