//! Coupling by how far apart two steps are, beside chance.

use super::TableCell::{Count, Number};
use super::names::said;
use super::step_map::StepMap;
use super::{FigureDraft, Table, Theme};
use crate::chart::number::{counted, mean, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::measure::interval::{Mean, Resamples};
use crate::study::coupling::CouplingMetric;

/// Resamples of the steps.
const RESAMPLES: usize = 1000;

pub(super) fn figure(map: &StepMap, theme: &Theme) -> Option<FigureDraft> {
    let means = map.by_distance();
    let (first, last) = (means.first()?, means.last()?);
    let near = of(map, |apart| apart == first.0);
    let far = of(map, |apart| apart != first.0);
    let each = Pen::new("a pair of steps", theme.quiet, Line::None, Mark::Dot).faint();
    let middle = Pen::new("mean of the pairs", theme.ink, Line::Solid, Mark::Circle);
    let chance = Pen::new("chance", theme.mse, Line::Dashed, Mark::None);

    // Every pair by its distance, the mean of each distance, and chance.
    let pairs = map.pairs().map(|([i, j], x)| {
        let name = format!("{} in the basis of {}\n{}", map.name(i), map.name(j), short(x));
        Point::new(i.abs_diff(j) as f64, x, name)
    });
    let pairs: Vec<Point> = pairs.collect();
    let points = means.iter().map(|&(apart, x)| {
        Point::new(apart as f64, x, format!("{apart} steps apart\nmean {}", short(x)))
    });
    let values: Vec<f64> = pairs.iter().map(|point| point.y).chain([map.chance]).collect();
    let panel = Panel::new(
        format!("coupling, K = {}", map.k),
        Axis::whole("steps apart", 0.5, last.0.max(2) as f64 + 0.5),
        Axis::from_zero("", values),
        vec![Series::new(each.clone(), pairs), Series::new(middle.clone(), points)],
    )
    .tall(200)
    .level(map.chance, theme.mse, Line::Dashed);

    // The change with distance claims no more than its interval.
    let above = means.iter().filter(|(_, x)| *x > map.chance).count();
    let rows = means.iter().map(|&(apart, x)| (apart, x, of(map, |other| other == apart)));
    let (steps, chance_is) = (counted(first.0, "step"), short(map.chance));
    let title = match [near, far].map(|of| mean(of.into_iter()).map(short)) {
        [Some(a), Some(b)] => {
            let pairs: Vec<_> = map.pairs().collect();
            let change = change(nearer(&pairs, map.steps.len(), first.0));
            format!("{change}: {a} at {steps}, {b} further apart; chance is {chance_is}")
        }
        _ => format!("At {steps} coupling is {}; chance is {chance_is}", short(first.1)),
    };

    Some(FigureDraft {
        key: "coupling-distance",
        title,
        words: [
            format!(
                "At {above} of {} distances the mean lies above chance; over all pairs it is {}.",
                means.len(),
                said(map.all)
            ),
            match map.metric {
                CouplingMetric::OffDiagonal => {
                    "Chance is exact where all entries of A are alike in size; a pair is one number, and scatters about it."
                }
                CouplingMetric::Singular => {
                    "By this metric unrelated directions couple at about 0; a pair is one number, and scatters about it."
                }
            }
            .to_owned(),
        ],
        table: Table::of(
            rows,
            &[
                ("steps apart", &|(apart, ..)| Count(*apart)),
                ("mean coupling", &|(_, mean, _)| Number(*mean)),
                ("least", &|(.., own)| Number(own.iter().copied().fold(f64::INFINITY, f64::min))),
                ("most", &|(.., own)| Number(own.iter().copied().fold(f64::NEG_INFINITY, f64::max))),
                ("pairs", &|(.., own)| Count(own.len())),
                ("chance", &|_| Number(map.chance)),
            ],
        ),
        plot: Plot::new(vec![panel], vec![each, middle, chance], 1),
    })
}

/// Couplings of the pairs at some distances.
fn of(map: &StepMap, is_there: impl Fn(usize) -> bool) -> Vec<f64> {
    let own = map.pairs().filter(|([i, j], _)| is_there(i.abs_diff(*j)));
    own.map(|(_, x)| x).collect()
}

/// How much nearer pairs couple than those further apart. Pairs share steps, so steps are resampled, with all
/// their pairs; fewer than eight give no interval.
fn nearer(pairs: &[([usize; 2], f64)], steps: usize, nearest: usize) -> Mean {
    let resamples = Resamples::new(steps, RESAMPLES, 0);
    resamples.statistic(|counts| {
        let mean = |is_near: bool| {
            let wanted = pairs.iter().filter(|([i, j], _)| (i.abs_diff(*j) == nearest) == is_near);
            let (sum, weight) = wanted.fold((0.0, 0.0), |(sum, weight), ([i, j], x)| {
                let count = counts[*i] * counts[*j];
                (sum + count * x, weight + count)
            });
            sum / weight
        };
        mean(true) - mean(false)
    })
}

/// Says whether coupling falls or rises from near pairs to far ones.
fn change(nearer: Mean) -> &'static str {
    match nearer {
        falls if falls.low > 0.0 => "Coupling falls with distance",
        rises if rises.high < 0.0 => "Coupling rises with distance",
        _ => "No sure change of coupling with distance",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(steps: usize, coupling: impl Fn(usize, usize) -> f64) -> &'static str {
        let all = (0..steps).flat_map(|i| (0..steps).map(move |j| [i, j]));
        let pairs: Vec<([usize; 2], f64)> =
            all.filter(|[i, j]| i != j).map(|[i, j]| ([i, j], coupling(i, j))).collect();
        change(nearer(&pairs, steps, 1))
    }

    #[test]
    fn what_scatters_does_not_fall() {
        // Each step couples by a strength of its own, whatever the distance.
        let strength = [0.9, 0.1, 0.5, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.1];
        let scattered = changed(10, |i, j| strength[i] * strength[j]);
        assert_eq!(scattered, "No sure change of coupling with distance");
        let falls = changed(10, |i, j| 1.0 / i.abs_diff(j) as f64 + 0.01 * strength[i]);
        assert_eq!(falls, "Coupling falls with distance");
        let rises = changed(10, |i, j| i.abs_diff(j) as f64 + 0.01 * strength[i]);
        assert_eq!(rises, "Coupling rises with distance");
    }

    #[test]
    fn four_blocks_are_too_few() {
        let falls = changed(4, |i, j| 1.0 / i.abs_diff(j) as f64);
        assert_eq!(falls, "No sure change of coupling with distance");
    }
}
