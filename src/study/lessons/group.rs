//! Rows of one task, as a step asks for them.

use serde::{Deserialize, Serialize};

use crate::task::primer::ROWS_SEED;

/// Rows of one task: held-out ones of a generated task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowGroup {
    pub task: String,
    /// The name that fields use, where the task's name is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub count: usize,
    #[serde(default = "rows_seed")]
    pub seed: u64,
    /// Only rows of this level, in the task's own count; of all in turn where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Rows or prompt for a model that reads plain English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<PlainGroup>,
}

/// Rows of a task in plain English, the first of the task's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlainGroup {
    pub task: String,
    pub count: usize,
}

fn rows_seed() -> u64 {
    ROWS_SEED
}

impl RowGroup {
    /// Returns the name that fields use.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.task)
    }
}
