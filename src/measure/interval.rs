//! Means with bootstrap intervals.

use serde::{Deserialize, Serialize};

/// A mean over rows and its 95 % percentile interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}
