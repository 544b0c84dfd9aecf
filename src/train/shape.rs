//! The trained model's dimensions, and where each tensor lies in one flat vector of parameters.

use std::ops::Range;

/// A Llama-architecture decoder with tied embeddings. V vocabulary, D width, F inner width of the
/// MLP, L stored blocks, H heads, G key-value heads, E head width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    pub vocabulary: usize,
    pub width: usize,
    pub mlp_width: usize,
    /// Stored blocks.
    pub blocks: usize,
    /// How often each stored block runs, in a row: 2 is MobileLLM's layer sharing.
    pub repeats: usize,
    pub heads: usize,
    pub kv_heads: usize,
    /// Longest row, in tokens.
    pub context: usize,
}

/// Added to the mean square before its root (RMSNorm).
pub const RMS_NORM_EPS: f32 = 1e-5;
/// Base of the rotary frequencies.
pub const ROPE_THETA: f32 = 10_000.0;

/// One block's tensors as ranges of the flat parameters, each row-major `[out, in]`.
#[derive(Clone, Debug)]
pub struct BlockLayout {
    /// [D]
    pub attention_norm: Range<usize>,
    /// [(H + 2G) E, D]: queries, then keys, then values.
    pub qkv: Range<usize>,
    /// [D, H E]
    pub attention_out: Range<usize>,
    /// [D]
    pub mlp_norm: Range<usize>,
    /// [2F, D]: gate, then up.
    pub gate_up: Range<usize>,
    /// [D, F]
    pub down: Range<usize>,
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub struct ParameterLayout {
    /// [V, D], also the output rows.
    pub embedding: Range<usize>,
    pub blocks: Vec<BlockLayout>,
    /// [D]
    pub final_norm: Range<usize>,
    /// Parameters in all.
    pub len: usize,
}

impl Shape {
    pub fn head_width(&self) -> usize {
        self.width / self.heads
    }

    /// Columns of the fused query-key-value projection.
    pub fn qkv_width(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.head_width()
    }

    /// Numbers of a row of logits: the vocabulary, filled up to whole registers of any processor.
    pub fn logits_row(&self) -> usize {
        self.vocabulary.next_multiple_of(16)
    }

    /// Blocks run in a forward pass.
    pub fn runs(&self) -> usize {
        self.blocks * self.repeats
    }

    pub fn layout(&self) -> ParameterLayout {
        let mut end = 0;
        let mut take = |len: usize| {
            let start = end;
            end += len;
            start..end
        };
        let (d, f, q) = (self.width, self.mlp_width, self.qkv_width());
        let embedding = take(self.vocabulary * d);
        let blocks = (0..self.blocks)
            .map(|_| BlockLayout {
                attention_norm: take(d),
                qkv: take(q * d),
                attention_out: take(d * d),
                mlp_norm: take(d),
                gate_up: take(2 * f * d),
                down: take(d * f),
            })
            .collect();
        let final_norm = take(d);
        ParameterLayout { embedding, blocks, final_norm, len: end }
    }

    /// Draws fresh parameters: matrices normal with standard deviation `std`, norms one. `lookups.rs` changes
    /// some of them afterwards.
    pub fn initialise(&self, std: f32, seed: u64) -> Vec<f32> {
        let layout = self.layout();
        let mut dice = crate::task::primer::Dice::new(seed, u64::MAX);
        let mut parameters: Vec<f32> = (0..layout.len).map(|_| dice.normal() * std).collect();
        for block in &layout.blocks {
            parameters[block.attention_norm.clone()].fill(1.0);
            parameters[block.mlp_norm.clone()].fill(1.0);
        }
        parameters[layout.final_norm].fill(1.0);
        parameters
    }
}
