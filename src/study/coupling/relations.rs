//! Coupling against what other orders cost on the same rows, and, over models, against what they can.

use super::{
    Cost, CouplingMetric, MeanMap, ModelCoupling, Relation, RelationTo, ScatterPoint, TaskCoupling,
};
use crate::measure::interval::{Mean, Resamples};
use crate::measure::scatter::Together;
use crate::study::orders::{Orders, Sweep, Variant};
use crate::study::report::Report;

impl CouplingMetric {
    /// Both, the one of the paper's text first.
    pub const ALL: [Self; 2] = [Self::OffDiagonal, Self::Singular];
}

/// Share of right answers under this plan.
pub fn accuracy(orders: &Orders, plan: &str) -> Option<Mean> {
    let all = std::iter::once(&orders.original).chain(&orders.variants);
    let found = all.into_iter().find(|variant| variant.plan == plan);
    found.map(|variant| variant.measures.accuracy)
}

/// Of every step left out and every two neighbours exchanged, of a model of so many steps.
pub fn costs(orders: &Orders, steps: usize) -> Vec<Cost> {
    let resamples = Resamples::new(orders.rows, orders.resamples, orders.seed);
    let points = orders.points.iter().filter_map(|point| {
        let is_one = matches!(point.sweep, Sweep::Drop | Sweep::Swap) && point.at < steps;
        let variant = orders.variants.get(*point.variants.first()?)?;
        is_one.then(|| cost(orders, variant, point.at, &resamples))
    });
    points.collect()
}

fn cost(orders: &Orders, variant: &Variant, at: usize, resamples: &Resamples) -> Cost {
    let (before, after) = (&orders.original.rows, &variant.rows);
    let is_right = |right: &bool| f64::from(u8::from(*right));
    let pairs = before.correct.iter().zip(&after.correct);
    let right: Vec<f64> = pairs.map(|(a, b)| is_right(a) - is_right(b)).collect();
    let margins = before.margin.iter().zip(&after.margin);
    let margin: Vec<f64> = margins.map(|(a, b)| a - b).collect();
    Cost {
        order: variant.name.clone(),
        at,
        accuracy: resamples.mean(&right),
        margin: resamples.mean(&margin),
    }
}

/// A step's or a pair's coupling against its cost, in every K, metric and cost.
pub fn of_steps(task: &TaskCoupling) -> Vec<Relation> {
    use RelationTo::{DropAccuracy, DropMargin, SwapAccuracy, SwapMargin};
    let mut found = Vec::new();
    for (&k, map) in &task.depth_wise {
        for metric in CouplingMetric::ALL {
            for to in [SwapAccuracy, SwapMargin, DropAccuracy, DropMargin] {
                let is_swap = matches!(to, SwapAccuracy | SwapMargin);
                let sweep = if is_swap { "swap" } else { "drop" };
                let costs = task.costs.iter().filter(|cost| {
                    let rest = cost.order.strip_prefix(sweep);
                    rest.is_some_and(|rest| rest.starts_with(':'))
                });
                let points = costs.filter_map(|cost| {
                    let at = cost.at;
                    let (name, x) = if is_swap {
                        (
                            format!("{at}-{}", at + 1),
                            of_pair(map, metric, at, at + 1)?,
                        )
                    } else {
                        (at.to_string(), of_step(map, metric, at)?)
                    };
                    let y = match to {
                        SwapAccuracy | DropAccuracy => cost.accuracy.mean,
                        _ => cost.margin.mean,
                    };
                    Some(ScatterPoint { name, x, y })
                });
                found.extend(relation(to, None, k, metric, points.collect()));
            }
        }
    }
    found
}

/// Over models, on every task that all have, or on the one prompt: against accuracy, depth, width, and
/// steps of training.
pub fn of_models(models: &[ModelCoupling]) -> Vec<Relation> {
    let mut found = Vec::new();
    let tasks = models
        .first()
        .map_or(&[][..], |first| &first.report.task_coupling);
    let places = tasks
        .iter()
        .map(|task| Some(task.task.as_str()))
        .chain([None]);
    for place in places {
        let Some(tops) = tops(models, place) else {
            continue;
        };
        for k in tops {
            for metric in CouplingMetric::ALL {
                for to in [
                    RelationTo::Accuracy,
                    RelationTo::Depth,
                    RelationTo::Width,
                    RelationTo::Training,
                ] {
                    let points = models.iter().filter_map(|model| {
                        Some(ScatterPoint {
                            name: model.report.model.name.clone(),
                            x: of_model(&model.report, place, k, metric)?,
                            y: quantity(model, place, to)?,
                        })
                    });
                    let task = place.map(str::to_owned);
                    found.extend(relation(to, task, k, metric, points.collect()));
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
        return match metric {
            CouplingMetric::OffDiagonal => Some(both.off_diagonal?.mean),
            CouplingMetric::Singular => Some(both.singular?.mean),
        };
    }
    let both = report.coupling.as_ref()?.depth_wise.get(&k)?.coupling;
    match metric {
        CouplingMetric::OffDiagonal => both.off_diagonal,
        CouplingMetric::Singular => both.singular,
    }
}

fn quantity(model: &ModelCoupling, task: Option<&str>, to: RelationTo) -> Option<f64> {
    let report = &model.report;
    match to {
        RelationTo::Accuracy => Some(of_task(report, task)?.accuracy?.mean),
        RelationTo::Depth => Some(report.model.order.len() as f64),
        RelationTo::Width => Some(report.model.width as f64),
        RelationTo::Training => Some(model.training_step? as f64),
        _ => None,
    }
}

/// `None` for fewer than two points, or where all stand at one y.
fn relation(
    to: RelationTo,
    task: Option<String>,
    k: usize,
    metric: CouplingMetric,
    points: Vec<ScatterPoint>,
) -> Option<Relation> {
    let first = points.first()?.y;
    if points.iter().all(|point| point.y == first) {
        return None;
    }
    let x: Vec<f64> = points.iter().map(|point| point.x).collect();
    let y: Vec<f64> = points.iter().map(|point| point.y).collect();
    Some(Relation {
        to,
        task,
        k,
        metric,
        all: Together::of(&x, &y),
        left_out: Together::each_left_out(&x, &y),
        points,
    })
}

fn mis_coupling(map: &MeanMap, metric: CouplingMetric, i: usize, j: usize) -> Option<f64> {
    let map = match metric {
        CouplingMetric::OffDiagonal => &map.off_diagonal,
        CouplingMetric::Singular => &map.singular,
    };
    let found = map.get(i)?.get(j)?;
    found.map(|mean| mean.mean)
}

/// Mean of both directions.
fn of_pair(map: &MeanMap, metric: CouplingMetric, i: usize, j: usize) -> Option<f64> {
    let one = mis_coupling(map, metric, i, j)?;
    Some(1.0 - (one + mis_coupling(map, metric, j, i)?) / 2.0)
}

/// Mean with all others that it is defined with.
fn of_step(map: &MeanMap, metric: CouplingMetric, i: usize) -> Option<f64> {
    let others = (0..map.off_diagonal.len()).filter(|&j| j != i);
    let pairs: Vec<f64> = others.filter_map(|j| of_pair(map, metric, i, j)).collect();
    (!pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / pairs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::coupling::{BothMetrics, chance};

    fn mean(mean: f64) -> Mean {
        Mean {
            mean,
            low: mean,
            high: mean,
        }
    }

    fn three_steps() -> MeanMap {
        let row = |row: [Option<f64>; 3]| row.map(|x| x.map(mean)).to_vec();
        let map = vec![
            row([Some(0.0), Some(0.5), Some(0.9)]),
            row([Some(0.7), Some(0.0), None]),
            row([Some(0.7), Some(1.0), Some(0.0)]),
        ];
        MeanMap {
            off_diagonal: map.clone(),
            singular: map,
            coupling: BothMetrics::default(),
            chance: chance(4),
            ill_posed: vec![0; 3],
        }
    }

    #[test]
    fn couplings_of_pairs_and_steps() {
        let map = three_steps();
        let metric = CouplingMetric::OffDiagonal;
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.expect("a number") - expected).abs() < 1e-12);
        };
        near(of_pair(&map, metric, 0, 1), 0.4);
        assert_eq!(of_pair(&map, metric, 1, 2), None);
        near(of_step(&map, metric, 0), 0.3);
        near(of_step(&map, metric, 2), 0.2);
    }

    #[test]
    fn points_that_all_cost_the_same_relate_to_nothing() {
        let point = |y: f64, x: f64| ScatterPoint {
            name: String::new(),
            x,
            y,
        };
        let of = |points: Vec<ScatterPoint>| {
            let metric = CouplingMetric::Singular;
            relation(RelationTo::SwapMargin, None, 8, metric, points)
        };
        assert_eq!(of(vec![point(0.5, 1.0), point(0.5, 2.0)]), None);
        let found = of(vec![
            point(0.0, 1.0),
            point(1.0, 2.0),
            point(2.0, 3.0),
            point(3.0, 4.0),
        ]);
        let found = found.expect("a relation");
        assert!((found.all.pearson.expect("r").r - 1.0).abs() < 1e-12);
        assert_eq!(found.left_out.len(), 4);
    }
}
