//! Llama, and what is spelled so: TinyLlama, SmolLM2, the scholars. It is also what Mistral,
//! Phi-3, MobileLLM, Qwen, Gemma and OLMo 2 begin from.

use super::fields::Fields;
use super::rope::{self, RopeFields};
use super::sizes::{Sizes, activation, rms_norm};
use crate::model::ModelError;
use crate::model::shape::{
    Activation, AttentionShape, BlockShape, MlpShape, ModelShape, NormPlacement, Residual,
};

/// Reads Llama's configs, and MobileLLM's: there `share_embedding` ties the output rows although
/// `tie_word_embeddings` says no, and with `layer_sharing` every stored block runs twice in a row.
pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    maybe_biased(fields, None)
}

/// Reads a model as [`unbiased`] does, but the config says whether attention has biases.
pub fn maybe_biased(fields: &Fields, head_width: Option<usize>) -> Result<ModelShape, ModelError> {
    let bias = fields.flag("attention_bias", false)?;
    let mut shape = unbiased(fields, rope::WHOLE, head_width)?;
    for block in &mut shape.blocks {
        block.attention.qkv_bias = bias;
        block.attention.out_bias = bias;
    }
    Ok(shape)
}

/// Reads a model of Llama's blocks with full attention without biases, its rows tied where the config says
/// so; heads are `head_width` wide where the config gives no width.
pub fn unbiased(
    fields: &Fields,
    rope: RopeFields,
    head_width: Option<usize>,
) -> Result<ModelShape, ModelError> {
    let sizes = Sizes::read(fields, head_width)?;
    let rope = rope::read(fields, rope, sizes.head_width, sizes.context)?;
    fields.must_be(&[("mlp_bias", false, "atelier runs gated MLPs without biases only")])?;
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
    let mut shape = sizes.model(fields, block, false)?;
    // MobileLLM's spellings, which its Llama exports have kept.
    shape.head.ignores_stored = fields.flag("share_embedding", false)?;
    shape.head.tied |= shape.head.ignores_stored;
    if fields.flag("layer_sharing", false)? {
        shape.order = (0..sizes.blocks * 2).map(|run| run / 2).collect();
    }
    Ok(shape)
}

/// Refuses a bias that a family's attention does not have.
pub fn no_attention_bias(fields: &Fields) -> Result<(), ModelError> {
    fields.must_be(&[("attention_bias", false, "the attention of this family has no biases")])
}
