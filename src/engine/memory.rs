//! How much memory a model takes, known before any of it is read.

use std::fmt;

use crate::model::ModelConfig;

/// Tokens of the prompt that the estimate is made for (or the model's context, if that is less).
const TOKENS: usize = 256;

/// Residual streams of one prompt that wait at once while two orders of blocks are compared.
const STREAMS: usize = 3;

/// Bytes of a model and of one prompt of up to 256 tokens through it, under two orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Numbers the model stores, shared ones once.
    pub parameters: usize,
    pub weights: u64,
    /// Streams and a block's insides, f32.
    pub activations: u64,
    /// Members at the last token and states of all tokens, f32.
    pub capture: u64,
}

impl Memory {
    /// With weights of `bytes_a_number`.
    pub fn of(config: &ModelConfig, bytes_a_number: u64) -> Self {
        let (d, f) = (config.width, config.mlp_width);
        let attended = config.heads * config.head_width;
        let qkv = attended + 2 * config.kv_heads * config.head_width;
        let block = 2 * d + (qkv + attended) * d + 3 * f * d;
        let heads = if config.tied { 1 } else { 2 };
        let parameters = heads * config.vocabulary * d + config.blocks * block + d;
        let tokens = TOKENS.min(config.context);
        let inside = 2 * d + qkv + attended + 3 * f;
        let runs = config.order.len();
        let captured = 2 * (1 + 2 * runs) * d + 2 * (runs + 1) * tokens * d;
        Self {
            parameters,
            weights: parameters as u64 * bytes_a_number,
            activations: (tokens * (STREAMS * d + 2 * inside) * 4) as u64,
            capture: captured as u64 * 4,
        }
    }

    pub fn total(&self) -> u64 {
        self.weights + self.activations + self.capture
    }
}

impl fmt::Display for Memory {
    /// `"531 MB: weights 498, activations 24, recorded 9"`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mb = |bytes: u64| bytes.div_ceil(1_000_000);
        write!(
            f,
            "{} MB: weights {}, activations {}, recorded {}",
            mb(self.total()),
            mb(self.weights),
            mb(self.activations),
            mb(self.capture)
        )
    }
}
