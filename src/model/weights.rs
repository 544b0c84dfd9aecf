//! All tensors of a model as f32 arrays, in the layout that engines want: projections that read the
//! same input are fused, whatever the checkpoint's own spelling.

use super::{Architecture, Checkpoint, ModelConfig, ModelError};

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

const EMBEDDING: &str = "model.embed_tokens.weight";
const OUTPUT: &str = "lm_head.weight";

impl Weights {
    /// Reads and checks every tensor; `progress(done, of)` counts blocks and is called before each.
    pub fn load(
        config: &ModelConfig,
        checkpoint: &Checkpoint,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, ModelError> {
        let (v, d) = (config.vocabulary, config.width);
        let read = |tensor: &str, shape: &[usize], hint: &str| {
            let mut out = Vec::new();
            checkpoint
                .read_into(&mut out, tensor, shape, hint)
                .map(|()| out)
        };
        // A tied checkpoint stores the shared rows once, under either name.
        let stored = if config.tied && !checkpoint.contains(EMBEDDING) {
            OUTPUT
        } else {
            EMBEDDING
        };
        let embedding = read(stored, &[v, d], "every model has an embedding")?;
        let output = if config.tied {
            None
        } else {
            let hint = "tie_word_embeddings is not true, so the output rows must be stored";
            Some(read(OUTPUT, &[v, d], hint)?)
        };
        let blocks = (0..config.blocks)
            .map(|block| {
                progress(block, config.blocks);
                checkpoint.release();
                BlockWeights::load(config, checkpoint, block)
            })
            .collect::<Result<_, _>>()?;
        let final_norm = read("model.norm.weight", &[d], "every model has a final norm")?;
        checkpoint.release();
        progress(config.blocks, config.blocks);
        Ok(Self {
            embedding,
            output,
            final_norm,
            blocks,
        })
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

impl BlockWeights {
    fn load(
        config: &ModelConfig,
        checkpoint: &Checkpoint,
        block: usize,
    ) -> Result<Self, ModelError> {
        let (d, f) = (config.width, config.mlp_width);
        let (q, kv) = (
            config.heads * config.head_width,
            config.kv_heads * config.head_width,
        );
        let hint = format!("num_hidden_layers is {}", config.blocks);
        let read = |parts: &[(&str, &[usize])]| {
            let mut out = Vec::new();
            for (part, shape) in parts {
                checkpoint.read_into(
                    &mut out,
                    &format!("model.layers.{block}.{part}.weight"),
                    shape,
                    &hint,
                )?;
            }
            Ok::<_, ModelError>(out)
        };
        let fused = config.architecture == Architecture::Phi3;
        Ok(Self {
            attention_norm: read(&[("input_layernorm", &[d])])?,
            qkv: if fused {
                read(&[("self_attn.qkv_proj", &[q + 2 * kv, d])])?
            } else {
                read(&[
                    ("self_attn.q_proj", &[q, d]),
                    ("self_attn.k_proj", &[kv, d]),
                    ("self_attn.v_proj", &[kv, d]),
                ])?
            },
            o: read(&[("self_attn.o_proj", &[d, q])])?,
            mlp_norm: read(&[("post_attention_layernorm", &[d])])?,
            gate_up: if fused {
                read(&[("mlp.gate_up_proj", &[2 * f, d])])?
            } else {
                read(&[("mlp.gate_proj", &[f, d]), ("mlp.up_proj", &[f, d])])?
            },
            down: read(&[("mlp.down_proj", &[d, f])])?,
        })
    }
}
