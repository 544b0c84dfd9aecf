//! Qwen3: Llama's block, whose queries and keys go through an RMSNorm head by head; heads have a
//! width of their own.

use super::fields::Fields;
use super::sizes::Sizes;
use super::{llama, qwen2, rope};
use crate::model::shape::QkNorm;
use crate::model::{ModelError, ModelShape};

/// Default of transformers where `head_dim` is absent.
const HEAD_WIDTH: usize = 128;

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let bias = fields.flag("attention_bias", false)?;
    let sizes = Sizes::read_with(fields, Some(HEAD_WIDTH))?;
    let mut shape = llama::of_sizes(fields, sizes, rope::WHOLE)?;
    for block in &mut shape.blocks {
        block.attention.qkv_bias = bias;
        block.attention.out_bias = bias;
        block.attention.qk_norm = QkNorm::Head;
    }
    qwen2::set_windows(&mut shape, fields)?;
    Ok(shape)
}
