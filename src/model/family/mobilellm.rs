//! MobileLLM: Llama's block. `share_embedding` ties the output rows although `tie_word_embeddings`
//! says no, and with `layer_sharing` every stored block runs twice in a row.

use super::fields::Fields;
use super::llama;
use crate::model::{ModelError, ModelShape};

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    llama::shape(fields)
}
