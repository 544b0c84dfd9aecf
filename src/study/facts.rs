//! A report's facts about its model.

use serde::{Deserialize, Serialize};

/// The model as far as a reader of the report needs it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    pub name: String,
    /// `"Llama"`, `"Phi-3"`, …
    pub architecture: String,
    /// Stored blocks; a plan's indices are below this.
    pub blocks: usize,
    /// The stored blocks in the order the model itself runs them: what named plans count in.
    pub order: Vec<usize>,
    pub width: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub vocabulary: usize,
    pub context: usize,
    pub parameters: u64,
}
