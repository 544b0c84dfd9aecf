//! Coupling of models, or of moments of one's training, against what they can and what they are.

use super::{
    Cost, CouplingMetric, ModelCoupling, Relation, RelationTo, ScatterPoint, TaskCoupling,
};
use crate::measure::interval::Mean;
use crate::study::orders::Sweep;
use crate::study::report::Report;

/// Quantities that models' couplings are compared with, the mean cost of other orders on the same rows included.
const OVER_MODELS: [RelationTo; 8] = [
    RelationTo::Accuracy,
    RelationTo::Depth,
    RelationTo::Width,
    RelationTo::Training,
    RelationTo::MeanSwapAccuracy,
    RelationTo::MeanSwapMargin,
    RelationTo::MeanDropAccuracy,
    RelationTo::MeanDropMargin,
];

/// On every task that all have, or on the one prompt.
pub fn relations(models: &[ModelCoupling]) -> Vec<Relation> {
    let mut found = Vec::new();
    // Moments of a training stand in its order, whatever the order in which they were named.
    let in_order = models.iter().all(|model| model.training_step.is_some());
    let mut sorted: Vec<&ModelCoupling> = models.iter().collect();
    if in_order {
        sorted.sort_by_key(|model| model.training_step);
    }
    let tasks = models.first().map_or(&[][..], |first| &first.report.task_coupling);
    let places = tasks.iter().map(|task| Some(task.task.as_str())).chain([None]);
    for place in places {
        let Some(tops) = tops(models, place) else {
            continue;
        };
        for k in tops {
            for metric in CouplingMetric::ALL {
                for to in OVER_MODELS {
                    let points = sorted.iter().filter_map(|model| {
                        Some(ScatterPoint {
                            name: model.report.model.name.clone(),
                            x: of_model(&model.report, place, k, metric)?,
                            y: quantity(model, place, to)?,
                        })
                    });
                    let task = place.map(str::to_owned);
                    let points = points.collect();
                    found.extend(Relation::of(to, task, k, metric, points, in_order));
                }
            }
        }
    }
    found
}

/// Every K that all models have there; `None` where one of them was not there.
fn tops(models: &[ModelCoupling], task: Option<&str>) -> Option<Vec<usize>> {
    let of = |model: &ModelCoupling| -> Option<Vec<usize>> {
        match task {
            Some(_) => Some(of_task(&model.report, task)?.top.clone()),
            None => Some(model.report.coupling.as_ref()?.top.clone()),
        }
    };
    let all: Option<Vec<Vec<usize>>> = models.iter().map(of).collect();
    let all = all?;
    let mut first = all.first()?.clone();
    first.retain(|k| all.iter().all(|other| other.contains(k)));
    Some(first)
}

fn of_task<'a>(report: &'a Report, task: Option<&str>) -> Option<&'a TaskCoupling> {
    let mut all = report.task_coupling.iter();
    all.find(|found| Some(found.task.as_str()) == task)
}

fn of_model(report: &Report, task: Option<&str>, k: usize, metric: CouplingMetric) -> Option<f64> {
    if task.is_some() {
        let both = of_task(report, task)?.depth_wise.get(&k)?.coupling;
        return Some(metric.of(both)?.mean);
    }
    metric.of(report.coupling.as_ref()?.depth_wise.get(&k)?.coupling)
}

/// `None` where the model has none: a prompt has no right answer, one block no neighbour.
fn quantity(model: &ModelCoupling, task: Option<&str>, to: RelationTo) -> Option<f64> {
    let report = &model.report;
    let mean = |sweep: Sweep, of: fn(&Cost) -> Mean| {
        let costs = of_task(report, task)?.costs.iter();
        let costs = costs.filter(|cost| cost.is_of(sweep));
        let costs: Vec<f64> = costs.map(|cost| of(cost).mean).collect();
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    };
    match to {
        RelationTo::Accuracy => Some(of_task(report, task)?.accuracy?.mean),
        RelationTo::Depth => Some(steps(report, task)? as f64),
        RelationTo::Width => Some(report.model.width as f64),
        RelationTo::Training => Some(model.training_step? as f64),
        RelationTo::MeanSwapAccuracy => mean(Sweep::Swap, |cost| cost.accuracy),
        RelationTo::MeanSwapMargin => mean(Sweep::Swap, |cost| cost.margin),
        RelationTo::MeanDropAccuracy => mean(Sweep::Drop, |cost| cost.accuracy),
        RelationTo::MeanDropMargin => mean(Sweep::Drop, |cost| cost.margin),
        // These are of one model's own steps.
        RelationTo::SwapAccuracy
        | RelationTo::SwapMargin
        | RelationTo::DropAccuracy
        | RelationTo::DropMargin => None,
    }
}

/// Number of steps of the plan that ran, which may be another plan than the model's own order.
fn steps(report: &Report, task: Option<&str>) -> Option<usize> {
    Some(match task {
        Some(_) => of_task(report, task)?.steps.len(),
        None => report.coupling.as_ref()?.steps.len(),
    })
}
