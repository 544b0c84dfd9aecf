//! Coupling of a model's steps against what other orders cost on the same rows.

use super::{CouplingMetric, MeanMap, Relation, RelationTo, ScatterPoint, TaskCoupling};
use crate::study::orders::Sweep;

/// A step's or a pair's coupling against its cost, in every K, metric and cost.
pub fn of_steps(task: &TaskCoupling) -> Vec<Relation> {
    use RelationTo::{DropAccuracy, DropMargin, SwapAccuracy, SwapMargin};
    let mut found = Vec::new();
    for (&k, map) in &task.depth_wise {
        for metric in CouplingMetric::ALL {
            for to in [SwapAccuracy, SwapMargin, DropAccuracy, DropMargin] {
                let is_swap = matches!(to, SwapAccuracy | SwapMargin);
                let sweep = if is_swap { Sweep::Swap } else { Sweep::Drop };
                let costs = task.costs.iter().filter(|cost| cost.is_of(sweep));
                let points = costs.filter_map(|cost| {
                    let at = cost.at;
                    let (name, x) = if is_swap {
                        (format!("{at}-{}", at + 1), of_pair(map, metric, at, at + 1)?)
                    } else {
                        (at.to_string(), of_step(map, metric, at)?)
                    };
                    let y = match to {
                        SwapAccuracy | DropAccuracy => cost.accuracy.mean,
                        _ => cost.margin.mean,
                    };
                    Some(ScatterPoint { name, x, y })
                });
                found.extend(Relation::of(to, None, k, metric, points.collect(), true));
            }
        }
    }
    found
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
    use crate::measure::interval::Mean;

    fn mean(mean: f64) -> Mean {
        Mean { mean, low: mean, high: mean }
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
}
