//! All tensors of a model as f32 arrays, in the layout that engines want: projections that read the
//! same input are fused, whatever the checkpoint's own spelling.

use super::{Checkpoint, ModelConfig, ModelError, ModelFiles, Part, Parts};

/// Row-major, as stored by Hugging Face: `[out, in]`.
pub struct Weights {
    /// `[V, D]`
    pub embedding: Vec<f32>,
    /// `[V, D]`; `None`: the embedding's rows.
    pub output: Option<Vec<f32>>,
    /// `[D]`
    pub final_norm: Vec<f32>,
    /// L
    pub blocks: Vec<BlockWeights>,
}

pub struct BlockWeights {
    /// `[D]`
    pub attention_norm: Vec<f32>,
    /// [(heads + 2 kv_heads) head_width, D]: q rows, then k, then v.
    pub qkv: Vec<f32>,
    /// [D, heads head_width]
    pub o: Vec<f32>,
    /// `[D]`
    pub mlp_norm: Vec<f32>,
    /// `[2 F, D]`: gate rows, then up.
    pub gate_up: Vec<f32>,
    /// `[D, F]`
    pub down: Vec<f32>,
}

impl Weights {
    /// Room for the parts to come.
    pub fn new(config: &ModelConfig) -> Self {
        let rows = || Vec::with_capacity(config.vocabulary * config.width);
        Self {
            embedding: rows(),
            output: (!config.tied).then(rows),
            final_norm: Vec::new(),
            blocks: Vec::with_capacity(config.blocks),
        }
    }

    /// Adds the next part.
    pub fn take(&mut self, part: Part) {
        match part {
            Part::Embedding(rows) => self.embedding.extend(rows),
            Part::Output(rows) => self.output.get_or_insert_default().extend(rows),
            Part::Block(block) => self.blocks.push(block),
            Part::FinalNorm(norm) => self.final_norm = norm,
        }
    }

    /// Reads and checks every tensor of files whose bytes are at hand.
    ///
    /// # Errors
    /// The first tensor that is missing, or not what the config says.
    pub fn load(config: &ModelConfig, files: &ModelFiles) -> Result<Self, ModelError> {
        let checkpoint = Checkpoint::open(files)?;
        let parts = Parts::new(config, &checkpoint)?;
        let mut weights = Self::new(config);
        for n in 0..parts.len() {
            weights.take(parts.read(n, &files.bytes(parts.slices(n)))?);
        }
        Ok(weights)
    }

    /// Numbers stored; shared ones once.
    pub fn parameters(&self) -> usize {
        let block = |b: &BlockWeights| {
            b.attention_norm.len()
                + b.qkv.len()
                + b.o.len()
                + b.mlp_norm.len()
                + b.gate_up.len()
                + b.down.len()
        };
        self.embedding.len()
            + self.output.as_ref().map_or(0, Vec::len)
            + self.final_norm.len()
            + self.blocks.iter().map(block).sum::<usize>()
    }
}
