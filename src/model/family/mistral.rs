//! Mistral: Llama's block, whose attention may look back over a window only.

use super::fields::Fields;
use super::llama;
use crate::model::{ModelError, ModelShape};

/// The first models' window, which transformers takes where the field is absent; null is none.
const WINDOW: u64 = 4096;

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    llama::no_attention_bias(fields)?;
    let mut shape = llama::shape(fields)?;
    let window = fields.window("sliding_window", Some(WINDOW), shape.context)?;
    for block in &mut shape.blocks {
        block.attention.window = window;
    }
    Ok(shape)
}
