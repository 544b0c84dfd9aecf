//! Coupling over rows of a task: the `task_coupling` part of a report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::relation::Relation;
use super::result::{CouplingMethod, ProductCount};
use crate::measure::coupling::BothMetrics;
use crate::measure::interval::Mean;
use crate::study::orders::{Fingerprint, Sweep};

/// One model on the rows of one task, the last token of each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskCoupling {
    /// A task's name, or a file's.
    pub task: String,
    /// Rows done of those asked for; fewer when it was stopped.
    pub rows: usize,
    pub rows_asked: usize,
    /// Resamples of the bootstrap behind the intervals.
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
    /// Mean line-shape score, over the rows that have one; likewise the next field.
    pub line_shape_score: Option<Mean>,
    pub expodistance: Option<Mean>,
    /// Share of right answers under this plan; `None` where the rows have no right answer to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Mean>,
    /// Costs of leaving out each step, and of exchanging each two neighbours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Cost>,
    /// Coupling against those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    /// The rows' own couplings: the means are made of them, and a stopped run resumes from them. `[rows]`
    pub each: Vec<CouplingRow>,
}

/// Means over the rows on which the pair is defined; `None` where it is on none. `[S][S]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanMap {
    pub off_diagonal: Vec<Vec<Option<Mean>>>,
    pub singular: Vec<Vec<Option<Mean>>>,
    /// Mean of the rows' own couplings.
    pub coupling: BothMetrics<Option<Mean>>,
    pub chance: BothMetrics<f64>,
    /// Rows on which a column's basis is ill-posed: see
    /// [`Spectrum::gap`](crate::measure::coupling::Spectrum::gap). `[S]`
    pub ill_posed: Vec<usize>,
}

/// `[S]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// Cost of one other order on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `drop:3`, `swap:3`: see [`Sweep`](crate::study::orders::Sweep).
    pub order: String,
    /// The step left out, or the first of the two exchanged.
    pub at: usize,
    /// The share of right answers lost.
    pub accuracy: Mean,
    /// Loss of the margin (the right option's logit less the best other's), logits.
    pub margin: Mean,
}

impl Cost {
    /// Is it one of this sweep's orders?
    pub fn is_of(&self, sweep: Sweep) -> bool {
        let name = self.order.split_once(':');
        name.is_some_and(|(name, _)| name == sweep.name())
    }
}
