//! The `geometry` part of a report: how the residual stream moves under a plan
//! (docs/definitions.md, section 9).

use serde::{Deserialize, Serialize};

use crate::measure::similarity::cosine_map;
use crate::measure::trajectory::{expodistance, line_shape_score, path};
use crate::plan::Plan;
use crate::study::StudyError;
use atelier_kernels::linear::principal::paths;

/// One plan's stream on the same prompts. S + 1 states: before the first step and after each, the
/// final norm not applied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// In the one-line notation.
    pub plan: String,
    /// Prompts the means are over.
    pub prompts: usize,
    /// `[S + 1][S + 1]` cosine of each pair of states of all tokens, mean over prompts.
    pub cosine_map: Vec<Vec<f64>>,
    /// Line-shape score of the last token's path: 1 for a straight line. Mean over the prompts that have one;
    /// `None` where none has (a stream that never moves).
    pub line_shape_score: Option<f64>,
    /// Spread of the growth of the last token's state from step to step, relative to its mean. Mean
    /// over the prompts that have one.
    pub expodistance: Option<f64>,
    pub trajectories: Trajectories,
}

/// The first prompt's tokens on the two principal components of their last states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectories {
    /// Share of the last states' variance that each component carries.
    pub explained: [f64; 2],
    /// `[T][S + 1]` where each token stands after each step.
    pub tokens: Vec<Vec<[f64; 2]>>,
}

/// A geometry being averaged, prompt by prompt.
pub struct Averaging {
    width: usize,
    geometry: Geometry,
    /// Prompts behind the two means.
    lines: usize,
    growths: usize,
}

impl Averaging {
    /// `width` is D.
    pub fn new(plan: &Plan, width: usize) -> Self {
        Self {
            width,
            geometry: Geometry { plan: plan.to_string(), ..Geometry::default() },
            lines: 0,
            growths: 0,
        }
    }

    /// A prompt's states `[S + 1][T * D]`.
    ///
    /// # Errors
    /// If the plane of its tokens' last states is not found.
    pub fn add(&mut self, states: &[Vec<f32>]) -> Result<(), StudyError> {
        let geometry = &mut self.geometry;
        geometry.prompts += 1;
        let map = cosine_map(states);
        if geometry.prompts == 1 {
            geometry.cosine_map = vec![vec![0.0; map.len()]; map.len()];
            let (plane, tokens) = paths(states, self.width).ok_or(StudyError::NoPlane)?;
            geometry.trajectories = Trajectories { explained: plane.explained, tokens };
        }
        for (means, row) in geometry.cosine_map.iter_mut().zip(&map) {
            for (mean, x) in means.iter_mut().zip(row) {
                step(mean, *x, geometry.prompts);
            }
        }
        let tokens = states.first().map_or(0, Vec::len) / self.width.max(1);
        let last = path(states, self.width, tokens.saturating_sub(1));
        if let Some(score) = line_shape_score(&last) {
            self.lines += 1;
            step(geometry.line_shape_score.get_or_insert(0.0), score, self.lines);
        }
        if let Some(distance) = expodistance(&last) {
            self.growths += 1;
            step(geometry.expodistance.get_or_insert(0.0), distance, self.growths);
        }
        Ok(())
    }

    /// Over all prompts that were added.
    pub fn mean(self) -> Geometry {
        self.geometry
    }
}

/// A running mean's next value, the `n`th.
fn step(mean: &mut f64, x: f64, n: usize) {
    *mean += (x - *mean) / n as f64;
}
