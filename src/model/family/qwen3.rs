//! Qwen3: Llama's block, whose queries and keys go through an RMSNorm head by head; heads have a
//! width of their own.

use super::fields::Fields;
use super::{llama, qwen2};
use crate::model::shape::QkNorm;
use crate::model::{ModelError, ModelShape};

/// Default of transformers where `head_dim` is absent.
const HEAD_WIDTH: usize = 128;

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let mut shape = llama::maybe_biased(fields, Some(HEAD_WIDTH))?;
    for block in &mut shape.blocks {
        block.attention.qk_norm = QkNorm::Head;
    }
    qwen2::set_windows(&mut shape, fields)?;
    Ok(shape)
}
