//! Theorem 6: the error between its bounds, along the stream.

use super::{COPULA, Estimator, FigureDraft, Scene, VOTES, first, plot};
use crate::chart::Table;
use crate::chart::TableCell::{Number, Text};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Point, Series};
use crate::measure::ensemble::{Ensemble, Rows, known};
use crate::measure::information::Bounds;

/// A junction point: bounds and error.
struct BoundStep {
    bounds: Bounds,
    error: f64,
}

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let (of, steps) = match scene.choice() {
        0 => stream(scene, VOTES)?,
        1 => stream(scene, COPULA)?,
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
    let series = pens.iter().zip(values).map(|(pen, value)| {
        let points = steps.iter().zip(1..).map(|(step, n)| {
            let text = format!("first {n} members\n{} {}", pen.name, short(value(step)));
            Point { hollow: breaks(step).is_some(), ..Point::new(f64::from(n), value(step), text) }
        });
        Series::new(pen.clone(), points)
    });
    let broken = |bound: &str| steps.iter().filter(|step| breaks(step) == Some(bound)).count();
    let (above, below) = (broken("upper"), broken("lower"));
    let rises =
        steps.windows(2).filter(|two| two[1].bounds.upper > two[0].bounds.upper + 1e-6).count();
    let panel = Panel::from_zero(
        "share of wrong answers (hollow: a bound is broken)",
        Axis::counts("members so far", steps.len()),
        series.collect(),
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
        table: Table::of(
            steps.iter().zip(1..),
            &[
                ("members", &|(_, members)| first(*members)),
                ("error", &|(step, _)| Number(step.error)),
                ("lower bound", &|(step, _)| Number(step.bounds.lower)),
                ("upper bound", &|(step, _)| Number(step.bounds.upper)),
                ("breaks", &|(step, _)| Text(breaks(step).unwrap_or_default().to_owned())),
            ],
        ),
        plot: plot(vec![panel], pens.to_vec()),
    })
}

fn stream(scene: &Scene<'_>, by: Estimator) -> Result<(String, Vec<BoundStep>), String> {
    let (words, curve) = scene.curve(by)?;
    let steps = curve.iter().map(|point| BoundStep { bounds: point.bounds, error: point.error });
    Ok((words, steps.collect()))
}

/// One good member and four that guess blindly.
fn made(rule: &str, error: fn(&Rows, usize, usize) -> f64) -> (String, Vec<BoundStep>) {
    let ensemble = Ensemble { options: 2, right: vec![0.9, 0.5, 0.5, 0.5, 0.5], together: 0.0 };
    let rows = ensemble.exact(3200);
    let (joint, entropy) = known(&rows, 2);
    let steps = joint.into_iter().zip(1..).map(|(joint, members)| BoundStep {
        bounds: Bounds::of(entropy, joint, 2),
        error: error(&rows, members, 2),
    });
    let words = format!(
        "Made up: one member that is right nine times in ten, then four that guess blindly; every outcome counted, answers by {rule}."
    );
    (words, steps.collect())
}
