//! Phi-3, Phi-3.5 and Phi-4: Llama's block with fused matrices; of Phi-4-mini's heads a part turns.

use super::fields::Fields;
use super::llama;
use super::names::{LLAMA, Names, QkvNames, UpNames};
use super::rope::{RopeFields, WHOLE};
use crate::model::{ModelError, ModelShape};

pub const NAMES: Names = Names {
    qkv: QkvNames::Fused("self_attn.qkv_proj"),
    up: UpNames::One("mlp.gate_up_proj"),
    ..LLAMA
};

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    llama::no_attention_bias(fields)?;
    let rope = RopeFields { part: Some(("partial_rotary_factor", 1.0)), ..WHOLE };
    let mut shape = llama::unbiased(fields, rope, None)?;
    let window = fields.window("sliding_window", None, shape.context)?;
    for block in &mut shape.blocks {
        block.attention.window = window;
    }
    Ok(shape)
}
