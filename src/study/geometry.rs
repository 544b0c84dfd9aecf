//! The `geometry` part of a report: how the residual stream moves under a plan (MATH section 9).

use serde::{Deserialize, Serialize};

/// One plan's stream on the same prompts. S + 1 states: before the first step and after each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// In the one-line notation.
    pub plan: String,
    /// Prompts the means are over.
    pub prompts: usize,
    /// `[S + 1][S + 1]` cosine of each pair of states, mean over prompts.
    pub cosine_map: Vec<Vec<f64>>,
    /// 1 for a straight line; mean over prompts.
    pub line_shape_score: f64,
    /// Spread of the growth of the stream's norm from state to state; mean over prompts.
    pub expodistance: f64,
    pub trajectories: Trajectories,
}

/// The first prompt's tokens on the two principal components of their last states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trajectories {
    /// Share of the last states' variance that each component carries.
    pub explained: [f64; 2],
    /// `[T][S + 1]` where each token stands after each step.
    pub tokens: Vec<Vec<[f64; 2]>>,
}
