//! The sizes that every family has, and a model of equal blocks made of them.

use super::fields::{Fields, LARGEST, config, expect, shown};
use crate::model::ModelError;
use crate::model::shape::{
    Activation, AttentionShape, BlockShape, HeadShape, InputShape, MlpShape, ModelShape, NormKind,
    NormPlacement, NormShape, QkNorm, Residual, RopeShape,
};

/// Blocks that a plan can hold even where each runs twice ([`crate::plan::MAX_RUNS`]).
const MOST_BLOCKS: usize = 2048;

/// Names of the width and of the number of blocks in the configs of Llama and most families.
pub const NAMED: [&str; 2] = ["hidden_size", "num_hidden_layers"];

/// A decoder's sizes; heads divide.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub vocabulary: usize,
    pub width: usize,
    pub mlp_width: usize,
    pub blocks: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub head_width: usize,
    pub context: usize,
}

impl Sizes {
    /// Reads the sizes of a config by the names that Llama and most families use; heads are `head_width` wide
    /// where the config gives no width of its own.
    ///
    /// # Errors
    /// A size that is missing, out of range, or does not divide another.
    pub fn read(fields: &Fields, head_width: Option<usize>) -> Result<Self, ModelError> {
        let heads = fields.size("num_attention_heads")?;
        Self {
            vocabulary: fields.size("vocab_size")?,
            width: fields.size("hidden_size")?,
            mlp_width: fields.size("intermediate_size")?,
            blocks: fields.size("num_hidden_layers")?,
            heads,
            kv_heads: fields.optional_size("num_key_value_heads")?.unwrap_or(heads),
            head_width: 0,
            context: fields.size("max_position_embeddings")?,
        }
        .checked(NAMED, fields.optional_size("head_dim")?.or(head_width))
    }

    /// With heads as wide as given, or else as the width divides.
    ///
    /// # Errors
    /// Heads that do not divide the width or one another, too many blocks.
    pub fn checked(
        self,
        [width_field, blocks_field]: [&'static str; 2],
        head_width: Option<usize>,
    ) -> Result<Self, ModelError> {
        let heads = self.heads;
        let fits = self.blocks <= MOST_BLOCKS;
        let expected = format_args!("it must be from 1 to {MOST_BLOCKS}");
        expect(blocks_field, self.blocks, fits, expected)?;
        let fits = head_width.is_some() || self.width.is_multiple_of(heads);
        let expected = format_args!("it must be a multiple of the {heads} heads");
        expect(width_field, self.width, fits, expected)?;
        let head_width = head_width.unwrap_or(self.width / heads);
        let fits = head_width <= LARGEST / heads;
        let expected = format_args!("all {heads} heads together must be at most {LARGEST} wide");
        expect("head_dim", head_width, fits, expected)?;
        let fits = heads.is_multiple_of(self.kv_heads);
        let expected = format_args!("it must divide the {heads} attention heads");
        expect("num_key_value_heads", self.kv_heads, fits, expected)?;
        Ok(Self { head_width, ..self })
    }

    /// Attention with these heads and no more to it.
    pub fn attention(&self) -> AttentionShape {
        AttentionShape {
            heads: self.heads,
            kv_heads: self.kv_heads,
            head_width: self.head_width,
            window: None,
            qkv_bias: false,
            out_bias: false,
            qk_norm: QkNorm::None,
            rope: None,
        }
    }

    /// A block with LayerNorms before its branches and an MLP without a gate, as GPT-2's and those after
    /// it, with biases everywhere or nowhere.
    pub fn plain_block(
        &self,
        norm: NormShape,
        residual: Residual,
        rope: Option<RopeShape>,
        activation: Activation,
        has_bias: bool,
    ) -> BlockShape {
        BlockShape {
            norm,
            placement: NormPlacement::Before,
            residual,
            attention: AttentionShape {
                qkv_bias: has_bias,
                out_bias: has_bias,
                rope,
                ..self.attention()
            },
            mlp: MlpShape { width: self.mlp_width, is_gated: false, activation, has_bias },
        }
    }

    /// A model of such blocks, run once each, from the embedding alone to rows that are tied where the config
    /// says so, or by default.
    ///
    /// # Errors
    /// Token ids that are none.
    pub fn model(
        &self,
        fields: &Fields,
        block: BlockShape,
        tied_by_default: bool,
    ) -> Result<ModelShape, ModelError> {
        let (bos, eos) = (fields.token("bos_token_id")?, fields.tokens("eos_token_id")?);
        Ok(ModelShape {
            family: fields.family,
            vocabulary: self.vocabulary,
            width: self.width,
            context: self.context,
            input: InputShape { scale: 1.0, learned_positions: false },
            head: HeadShape {
                norm: block.norm,
                tied: fields.flag("tie_word_embeddings", tied_by_default)?,
                ignores_stored: false,
                has_bias: false,
            },
            blocks: vec![block; self.blocks],
            order: (0..self.blocks).collect(),
            bos_token_id: bos,
            eos_token_ids: eos,
        })
    }
}

/// # Errors
/// No eps in the field, or one out of range.
pub fn rms_norm(fields: &Fields) -> Result<NormShape, ModelError> {
    Ok(NormShape { kind: NormKind::Rms, eps: fields.eps("rms_norm_eps")? })
}

/// # Errors
/// As [`rms_norm`].
pub fn layer_norm(fields: &Fields, eps: &'static str) -> Result<NormShape, ModelError> {
    Ok(NormShape { kind: NormKind::Layer, eps: fields.eps(eps)? })
}

/// # Errors
/// An activation that atelier does not run.
pub fn activation(
    fields: &Fields,
    field: &'static str,
    absent: Activation,
) -> Result<Activation, ModelError> {
    let Some(name) = fields.text(field)? else {
        return Ok(absent);
    };
    match name {
        "silu" | "swish" => Ok(Activation::Silu),
        "gelu" => Ok(Activation::GeluErf),
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Activation::GeluTanh),
        other => Err(config(
            field,
            shown(&other.into()),
            "atelier runs silu, gelu and gelu_new (gelu_pytorch_tanh)",
        )),
    }
}
