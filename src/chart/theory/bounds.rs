//! Theorem 6: the error between its bounds, along the stream.

use super::{FigureDraft, Scene, count, headers, plot, reach};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Point, Series};
use crate::chart::{Table, TableCell};
use crate::measure::ensemble::{Ensemble, Rows};
use crate::measure::information::Bounds;
use crate::measure::information::votes::{Correction, estimate};
use crate::study::survey::{Estimate, Information};

/// A junction point: bounds and error.
struct BoundStep {
    bounds: Bounds,
    error: f64,
}

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let (of, steps) = match scene.choice() {
        0 => stream(scene, "counted votes", |i| &i.votes)?,
        1 => stream(scene, "copula", |i| &i.copula)?,
        2 => made("the best rule", Rows::best_error),
        _ => made("a majority", Rows::majority_error),
    };
    let theme = scene.theme;
    let pens = [
        Pen::new("error", theme.mse, Line::Thick, Mark::Circle),
        Pen::new("lower bound", theme.quiet, Line::Dashed, Mark::None),
        Pen::new("upper bound", theme.quiet, Line::Solid, Mark::None),
    ];
    let values: [fn(&BoundStep) -> f64; 3] = [|s| s.error, |s| s.bounds.lower, |s| s.bounds.upper];
    let breaks = |step: &BoundStep| step.bounds.broken_by(step.error);
    let series: Vec<Series> = pens
        .iter()
        .zip(values)
        .map(|(pen, value)| {
            let points = steps.iter().enumerate().map(|(n, step)| Point {
                hollow: breaks(step).is_some(),
                ..Point::new(
                    (n + 1) as f64,
                    value(step),
                    format!("first {} members\n{} {}", n + 1, pen.name, short(value(step))),
                )
            });
            Series::new(pen.clone(), points.collect())
        })
        .collect();
    let broken = |bound: &str| steps.iter().filter(|step| breaks(step) == Some(bound)).count();
    let (above, below) = (broken("upper"), broken("lower"));
    let rises =
        steps.windows(2).filter(|two| two[1].bounds.upper > two[0].bounds.upper + 1e-6).count();
    let panel = Panel::new(
        "share of wrong answers (hollow: a bound is broken)".to_owned(),
        Axis::counts("members so far", steps.len()),
        Axis::from_zero("", reach(&series, |p| p.y).into_iter()),
        series,
    );
    let total = steps.len();
    Ok(FigureDraft {
        key: "theorem-6",
        title: match (above, below) {
            (0, 0) => format!("The error stays between its bounds at all {total} points"),
            (above, 0) => {
                format!("The error is above its upper bound at {above} of {total} points")
            }
            (above, below) => format!(
                "Of {total} points the error is above its bounds at {above}, below them at {below}"
            ),
        },
        words: [
            of,
            match rises {
                0 => "The upper bound never rises.".to_owned(),
                1 => "The upper bound rises once: an estimate's doing.".to_owned(),
                n => format!("The upper bound rises {n} times: the estimate's doing."),
            },
        ],
        table: Table {
            headers: headers(&["members", "error", "lower bound", "upper bound", "breaks"]),
            rows: steps
                .iter()
                .enumerate()
                .map(|(n, step)| {
                    let mut row = vec![count("first", n + 1)];
                    row.extend(values.map(|value| TableCell::Number(value(step))));
                    row.push(TableCell::Text(breaks(step).unwrap_or_default().to_owned()));
                    row
                })
                .collect(),
        },
        plot: plot(vec![panel], pens.to_vec()),
    })
}

fn stream(
    scene: &Scene<'_>,
    estimator: &str,
    of: fn(&Information) -> &Estimate,
) -> Result<(String, Vec<BoundStep>), String> {
    let (words, curve) = scene.curve(estimator, of)?;
    let steps = curve.iter().map(|point| BoundStep { bounds: point.bounds, error: point.error });
    Ok((words, steps.collect()))
}

/// One good member and four that guess blindly.
fn made(rule: &str, error: fn(&Rows, usize, usize) -> f64) -> (String, Vec<BoundStep>) {
    let ensemble = Ensemble { options: 2, right: vec![0.9, 0.5, 0.5, 0.5, 0.5], together: 0.0 };
    let rows = ensemble.exact(3200);
    let entropy =
        estimate(std::slice::from_ref(&rows.answers), &rows.answers, 2, Correction::None).joint;
    let steps = (1..=5).map(|members| {
        let known = estimate(&rows.votes[..members], &rows.answers, 2, Correction::None);
        BoundStep { bounds: Bounds::of(entropy, known.joint, 2), error: error(&rows, members, 2) }
    });
    let words = format!(
        "Made up: one member that is right nine times in ten, then four that guess blindly; every outcome counted, answers by {rule}."
    );
    (words, steps.collect())
}
