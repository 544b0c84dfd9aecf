//! Fig. 2, drawn from a formula: what "never falls, and gains less and less" looks like. How many steps of a survey's
//! own curves have the shape stands in the words.

use super::{FigureDraft, headers};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Room, Series};
use crate::chart::{Figure, Table, TableCell, Theme};
use crate::study::survey::Survey;

const MEMBERS: usize = 12;

/// The shapes that theorems 7 and 8 promise. It draws no numbers of the survey, so it is none of its figures.
pub fn shapes_figure(survey: &Survey, theme: &Theme, room: Room) -> Figure {
    let rising = |n: f64| 1.0 - (-n / 3.0).exp();
    let falling = |n: f64| (-n / 3.0).exp();
    let pens = [
        Pen::new("non-decreasing submodular", theme.diversity, Line::Solid, Mark::Circle),
        Pen::new("non-increasing supermodular", theme.mse, Line::Dashed, Mark::Square),
    ];
    let curve = |of: fn(f64) -> f64| -> Vec<Point> {
        let at = |n: usize| {
            Point::new(n as f64, of(n as f64), format!("{n} members\n{:.3}", of(n as f64)))
        };
        (0..=MEMBERS).map(at).collect()
    };
    let curves = [curve(rising), curve(falling)];
    // Of the estimates along the stream, how many steps keep the shape?
    let (mut steps, mut rises, mut less) = (0, 0, 0);
    for (.., found) in survey.found() {
        let Ok(information) = &found.information else {
            continue;
        };
        let joint: Vec<f64> = information.copula.curve.iter().map(|p| p.joint).collect();
        for three in joint.windows(3) {
            steps += 1;
            rises += usize::from(three[2] >= three[1]);
            less += usize::from(three[2] - three[1] <= three[1] - three[0]);
        }
    }
    let seen = if steps == 0 {
        "This survey has no curve of information to hold against them.".to_owned()
    } else {
        format!(
            "Of {steps} steps along this survey's streams, I(U;Y) by the copula rises in {rises} and gains less than the step before in {less}."
        )
    };
    let plot = Plot::new(
        vec![Panel::new(
            "value of a set of members, each new one worth less",
            Axis::counts("members", MEMBERS),
            Axis::from_zero("", [1.0].into_iter()),
            pens.iter()
                .zip(&curves)
                .map(|(pen, points)| Series::new(pen.clone(), points.clone()))
                .collect(),
        )],
        pens.to_vec(),
        1,
    );
    let row = |n: usize| {
        vec![
            TableCell::Count(n),
            TableCell::Number(rising(n as f64)),
            TableCell::Number(falling(n as f64)),
        ]
    };
    FigureDraft {
        key: "fig-2-shapes",
        title: "Drawn from a formula: 1 − e^(−n/3) rises, and e^(−n/3) falls, by less with every member".to_owned(),
        words: [
            "No model's numbers: theorems 7 and 8 promise such curves when members are independent given the answer."
                .to_owned(),
            seen,
        ],
        table: Table {
            headers: headers(&[
                "members",
                "non-decreasing submodular",
                "non-increasing supermodular",
            ]),
            rows: (0..=MEMBERS).map(row).collect(),
        },
        plot,
    }
    .figure(theme)
    .laid_out(room)
}
