//! A scatter plot of couplings against something else, and what it comes to.

use serde::{Deserialize, Serialize};

use crate::measure::coupling::BothMetrics;
use crate::measure::scatter::Together;

/// The quantity that a coupling is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationTo {
    /// Two neighbours' coupling (mean of both directions) against the accuracy that exchanging them costs.
    SwapAccuracy,
    /// Two neighbours' coupling (mean of both directions) against the margin that exchanging them costs.
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
    /// Against the accuracy that exchanging two neighbours costs, the mean over all neighbours.
    MeanSwapAccuracy,
    /// Against the margin that exchanging two neighbours costs, the mean over all neighbours.
    MeanSwapMargin,
    /// Against the accuracy that leaving a step out costs, the mean over all steps.
    MeanDropAccuracy,
    MeanDropMargin,
}

/// A scatter plot, and what it comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    pub to: RelationTo,
    /// Name of the task that the models answered; `None` for models on one prompt, and for the steps of one model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    pub k: usize,
    /// Which metric x is of: `off_diagonal` or `singular`.
    pub metric: CouplingMetric,
    pub points: Vec<ScatterPoint>,
    /// Steps, neighbouring pairs and moments of a training stand in an order, in which neighbours are alike.
    #[serde(default)]
    pub in_order: bool,
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

impl CouplingMetric {
    /// Both, the one of the paper's text first.
    pub const ALL: [Self; 2] = [Self::OffDiagonal, Self::Singular];

    /// Returns this metric's number of both.
    pub fn of<T>(self, both: BothMetrics<T>) -> T {
        match self {
            Self::OffDiagonal => both.off_diagonal,
            Self::Singular => both.singular,
        }
    }
}

/// A step, a pair of steps or a model: its coupling, and what it is held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScatterPoint {
    /// `3`, `3-4`, or a model's name.
    pub name: String,
    /// The coupling: 1 less the mis-coupling.
    pub x: f64,
    pub y: f64,
}

impl Relation {
    /// The coefficients of its points, or of some of them in the same order.
    pub fn together(&self) -> fn(&[f64], &[f64]) -> Together {
        together(self.in_order)
    }

    /// `None` for fewer than two points, or where all stand at one y.
    pub(super) fn of(
        to: RelationTo,
        task: Option<String>,
        k: usize,
        metric: CouplingMetric,
        points: Vec<ScatterPoint>,
        in_order: bool,
    ) -> Option<Self> {
        let first = points.first()?.y;
        if points.iter().all(|point| point.y == first) {
            return None;
        }
        let x: Vec<f64> = points.iter().map(|point| point.x).collect();
        let y: Vec<f64> = points.iter().map(|point| point.y).collect();
        let together = together(in_order);
        Some(Self {
            to,
            task,
            k,
            metric,
            in_order,
            all: together(&x, &y),
            left_out: Together::each_left_out(&x, &y, together),
            points,
        })
    }
}

fn together(in_order: bool) -> fn(&[f64], &[f64]) -> Together {
    if in_order { Together::in_order } else { Together::of }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_all_cost_the_same_relate_to_nothing() {
        let point = |y: f64, x: f64| ScatterPoint { name: String::new(), x, y };
        let of = |points: Vec<ScatterPoint>| {
            let metric = CouplingMetric::Singular;
            Relation::of(RelationTo::SwapMargin, None, 8, metric, points, true)
        };
        assert_eq!(of(vec![point(0.5, 1.0), point(0.5, 2.0)]), None);
        let found = of(vec![point(0.0, 1.0), point(1.0, 2.0), point(2.0, 3.0), point(3.0, 4.0)]);
        let found = found.expect("a relation");
        assert!((found.all.pearson.expect("r").r - 1.0).abs() < 1e-12);
        assert_eq!(found.left_out.len(), 4);
    }
}
