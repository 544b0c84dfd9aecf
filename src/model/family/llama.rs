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
    with(fields, rope::WHOLE, None, false)
}

/// Reads a model of Llama's blocks with full attention. The config says whether attention has biases and
/// whether rows are tied; heads are `head_width` wide where it gives no width.
pub fn with(
    fields: &Fields,
    rope: RopeFields,
    head_width: Option<usize>,
    tied_by_default: bool,
) -> Result<ModelShape, ModelError> {
    let sizes = Sizes::read(fields, head_width)?;
    let rope = rope::read(fields, rope, sizes.head_width, sizes.context)?;
    let bias = fields.flag("attention_bias", false)?;
    fields.must_be(&[("mlp_bias", false, "atelier runs gated MLPs without biases only")])?;
    let block = BlockShape {
        norm: rms_norm(fields)?,
        placement: NormPlacement::Before,
        residual: Residual::Sequential,
        attention: AttentionShape {
            qkv_bias: bias,
            out_bias: bias,
            rope: Some(rope),
            ..sizes.attention()
        },
        mlp: MlpShape {
            width: sizes.mlp_width,
            is_gated: true,
            activation: activation(fields, "hidden_act", Activation::Silu)?,
            has_bias: false,
        },
    };
    let mut shape = sizes.model(fields, block, tied_by_default)?;
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
