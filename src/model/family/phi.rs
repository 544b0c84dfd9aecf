//! Phi-1, Phi-1.5 and Phi-2: LayerNorm, one norm for both branches side by side, a part of every
//! head turns, biases everywhere, in the head too.

use super::fields::Fields;
use super::names::{LLAMA, Names, UpNames};
use super::rope::{self, RopeFields};
use super::sizes::{Sizes, activation, layer_norm};
use crate::model::ModelError;
use crate::model::shape::{Activation, ModelShape, Residual};

pub const NAMES: Names = Names {
    final_norm: "final_layernorm",
    out: "self_attn.dense",
    up: UpNames::One("mlp.fc1"),
    down: "mlp.fc2",
    ..LLAMA
};

const ROPE: RopeFields =
    RopeFields { theta: "rope_theta", part: Some(("partial_rotary_factor", 0.5)) };

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let why = "atelier runs Phi models without norms of queries and keys";
    fields.must_be(&[("qk_layernorm", false, why)])?;
    let sizes = Sizes::read(fields, None)?;
    let rope = rope::read(fields, ROPE, sizes.head_width, sizes.context)?;
    let block = sizes.plain_block(
        layer_norm(fields, "layer_norm_eps")?,
        Residual::Parallel { shared_norm: true },
        Some(rope),
        activation(fields, "hidden_act", Activation::GeluTanh)?,
        true,
    );
    let mut shape = sizes.model(fields, block, false)?;
    shape.head.has_bias = true;
    Ok(shape)
}
