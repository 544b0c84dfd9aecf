//! How much memory a model takes, known before any of it is read.

use std::fmt;

use crate::model::DType;
use crate::model::weights::Weights;

/// Bytes that a browser's 32-bit memory has room for, beside the program itself.
pub const WASM_MOST: u64 = 3_500_000_000;

/// Tokens of the prompt that the estimate is made for (or the model's context, if that is less).
const TOKENS: u64 = 256;

/// Residual streams of one prompt that wait at once while two orders of blocks are compared.
const STREAMS: u64 = 3;

/// Bytes of a model and of one prompt of up to 256 tokens through it, under two orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The blocks' weights as a device holds them; of the embedding only the rows that a run needs are
    /// read.
    pub weights: u64,
    /// The output head, where a copy is held: the processor reads it where it lies, if that is in memory.
    pub head: u64,
    /// Streams and a block's insides, f32.
    pub activations: u64,
    /// Members at the last token and states of all tokens, f32.
    pub capture: u64,
}

impl Memory {
    /// On the processor: every matrix in the type in which it is stored. Output rows that are not at hand are held
    /// where there is room for them; else they are read again for every token.
    pub fn on_processor(weights: &Weights) -> Self {
        let with_head = Self::on_device(weights, None);
        let is_held = !weights.is_at_hand() && with_head.fits_processor();
        Self { head: if is_held { with_head.head } else { 0 }, ..with_head }
    }

    /// Whether the processor has room: in a browser a program's memory has an end.
    pub fn fits_processor(&self) -> bool {
        !cfg!(target_arch = "wasm32") || self.total() <= WASM_MOST
    }

    /// On a device that holds every matrix in the type in which it is stored, or in `dtype`.
    pub fn on_device(weights: &Weights, dtype: Option<DType>) -> Self {
        let shape = &weights.shape;
        let matrices = weights.blocks.iter().flat_map(|block| &block.matrices);
        let d = shape.width as u64;
        let inside = shape.blocks.iter().map(|block| {
            let (attention, mlp) = (&block.attention, &block.mlp);
            let widths = attention.qkv_width() + attention.attended_width();
            2 * d + (widths + mlp.up_rows() + mlp.width) as u64
        });
        let inside = inside.max().unwrap_or(0);
        let tokens = TOKENS.min(shape.context as u64);
        let runs = shape.order.len() as u64;
        Self {
            weights: matrices.map(|matrix| matrix.bytes_in(dtype)).sum(),
            head: weights.head().bytes_in(dtype),
            activations: tokens * (STREAMS * d + 2 * inside) * 4,
            capture: (2 * (1 + 2 * runs) * d + 2 * (runs + 1) * tokens * d) * 4,
        }
    }

    /// All together, in bytes.
    pub fn total(&self) -> u64 {
        self.weights + self.head + self.activations + self.capture
    }
}

impl fmt::Display for Memory {
    /// `"561 MB: weights 498, unembedding 30, activations 24, recorded 9"`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mb = |bytes: u64| bytes.div_ceil(1_000_000);
        write!(f, "{} MB: weights {}", mb(self.total()), mb(self.weights))?;
        if self.head > 0 {
            write!(f, ", unembedding {}", mb(self.head))?;
        }
        write!(f, ", activations {}, recorded {}", mb(self.activations), mb(self.capture))
    }
}
