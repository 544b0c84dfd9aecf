//! Coupling by how far apart two steps are, beside chance.

use super::names::{mean, said};
use super::step_map::StepMap;
use super::{FigureDraft, Table, TableCell};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::{Figure, Theme};
use crate::study::coupling::CouplingMetric;

pub(super) fn figure(map: &StepMap, theme: &Theme) -> Option<Figure> {
    let means = map.by_distance();
    let (first, last) = (means.first()?, means.last()?);
    let near = of(map, |apart| apart == first.0);
    let far = of(map, |apart| apart != first.0);
    let each = Pen::new("a pair of steps", theme.quiet, Line::None, Mark::Dot).faint();
    let middle = Pen::new("mean of the pairs", theme.ink, Line::Solid, Mark::Circle);
    let chance = Pen::new("chance", theme.mse, Line::Dashed, Mark::None);
    let pairs = map.pairs().map(|([i, j], x)| {
        let name = format!("{} in the basis of {}\n{}", map.name(i), map.name(j), short(x));
        Point::new(i.abs_diff(j) as f64, x, name)
    });
    let pairs: Vec<Point> = pairs.collect();
    let points = means.iter().map(|&(apart, x)| {
        Point::new(apart as f64, x, format!("{apart} steps apart\nmean {}", short(x)))
    });
    let values = pairs.iter().map(|point| point.y).chain([map.chance]);
    let panel = Panel::new(
        format!("coupling, K = {}", map.k),
        Axis::whole("steps apart", 0.5, last.0.max(2) as f64 + 0.5),
        Axis::from_zero("", values),
        vec![Series::new(each.clone(), pairs), Series::new(middle.clone(), points.collect())],
    )
    .tall(200)
    .level(map.chance, theme.mse, Line::Dashed);
    let above = means.iter().filter(|(_, x)| *x > map.chance).count();
    let headers = ["steps apart", "mean coupling", "least", "most", "pairs", "chance"];
    let rows = means.iter().map(|&(apart, x)| {
        let own = map.pairs().filter(|([i, j], _)| i.abs_diff(*j) == apart);
        let (low, high, count) = own
            .fold((f64::INFINITY, f64::NEG_INFINITY, 0), |(low, high, count), (_, x)| {
                (x.min(low), x.max(high), count + 1)
            });
        vec![
            TableCell::Count(apart),
            TableCell::Number(x),
            TableCell::Number(low),
            TableCell::Number(high),
            TableCell::Count(count),
            TableCell::Number(map.chance),
        ]
    });
    let title = match (mean(near.iter().copied()), mean(far.iter().copied())) {
        (Some(a), Some(b)) => format!(
            "Coupling {} with distance: {} at {}, {} further apart; chance is {}",
            change(&near, &far),
            short(a),
            steps(first.0),
            short(b),
            short(map.chance)
        ),
        _ => format!(
            "At {} coupling is {}; chance is {}",
            steps(first.0),
            short(first.1),
            short(map.chance)
        ),
    };
    let draft = FigureDraft {
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
        table: Table {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        plot: Plot::new(vec![panel], vec![each, middle, chance], 1),
    };
    Some(draft.figure(theme))
}

/// Couplings of the pairs at some distances.
fn of(map: &StepMap, is_there: impl Fn(usize) -> bool) -> Vec<f64> {
    let own = map.pairs().filter(|([i, j], _)| is_there(i.abs_diff(*j)));
    own.map(|(_, x)| x).collect()
}

fn steps(apart: usize) -> String {
    match apart {
        1 => "1 step".to_owned(),
        n => format!("{n} steps"),
    }
}

/// What becomes of a coupling from near pairs to far ones. What two standard errors of the pairs make as
/// well is no change.
fn change(near: &[f64], far: &[f64]) -> &'static str {
    let (Some((a, own)), Some((b, other))) = (mean_and_variance(near), mean_and_variance(far))
    else {
        return "does not change";
    };
    let error = (own / near.len() as f64 + other / far.len() as f64).sqrt();
    match a - b {
        falls if falls > 2.0 * error => "falls",
        rises if -rises > 2.0 * error => "rises",
        _ => "does not change",
    }
}

/// `None` for fewer than two, whose spread nobody knows.
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len();
    let middle = mean(values.iter().copied()).filter(|_| count > 1)?;
    let squares = values.iter().map(|x| (x - middle).powi(2));
    Some((middle, squares.sum::<f64>() / (count - 1) as f64))
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn what_scatters_does_not_fall() {
        // One far pair that happens to be a little lower, among pairs that differ by more.
        let near = [0.0702, 0.08, 0.06, 0.075, 0.066];
        assert_eq!(change(&near, &[0.0701, 0.079, 0.061]), "does not change");
        assert_eq!(change(&near, &[0.0101]), "does not change");
        assert_eq!(change(&near, &[0.01, 0.02, 0.012]), "falls");
        assert_eq!(change(&[0.01, 0.02, 0.012], &near), "rises");
        assert_eq!(change(&[0.5, 0.5], &[0.5, 0.5]), "does not change");
    }
}
