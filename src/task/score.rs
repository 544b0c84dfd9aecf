//! What it means for a row to be answered right (MATH section 8).

use serde::{Deserialize, Serialize};

/// How a task's rows are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// The likeliest of the options' single tokens.
    Option,
    /// The likeliest continuation, by the sum of its tokens' log-probabilities (ARC, HellaSwag,
    /// WinoGrande).
    Continuation,
    /// Every token of the last word is the likeliest one (LAMBADA).
    LastWord,
    /// The text written greedily holds the right number (GSM8K).
    Generate,
}
