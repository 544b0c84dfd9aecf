//! What was found over rows of a task, and over models: the `task_coupling` part of a report, and the
//! file that compares several.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::result::{CouplingMethod, ProductCount};
use crate::measure::coupling::BothMetrics;
use crate::measure::interval::Mean;
use crate::measure::scatter::Together;
use crate::study::orders::Fingerprint;
use crate::study::report::Report;

/// One model on the rows of one task, the last token of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskCoupling {
    /// A task's name, or a file's.
    pub task: String,
    /// Rows done of those asked for; fewer when it was stopped.
    pub rows: usize,
    pub rows_asked: usize,
    /// Of the bootstrap behind the intervals.
    pub resamples: usize,
    pub seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// In the one-line notation.
    pub plan: String,
    /// `[S]`
    pub steps: Vec<String>,
    /// Every K, ascending.
    pub top: Vec<usize>,
    pub method: CouplingMethod,
    pub products: ProductCount,
    /// For every K.
    pub depth_wise: BTreeMap<usize, MeanMap>,
    pub linearised: MeanLinearised,
    /// Of the rows that have one, as the next.
    pub line_shape_score: Option<Mean>,
    pub expodistance: Option<Mean>,
    /// Share of right answers under this plan; `None` where the rows have no right answer to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Mean>,
    /// What the answers lose when a step is left out, and when two neighbours are exchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Cost>,
    /// Coupling against those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    /// What the means are made of, and what a stopped run goes on from. `[rows]`
    pub each: Vec<CouplingRow>,
}

/// Means over the rows on which the pair is defined; `None` where it is on none. `[S][S]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanMap {
    pub off_diagonal: Vec<Vec<Option<Mean>>>,
    pub singular: Vec<Vec<Option<Mean>>>,
    /// Of the rows' own couplings.
    pub coupling: BothMetrics<Option<Mean>>,
    pub chance: BothMetrics<f64>,
    /// Rows on which a column's basis is ill-posed: see
    /// [`Spectrum::gap`](crate::measure::coupling::Spectrum::gap). `[S]`
    pub ill_posed: Vec<usize>,
}

/// `[S]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanLinearised {
    pub cosine: Vec<Option<Mean>>,
    pub relative_error: Vec<Option<Mean>>,
}

/// One row's numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CouplingRow {
    /// For every K.
    pub depth_wise: BTreeMap<usize, RowMap>,
    /// `[S]`
    pub cosine: Vec<Option<f64>>,
    pub relative_error: Vec<Option<f64>>,
    pub line_shape_score: Option<f64>,
    pub expodistance: Option<f64>,
}

/// One row's map, row after row, in f32. `[S S]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowMap {
    pub off_diagonal: Vec<Option<f32>>,
    pub singular: Vec<Option<f32>>,
    /// `[S]`
    pub gap: Vec<Option<f32>>,
}

/// What one other order costs on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `drop:3`, `swap:3`: see [`Sweep`](crate::study::orders::Sweep).
    pub order: String,
    /// The step left out, or the first of the two exchanged.
    pub at: usize,
    /// The share of right answers lost.
    pub accuracy: Mean,
    /// What the right option's lead over the best other loses, logits.
    pub margin: Mean,
}

/// What a coupling is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationTo {
    /// Two neighbours' coupling (mean of both directions) against the accuracy that exchanging them costs.
    SwapAccuracy,
    /// The same against the margin that it costs.
    SwapMargin,
    /// A step's mean coupling with all others against the accuracy that leaving it out costs.
    DropAccuracy,
    DropMargin,
    /// Models: the mean coupling against the share of right answers.
    Accuracy,
    /// Against the number of steps.
    Depth,
    Width,
    /// Against the steps of training behind a checkpoint.
    Training,
}

/// A scatter plot, and what it comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    pub to: RelationTo,
    /// Of models on a task: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    pub k: usize,
    /// Which metric x is of: `off_diagonal` or `singular`.
    pub metric: CouplingMetric,
    pub points: Vec<ScatterPoint>,
    pub all: Together,
    /// Without each point in turn. `[points]`
    pub left_out: Vec<Together>,
}

/// The two ways to say how far a Jacobian is from acting along the singular vectors of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CouplingMetric {
    OffDiagonal,
    Singular,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// A step, a pair of steps or a model: its coupling, and what it is held against.
pub struct ScatterPoint {
    /// `3`, `3-4`, or a model's name.
    pub name: String,
    /// The coupling: 1 less the mis-coupling.
    pub x: f64,
    pub y: f64,
}

/// The whole file of several models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelsCouplingReport {
    /// Version of the layout: [`crate::study::report::VERSION`].
    pub atelier: u32,
    pub coupling_models: ModelsCoupling,
}

/// Several models, each with its own report of the same prompt or of the same tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelsCoupling {
    pub models: Vec<ModelCoupling>,
    /// Over the models.
    pub relations: Vec<Relation>,
}

/// One model's couplings among those of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCoupling {
    /// Steps of training behind it, where its name says so (`…-step-004000`, `@step1000`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training_step: Option<u64>,
    pub report: Report,
}
