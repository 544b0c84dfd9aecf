//! Numbers as they are stored: a [`DType`] and, where they lie, bytes that nobody has converted.
//!
//! A type of numbers is a variant here, its blocks' layout in [`super::blocks`], and a kernel in each
//! backend.

use std::borrow::Cow;

use half::{bf16, f16};

use super::blocks;

/// A type of numbers that weights are stored in: plain ones, or GGUF's blocks of neighbours that
/// share their scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    F32,
    F16,
    Bf16,
    Q8_0,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q4K,
    Q5K,
    Q6K,
}

impl DType {
    /// The dtypes whose numbers stand alone.
    pub const PLAIN: [Self; 3] = [Self::F32, Self::F16, Self::Bf16];

    /// The dtypes whose numbers come in blocks.
    pub const BLOCKS: [Self; 8] = [
        Self::Q8_0,
        Self::Q4_0,
        Self::Q4_1,
        Self::Q5_0,
        Self::Q5_1,
        Self::Q4K,
        Self::Q5K,
        Self::Q6K,
    ];

    /// For people: `"bf16"`, `"q4_K"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Q8_0 => "q8_0",
            Self::Q4_0 => "q4_0",
            Self::Q4_1 => "q4_1",
            Self::Q5_0 => "q5_0",
            Self::Q5_1 => "q5_1",
            Self::Q4K => "q4_K",
            Self::Q5K => "q5_K",
            Self::Q6K => "q6_K",
        }
    }

    /// Numbers of a block, which are stored together; 1 of a plain type.
    pub fn block(self) -> usize {
        match self {
            Self::F32 | Self::F16 | Self::Bf16 => 1,
            Self::Q8_0 | Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 => 32,
            Self::Q4K | Self::Q5K | Self::Q6K => 256,
        }
    }

    /// Bytes of a block.
    pub fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Q8_0 => 34,
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q4K => 144,
            Self::Q5K => 176,
            Self::Q6K => 210,
        }
    }

    /// Whether numbers come in blocks that share a scale.
    pub fn is_block(self) -> bool {
        self.block() > 1
    }

    /// Bytes that `elements` neighbouring numbers take, which are whole blocks.
    pub fn bytes_of(self, elements: u64) -> u64 {
        let blocks = elements.div_ceil(self.block() as u64);
        blocks.saturating_mul(self.block_bytes() as u64)
    }

    /// The number of this type that is nearest to `number`.
    pub fn nearest(self, number: f32) -> f32 {
        match self {
            Self::F32 => number,
            Self::F16 => f16::from_f32(number).to_f32(),
            Self::Bf16 => bf16::from_f32(number).to_f32(),
            // Blocks are widened to f32 before anything is done with them.
            _ => number,
        }
    }

    /// Appends every number of `bytes` to `out`, as f32; nothing is lost.
    pub fn widen(self, bytes: &[u8], out: &mut Vec<f32>) {
        let halves = bytes.as_chunks().0.iter();
        match self {
            Self::F32 => out.extend(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
            Self::F16 => out.extend(halves.map(|b| f16::from_le_bytes(*b).to_f32())),
            Self::Bf16 => out.extend(halves.map(|b| bf16::from_le_bytes(*b).to_f32())),
            _ => {
                let start = out.len();
                let count = bytes.len() / self.block_bytes() * self.block();
                out.resize(start + count, 0.0);
                blocks::widen(self, bytes, &mut out[start..]);
            }
        }
    }
}

/// `"f32"`, `"f16 and f32"`, `"q4_K, q6_K and f32"`: each once, for people.
pub fn names(dtypes: impl IntoIterator<Item = DType>) -> String {
    let mut dtypes: Vec<DType> = dtypes.into_iter().collect();
    dtypes.sort_unstable();
    dtypes.dedup();
    let names: Vec<&str> = dtypes.into_iter().map(DType::name).collect();
    match names.split_last() {
        Some((last, [])) => last.to_string(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Some rows of a matrix, as they are stored: `[rows, columns]`, row-major, little-endian.
#[derive(Clone, Debug)]
pub struct Tensor<'a> {
    pub dtype: DType,
    pub rows: usize,
    pub columns: usize,
    /// `dtype.bytes_of(rows * columns)` of them.
    pub bytes: Cow<'a, [u8]>,
}

impl Tensor<'_> {
    /// Borrows the rows.
    pub fn lent(&self) -> Tensor<'_> {
        Tensor { bytes: Cow::Borrowed(&self.bytes), ..*self }
    }

    /// `[rows * columns]`, as f32.
    pub fn to_f32(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.rows * self.columns);
        self.dtype.widen(&self.bytes, &mut out);
        out
    }
}
