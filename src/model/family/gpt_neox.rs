//! GPT-NeoX (Pythia): LayerNorm, both branches side by side, a part of every head turns; queries,
//! keys and values are stored head by head.

use super::fields::Fields;
use super::names::{LLAMA, Names, QkvNames, UpNames};
use super::rope::{self, RopeFields};
use super::sizes::{Sizes, activation, layer_norm};
use crate::model::ModelError;
use crate::model::shape::{Activation, ModelShape, Residual};

pub const NAMES: Names = Names {
    prefix: "gpt_neox.",
    embedding: "embed_in",
    final_norm: "final_layer_norm",
    head: "embed_out",
    qkv: QkvNames::Grouped("attention.query_key_value"),
    out: "attention.dense",
    up: UpNames::One("mlp.dense_h_to_4h"),
    down: "mlp.dense_4h_to_h",
    mask: Some("attention.bias"),
    ..LLAMA
};

const ROPE: RopeFields = RopeFields { theta: "rotary_emb_base", part: Some(("rotary_pct", 0.25)) };

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let sizes = Sizes::read(fields, None)?;
    let bias = fields.flag("attention_bias", true)?;
    let residual = if fields.flag("use_parallel_residual", true)? {
        Residual::Parallel { shared_norm: false }
    } else {
        Residual::Sequential
    };
    let rope = rope::read(fields, ROPE, sizes.head_width, sizes.context)?;
    let mut block = sizes.plain_block(
        layer_norm(fields, "layer_norm_eps")?,
        residual,
        Some(rope),
        activation(fields, "hidden_act", Activation::GeluErf)?,
        true,
    );
    block.attention.qkv_bias = bias;
    block.attention.out_bias = bias;
    sizes.model(fields, block, false)
}
