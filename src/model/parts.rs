//! A checkpoint in parts, one after the other, so that no one ever holds all of it: which bytes a
//! part is made of, and what they become. Where the bytes come from (a mapped file, a reader's
//! drop, a download) is the caller's.

use std::ops::Range;

use super::checkpoint::Slice;
use super::{Architecture, BlockWeights, Checkpoint, ModelConfig, ModelError};

/// Bytes of f32 that the rows of one part of the embedding make.
const ROWS_BYTES: usize = 32 << 20;

const EMBEDDING: &str = "model.embed_tokens.weight";
const OUTPUT: &str = "lm_head.weight";

/// Some of a model's weights, checked, in the layout that engines want.
pub enum Part {
    /// Rows `[R, D]` of the embedding, in order.
    Embedding(Vec<f32>),
    /// Rows `[R, D]` of the output head, in order; none where it is the embedding.
    Output(Vec<f32>),
    /// The next block's.
    Block(BlockWeights),
    /// `[D]`
    FinalNorm(Vec<f32>),
}

/// All parts of a checkpoint, by what they are made of.
pub struct Parts<'a> {
    checkpoint: &'a Checkpoint,
    parts: Vec<(Kind, Vec<Slice>)>,
}

#[derive(Clone, Copy)]
enum Kind {
    Embedding,
    Output,
    Block,
    FinalNorm,
}

/// How many tensors make each matrix of a block.
#[derive(Clone, Copy)]
struct Fused {
    qkv: usize,
    gate_up: usize,
}

impl<'a> Parts<'a> {
    /// Looks every tensor up before any is read.
    ///
    /// # Errors
    /// One that is missing, or of another shape or type.
    pub fn new(config: &ModelConfig, checkpoint: &'a Checkpoint) -> Result<Self, ModelError> {
        let (v, d) = (config.vocabulary, config.width);
        let mut parts = Vec::new();
        // A tied checkpoint stores the shared rows once, under either name.
        let stored = if config.tied && !checkpoint.contains(EMBEDDING) {
            OUTPUT
        } else {
            EMBEDDING
        };
        let embedding = checkpoint.find(stored, &[v, d], "every model has an embedding")?;
        let rows = |slice: &Slice, kind: Kind| {
            let cut = |rows: Range<usize>| (kind, vec![slice.rows(rows, d)]);
            cuts(v, d).into_iter().map(cut).collect::<Vec<_>>()
        };
        parts.extend(rows(&embedding, Kind::Embedding));
        if !config.tied {
            let hint = "tie_word_embeddings is not true, so the output rows must be stored";
            parts.extend(rows(&checkpoint.find(OUTPUT, &[v, d], hint)?, Kind::Output));
        }
        for block in 0..config.blocks {
            parts.push((Kind::Block, tensors(config, checkpoint, block)?));
        }
        let hint = "every model has a final norm";
        let norm = checkpoint.find("model.norm.weight", &[d], hint)?;
        parts.push((Kind::FinalNorm, vec![norm]));
        Ok(Self { checkpoint, parts })
    }

    pub fn len(&self) -> usize {
        self.parts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// What the `n`th part is made of.
    pub fn slices(&self, n: usize) -> &[Slice] {
        &self.parts[n].1
    }

    /// The `n`th part, from the bytes of its slices.
    ///
    /// # Errors
    /// A NaN or an infinity among them.
    pub fn read<B: AsRef<[u8]>>(&self, n: usize, bytes: &[B]) -> Result<Part, ModelError> {
        let (kind, slices) = &self.parts[n];
        let mut left = slices.iter().zip(bytes);
        let mut next = |tensors: usize| {
            let mut out = Vec::new();
            for (slice, bytes) in left.by_ref().take(tensors) {
                self.checkpoint.convert(slice, bytes.as_ref(), &mut out)?;
            }
            Ok::<_, ModelError>(out)
        };
        Ok(match kind {
            Kind::Embedding => Part::Embedding(next(1)?),
            Kind::Output => Part::Output(next(1)?),
            Kind::FinalNorm => Part::FinalNorm(next(1)?),
            Kind::Block => {
                let fused = Fused::of(slices.len());
                Part::Block(BlockWeights {
                    attention_norm: next(1)?,
                    qkv: next(fused.qkv)?,
                    o: next(1)?,
                    mlp_norm: next(1)?,
                    gate_up: next(fused.gate_up)?,
                    down: next(1)?,
                })
            }
        })
    }
}

impl Fused {
    /// Four tensors of a block are always apart.
    fn of(tensors: usize) -> Self {
        let is_fused = tensors == 6;
        Self {
            qkv: if is_fused { 1 } else { 3 },
            gate_up: if is_fused { 1 } else { 2 },
        }
    }
}

/// Rows that are read at once.
fn cuts(rows: usize, columns: usize) -> Vec<Range<usize>> {
    let most = (ROWS_BYTES / 4 / columns.max(1)).max(1);
    let starts = (0..rows).step_by(most);
    starts
        .map(|start| start..(start + most).min(rows))
        .collect()
}

/// A block's tensors, in the order of [`BlockWeights`]' fields.
fn tensors(
    config: &ModelConfig,
    checkpoint: &Checkpoint,
    block: usize,
) -> Result<Vec<Slice>, ModelError> {
    let (d, f) = (config.width, config.mlp_width);
    let q = config.heads * config.head_width;
    let kv = config.kv_heads * config.head_width;
    let hint = format!("num_hidden_layers is {}", config.blocks);
    let attention: &[(&str, [usize; 2])] = if config.architecture == Architecture::Phi3 {
        &[("self_attn.qkv_proj", [q + 2 * kv, d])]
    } else {
        &[
            ("self_attn.q_proj", [q, d]),
            ("self_attn.k_proj", [kv, d]),
            ("self_attn.v_proj", [kv, d]),
        ]
    };
    let mlp: &[(&str, [usize; 2])] = if config.architecture == Architecture::Phi3 {
        &[("mlp.gate_up_proj", [2 * f, d])]
    } else {
        &[("mlp.gate_proj", [f, d]), ("mlp.up_proj", [f, d])]
    };
    let find = |name: &str, shape: &[usize]| {
        let tensor = format!("model.layers.{block}.{name}.weight");
        checkpoint.find(&tensor, shape, &hint)
    };
    let mut slices = vec![find("input_layernorm", &[d])?];
    for (name, shape) in attention {
        slices.push(find(name, shape)?);
    }
    slices.push(find("self_attn.o_proj", &[d, q])?);
    slices.push(find("post_attention_layernorm", &[d])?);
    for (name, shape) in mlp {
        slices.push(find(name, shape)?);
    }
    slices.push(find("mlp.down_proj", &[d, f])?);
    Ok(slices)
}
