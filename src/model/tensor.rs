//! Numbers as they are stored: a [`DType`] and, where they lie, bytes that nobody has converted.
//!
//! This is the one place that knows how a stored type is laid out; a new one (GGUF's blocks) is a
//! variant here, and a kernel in each backend.

use std::borrow::Cow;

use half::{bf16, f16};

/// A type of numbers that weights are stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    F32,
    F16,
    Bf16,
}

impl DType {
    pub const ALL: [Self; 3] = [Self::F32, Self::F16, Self::Bf16];

    /// For people: `"bf16"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }

    /// Bytes that `elements` neighbouring numbers take.
    pub fn bytes_of(self, elements: u64) -> u64 {
        match self {
            Self::F32 => elements.saturating_mul(4),
            Self::F16 | Self::Bf16 => elements.saturating_mul(2),
        }
    }

    /// The number of this type that is nearest to `number`.
    pub fn nearest(self, number: f32) -> f32 {
        match self {
            Self::F32 => number,
            Self::F16 => f16::from_f32(number).to_f32(),
            Self::Bf16 => bf16::from_f32(number).to_f32(),
        }
    }

    /// Appends every number of `bytes` to `out`, as f32; nothing is lost.
    pub fn widen(self, bytes: &[u8], out: &mut Vec<f32>) {
        let halves = bytes.as_chunks().0.iter();
        match self {
            Self::F32 => out.extend(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
            Self::F16 => out.extend(halves.map(|b| f16::from_le_bytes(*b).to_f32())),
            Self::Bf16 => out.extend(halves.map(|b| bf16::from_le_bytes(*b).to_f32())),
        }
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
    /// `[rows * columns]`, as f32.
    pub fn to_f32(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.rows * self.columns);
        self.dtype.widen(&self.bytes, &mut out);
        out
    }
}
