//! Fig. 2, drawn from a formula: what "never falls, and gains less and less" looks like; and in words, apart from the
//! figure, how many steps of a survey's own curves have the shape.

use super::FigureDraft;
use crate::chart::TableCell::{Count, Number};
use crate::chart::number::counted;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Room, Series};
use crate::chart::{Figure, Table, Theme};
use crate::study::survey::Survey;

const MEMBERS: usize = 12;

/// The shapes that theorems 7 and 8 promise. It draws no numbers of a survey, so it is none of its figures.
pub fn shapes_figure(theme: &Theme, room: Room) -> Figure {
    let rising = |n: f64| 1.0 - (-n / 3.0).exp();
    let falling = |n: f64| (-n / 3.0).exp();
    let pens = [
        Pen::new("non-decreasing submodular", theme.diversity, Line::Solid, Mark::Circle),
        Pen::new("non-increasing supermodular", theme.mse, Line::Dashed, Mark::Square),
    ];
    let curve = |pen: &Pen, of: fn(f64) -> f64| {
        let values = (0..=MEMBERS).map(|n| of(n as f64));
        Series::along(pen, 0, values, |n, y| format!("{n} members\n{y:.3}"))
    };
    let panel = Panel::new(
        "value of a set of members, each new one worth less",
        Axis::counts("members", MEMBERS),
        Axis::from_zero("", [1.0]),
        vec![curve(&pens[0], rising), curve(&pens[1], falling)],
    );
    FigureDraft {
        key: "fig-2-shapes",
        title: "Drawn from a formula: 1 − e^(−n/3) rises, and e^(−n/3) falls, by less with every member".to_owned(),
        words: [
            "Theorems 7 and 8 promise such curves when members are independent given the answer."
                .to_owned(),
            "No model's numbers are drawn.".to_owned(),
        ],
        table: Table::of(
            0..=MEMBERS,
            &[
                ("members", &|n| Count(*n)),
                (&pens[0].name, &|n| Number(rising(*n as f64))),
                (&pens[1].name, &|n| Number(falling(*n as f64))),
            ],
        ),
        plot: Plot::new(vec![panel], pens.to_vec(), 1),
    }
    .figure(theme)
    .laid_out(room)
}

/// Says how many steps along a survey's streams keep the shape, by the copula's estimates.
pub fn shape_steps(survey: &Survey) -> String {
    let information = survey.found().filter_map(|(.., found)| found.information.as_ref().ok());
    let curves: Vec<Vec<f64>> = information
        .map(|information| information.copula.curve.iter().map(|point| point.joint).collect())
        .collect();
    steps_said(&curves)
}

/// Counts the steps of curves of I(U;Y) that rise, and those that gain less than the step before.
fn steps_said(curves: &[Vec<f64>]) -> String {
    let steps: Vec<&[f64]> = curves.iter().flat_map(|joint| joint.windows(3)).collect();
    if steps.is_empty() {
        return "This survey has no curve of information to hold against these shapes.".to_owned();
    }
    let rises = steps.iter().filter(|three| three[2] >= three[1]).count();
    let gains_less =
        steps.iter().filter(|three| three[2] - three[1] <= three[1] - three[0]).count();
    format!(
        "Of {} along this survey's streams, I(U;Y) by the copula rises in {rises} and gains less than the step before in {gains_less}.",
        counted(steps.len(), "step")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_keep_the_shape_are_counted() {
        assert_eq!(
            steps_said(&[vec![0.0, 0.5, 0.75, 0.7], vec![0.0, 0.1], vec![0.1, 0.2, 0.4]]),
            "Of 3 steps along this survey's streams, I(U;Y) by the copula rises in 2 and gains less than the step before in 2."
        );
        assert_eq!(
            steps_said(&[vec![0.0, 0.5, 0.75]]),
            "Of 1 step along this survey's streams, I(U;Y) by the copula rises in 1 and gains less than the step before in 1."
        );
        assert_eq!(
            steps_said(&[vec![0.0]]),
            "This survey has no curve of information to hold against these shapes."
        );
    }
}
