//! OLMo 2: Llama's branches with their norms behind them, and RMSNorms of queries and keys over all
//! heads at once.

use super::fields::Fields;
use super::llama;
use super::names::{LLAMA, Names};
use crate::model::shape::{NormPlacement, QkNorm};
use crate::model::{ModelError, ModelShape};

pub const NAMES: Names = Names {
    attention_norm: "post_attention_layernorm",
    mlp_norm: "post_feedforward_layernorm",
    ..LLAMA
};

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let mut shape = llama::shape(fields)?;
    for block in &mut shape.blocks {
        block.placement = NormPlacement::After;
        block.attention.qk_norm = QkNorm::Full;
    }
    Ok(shape)
}
