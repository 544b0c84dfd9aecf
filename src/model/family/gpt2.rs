//! GPT-2: LayerNorm, learned positions, biases everywhere; matrices are stored `[in, out]`, and the
//! file may or may not put `transformer.` before its names.

use super::fields::Fields;
use super::names::{LLAMA, Names, QkvNames, UpNames};
use super::sizes::{Sizes, activation, layer_norm};
use crate::model::ModelError;
use crate::model::shape::{Activation, ModelShape, Residual};

pub const NAMES: Names = Names {
    prefix: "transformer.",
    embedding: "wte",
    positions: "wpe",
    final_norm: "ln_f",
    blocks: "h.",
    blocks_field: "n_layer",
    attention_norm: "ln_1",
    qkv: QkvNames::Fused("attn.c_attn"),
    out: "attn.c_proj",
    mlp_norm: "ln_2",
    up: UpNames::One("mlp.c_fc"),
    down: "mlp.c_proj",
    is_transposed: true,
    mask: Some("attn.bias"),
    ..LLAMA
};

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let by_width = "atelier divides scores by the square root of the head's width";
    let by_number = "atelier does not scale scores by the block's number";
    fields.must_be(&[
        ("scale_attn_weights", true, by_width),
        ("scale_attn_by_inverse_layer_idx", false, by_number),
        ("add_cross_attention", false, "atelier runs decoders without an encoder"),
    ])?;
    let (width, heads) = (fields.size("n_embd")?, fields.size("n_head")?);
    let context = match fields.optional_size("n_positions")? {
        Some(context) => context,
        None => fields.size("n_ctx")?,
    };
    let sizes = Sizes {
        vocabulary: fields.size("vocab_size")?,
        width,
        mlp_width: fields.optional_size("n_inner")?.unwrap_or(4 * width),
        blocks: fields.size("n_layer")?,
        heads,
        kv_heads: heads,
        head_width: 0,
        context,
    }
    .checked(["n_embd", "n_layer"], None)?;
    let block = sizes.plain_block(
        layer_norm(fields, "layer_norm_epsilon")?,
        Residual::Sequential,
        None,
        activation(fields, "activation_function", Activation::GeluTanh)?,
        true,
    );
    let mut shape = sizes.model(fields, block, true)?;
    shape.input.learned_positions = true;
    Ok(shape)
}
