//! Llama, and what is spelled so: TinyLlama, SmolLM2, the scholars. It is also what Mistral,
//! Phi-3, MobileLLM, Qwen, Gemma and OLMo 2 begin from.

use super::fields::Fields;
use super::rope::{self, RopeFields};
use super::sizes::{Sizes, activation, rms_norm};
use crate::model::ModelError;
use crate::model::shape::{
    Activation, AttentionShape, BlockShape, MlpShape, ModelShape, NormPlacement, Residual,
};

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let bias = fields.flag("attention_bias", false)?;
    let sizes = Sizes::read(fields)?;
    let mut shape = of_sizes(fields, sizes, rope::WHOLE)?;
    for block in &mut shape.blocks {
        block.attention.qkv_bias = bias;
        block.attention.out_bias = bias;
    }
    Ok(shape)
}

/// Llama's block with full attention and without biases; rows tied where the config says so.
pub fn of_sizes(fields: &Fields, sizes: Sizes, rope: RopeFields) -> Result<ModelShape, ModelError> {
    let rope = rope::read(fields, rope, sizes.head_width, sizes.context)?;
    fields.must_be("mlp_bias", false, "atelier runs gated MLPs without biases only")?;
    let block = BlockShape {
        norm: rms_norm(fields)?,
        placement: NormPlacement::Before,
        residual: Residual::Sequential,
        attention: AttentionShape { rope: Some(rope), ..sizes.attention() },
        mlp: MlpShape {
            width: sizes.mlp_width,
            is_gated: true,
            activation: activation(fields, "hidden_act", Activation::Silu)?,
            has_bias: false,
        },
    };
    let mut shape = sizes.model(fields, block)?;
    // MobileLLM's spellings, which its Llama exports have kept.
    shape.head.ignores_stored = fields.flag("share_embedding", false)?;
    shape.head.tied = fields.flag("tie_word_embeddings", false)? || shape.head.ignores_stored;
    if fields.flag("layer_sharing", false)? {
        shape.order = (0..sizes.blocks * 2).map(|run| run / 2).collect();
    }
    Ok(shape)
}

/// Refuses a bias that a family's attention does not have.
pub fn no_attention_bias(fields: &Fields) -> Result<(), ModelError> {
    fields.must_be("attention_bias", false, "the attention of this family has no biases")
}
