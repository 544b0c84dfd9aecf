//! Accuracy against MSE, bias and diversity over the models' junction points (*Diversity of
//! Transformer Layers*, section 5.2, Fig. 3; docs/definitions.md, section 6).

use serde::{Deserialize, Serialize};

use super::report::{SurveyCell, SurveyedOutcome};
use crate::measure::correlation::{
    CorrelationKind, OverGroups, fisher_mean, over_groups, standardised,
};
use crate::measure::decomposition::Triple;
use crate::study::report::AverageDepth;

/// One task's, or the mean over tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlated {
    /// Index of the task; `None` for the mean over all, through Fisher's z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<usize>,
    /// Models whose junction points are in it.
    pub models: usize,
    /// Models left out because one of the four is the same at every junction point.
    pub constant: usize,
    pub probability: ColumnCorrelations,
    pub logit: ColumnCorrelations,
    /// By the part of the logits that moves probabilities. Correlations of parts do not add up.
    pub centred: ColumnCorrelations,
    pub paper: ColumnCorrelations,
}

/// Accuracy against each; the signs are such that a positive one means "better goes with better".
/// `None` where there is no coefficient, p is `None` for means over tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnCorrelations {
    pub minus_mse: Pair,
    pub minus_bias: Pair,
    pub diversity: Pair,
}

/// The two coefficients of one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pearson: Option<Coefficient>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spearman: Option<Coefficient>,
}

/// A correlation, and what it is of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    pub r: f64,
    /// Two-sided, of the models' own coefficients, since junction points of one model depend on each other;
    /// `None` for fewer than three models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Junction points, or tasks for a mean over them.
    pub n: usize,
}

impl From<OverGroups> for Coefficient {
    fn from(found: OverGroups) -> Self {
        Self { r: found.r, p: found.test.map(|test| test.p), n: found.points }
    }
}

/// A column of a junction point.
type DepthColumn = fn(&AverageDepth) -> Triple;
const PICKS: [DepthColumn; 4] =
    [|d| d.triples.probability, |d| d.triples.logit, |d| d.triples.centred, |d| d.triples.paper];

/// For every task that has cells, then over tasks.
pub fn correlations(cells: &[SurveyCell], tasks: usize) -> Vec<Correlated> {
    let mut all: Vec<Correlated> = (0..tasks).filter_map(|task| of_task(cells, task)).collect();
    if let Some(mean) = over_tasks(&all) {
        all.push(mean);
    }
    all
}

fn of_task(cells: &[SurveyCell], task: usize) -> Option<Correlated> {
    let curves: Vec<&[AverageDepth]> = cells
        .iter()
        .filter(|cell| cell.task == task)
        .filter_map(|cell| match &cell.outcome {
            SurveyedOutcome::Found(found) => Some(&found.averages.by_depth[..]),
            SurveyedOutcome::Failed(_) => None,
        })
        .collect();
    if curves.is_empty() {
        return None;
    }
    let mut constant = 0;
    let [probability, logit, centred, paper] = PICKS.map(|pick| {
        let (columns, left_out) = columns(&curves, pick);
        constant = constant.max(left_out);
        columns
    });
    Some(Correlated {
        task: Some(task),
        models: curves.len() - constant,
        constant,
        probability,
        logit,
        centred,
        paper,
    })
}

/// All models' points together, each model's standardised by itself.
fn columns(curves: &[&[AverageDepth]], pick: DepthColumn) -> (ColumnCorrelations, usize) {
    let values: [fn(&AverageDepth, Triple) -> f64; 4] =
        [|depth, _| depth.accuracy, |_, t| -t.mse, |_, t| -t.bias, |_, t| t.diversity];
    let models: Vec<[Vec<f64>; 4]> = curves
        .iter()
        .map(|curve| values.map(|value| curve.iter().map(|d| value(d, pick(d))).collect()))
        .filter(|model: &[Vec<f64>; 4]| model.iter().all(|curve| standardised(curve).is_some()))
        .collect();
    let pair = |quantity: usize| {
        let groups: Vec<[&[f64]; 2]> =
            models.iter().map(|model| [&model[0][..], &model[quantity][..]]).collect();
        let found = |kind| over_groups(kind, &groups).map(Coefficient::from);
        Pair {
            pearson: found(CorrelationKind::Pearson),
            spearman: found(CorrelationKind::Spearman),
        }
    };
    let columns =
        ColumnCorrelations { minus_mse: pair(1), minus_bias: pair(2), diversity: pair(3) };
    (columns, curves.len() - models.len())
}

fn over_tasks(tasks: &[Correlated]) -> Option<Correlated> {
    let models = tasks.iter().map(|task| task.models).max()?;
    let mean = |of: &dyn Fn(&Correlated) -> Option<Coefficient>| {
        let each: Vec<(f64, usize)> =
            tasks.iter().filter_map(|t| of(t).map(|found| (found.r, found.n))).collect();
        Some(Coefficient { r: fisher_mean(&each)?, p: None, n: each.len() })
    };
    let columns = |of: fn(&Correlated) -> &ColumnCorrelations| {
        let pair = |pair: fn(&ColumnCorrelations) -> &Pair| Pair {
            pearson: mean(&|task| pair(of(task)).pearson),
            spearman: mean(&|task| pair(of(task)).spearman),
        };
        ColumnCorrelations {
            minus_mse: pair(|columns| &columns.minus_mse),
            minus_bias: pair(|columns| &columns.minus_bias),
            diversity: pair(|columns| &columns.diversity),
        }
    };
    Some(Correlated {
        task: None,
        models,
        constant: 0,
        probability: columns(|task| &task.probability),
        logit: columns(|task| &task.logit),
        centred: columns(|task| &task.centred),
        paper: columns(|task| &task.paper),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::decomposition::Triples;

    fn curve(accuracy: &[f64], mse: &[f64]) -> Vec<AverageDepth> {
        let depth = |(i, (&accuracy, &mse)): (usize, (&f64, &f64))| {
            let triple = Triple {
                mse,
                bias: 2.0 * mse + 0.01 * (i * i) as f64,
                diversity: mse + 0.01 * (i * i) as f64,
            };
            let triples = Triples { probability: triple, logit: triple, ..Triples::default() };
            AverageDepth { members: i + 1, triples, accuracy }
        };
        accuracy.iter().zip(mse).enumerate().map(depth).collect()
    }

    #[test]
    fn models_are_standardised_by_themselves_and_constants_left_out() {
        // Far apart as they are, each falls as it gets better: pooled raw they would not.
        let low = curve(&[0.1, 0.2, 0.3], &[0.03, 0.02, 0.01]);
        let high = curve(&[0.7, 0.8, 0.9], &[0.9, 0.8, 0.7]);
        let still = curve(&[0.5, 0.5, 0.5], &[0.3, 0.2, 0.1]);
        let (found, constant) = columns(&[&low, &high, &still], |depth| depth.triples.probability);
        assert_eq!(constant, 1);
        let pearson = found.minus_mse.pearson.expect("six points");
        assert!((pearson.r - 1.0).abs() < 1e-12 && pearson.n == 6, "{pearson:?}");
        assert_eq!(pearson.p, None, "two models say nothing of other models");
        let third = curve(&[0.2, 0.5, 0.3], &[0.5, 0.4, 0.1]);
        let (found, _) = columns(&[&low, &high, &third], |depth| depth.triples.probability);
        let pearson = found.minus_mse.pearson.expect("nine points");
        assert!(pearson.n == 9 && pearson.p.is_some_and(|p| 0.05 < p && p < 0.5), "{pearson:?}");
        let (none, constant) = columns(&[&still], |depth| depth.triples.logit);
        assert_eq!((none, constant), (ColumnCorrelations::default(), 1));
    }
}
