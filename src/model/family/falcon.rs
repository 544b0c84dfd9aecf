//! Falcon (7b, and models of its shape): LayerNorm, one norm for both branches side by side, all
//! query heads share one key and one value; output rows are the embedding's unless told otherwise.

use super::fields::Fields;
use super::names::{LLAMA, Names, QkvNames, UpNames};
use super::rope;
use super::sizes::{NAMED, Sizes, activation, layer_norm};
use crate::model::ModelError;
use crate::model::shape::{Activation, ModelShape, Residual};

pub const NAMES: Names = Names {
    prefix: "transformer.",
    embedding: "word_embeddings",
    final_norm: "ln_f",
    blocks: "h.",
    // One key head after all query heads, or one after each: either way group by group.
    qkv: QkvNames::Grouped("self_attention.query_key_value"),
    out: "self_attention.dense",
    up: UpNames::One("mlp.dense_h_to_4h"),
    down: "mlp.dense_4h_to_h",
    ..LLAMA
};

/// The context of the published models, whose configs do not say it.
const CONTEXT: usize = 2048;

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    fields.must_be(&[
        ("alibi", false, "atelier runs Falcon models with rotary positions only"),
        ("new_decoder_architecture", false, "atelier runs Falcon models of the 7b's shape only"),
        ("parallel_attn", true, "atelier runs Falcon models whose branches run side by side only"),
        (
            "apply_residual_connection_post_layernorm",
            false,
            "atelier adds branches to the stream before its norm",
        ),
    ])?;
    let (width, heads) = (fields.size("hidden_size")?, fields.size("num_attention_heads")?);
    let sizes = Sizes {
        vocabulary: fields.size("vocab_size")?,
        width,
        mlp_width: fields.optional_size("ffn_hidden_size")?.unwrap_or(4 * width),
        blocks: fields.size("num_hidden_layers")?,
        heads,
        kv_heads: if fields.flag("multi_query", true)? { 1 } else { heads },
        head_width: 0,
        context: fields.optional_size("max_position_embeddings")?.unwrap_or(CONTEXT),
    }
    .checked(NAMED, None)?;
    let bias = fields.flag("bias", false)?;
    let rope = rope::read(fields, rope::WHOLE, sizes.head_width, sizes.context)?;
    let block = sizes.plain_block(
        layer_norm(fields, "layer_norm_epsilon")?,
        Residual::Parallel { shared_norm: true },
        Some(rope),
        activation(fields, "activation", Activation::GeluErf)?,
        bias,
    );
    sizes.model(fields, block, true)
}
