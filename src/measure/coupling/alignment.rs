use serde::{Deserialize, Serialize};

/// A number of each of the two metrics, which are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BothMetrics<T> {
    /// `||A - diag A||_F / ||A||_F`, the paper's text.
    pub off_diagonal: T,
    /// `|| |A| - diag(s) ||_F / ||s||`, the paper's released code.
    pub singular: T,
}

/// Why a Jacobian has no mis-coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// The output's position does not see the input's: a later token, or one outside the window.
    Unseen,
    /// All of it is zero: the output does not depend on the input.
    Zero,
    /// As a basis: its Kth singular value is at most [`BOTTOM`] of the first, so that the Kth vectors
    /// are any vectors.
    Rank,
}

/// Share of the first singular value at which the Kth counts as zero.
pub const BOTTOM: f64 = 1e-6;
