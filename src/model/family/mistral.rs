//! Mistral: Llama's block, whose attention may look back over a window only.

use super::fields::Fields;
use super::llama;
use crate::model::{ModelError, ModelShape};

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    llama::no_attention_bias(fields)?;
    llama::shape(fields)
}
