//! Figs. 5 and 7: MSE, bias, diversity and accuracy along one model's stream, a panel a task, each
//! standardised.

use super::{Figure, FigureDraft, Panel, Plot, Point, Series, Table, TableCell, Theme};
use super::{cells, headers, roles};
use crate::chart::number::{counted, short};
use crate::chart::plot::Axis;
use crate::measure::correlation::standardised;
use crate::study::report::AverageDepth;
use crate::study::survey::Survey;

const CURVES: [fn(&AverageDepth) -> f64; 4] = [
    |depth| depth.probability.mse,
    |depth| depth.probability.bias,
    |depth| depth.probability.diversity,
    |depth| depth.accuracy,
];

pub(super) fn figure(survey: &Survey, model: usize, theme: &Theme) -> Figure {
    let name = &survey.models[model].name;
    let pens = roles(theme);
    let mut rows = Vec::new();
    let mut panels = Vec::new();
    let (mut late, mut tasks) = (0, 0);
    for cell in cells(survey).filter(|cell| cell.model == model) {
        let task = &survey.tasks[cell.task].name;
        let depth = &cell.found.averages.by_depth;
        let half = depth.len() / 2;
        let gain = |from: usize, to: usize| depth[to].accuracy - depth[from].accuracy;
        tasks += 1;
        late += usize::from(gain(half, depth.len() - 1) > gain(0, half));
        let mut series = Vec::new();
        for (pen, value) in pens.iter().zip(CURVES) {
            let values: Vec<f64> = depth.iter().map(value).collect();
            // What never changes has no spread to standardise by: it is drawn at its mean.
            let scores = standardised(&values).unwrap_or_else(|| vec![0.0; values.len()]);
            let points = scores.iter().zip(&values).zip(depth).map(|((y, value), depth)| {
                let text = format!(
                    "{task}, first {} members\n{} {}",
                    depth.members,
                    pen.name,
                    short(*value)
                );
                Point::new(depth.members as f64, *y, text)
            });
            series.push(Series::new(pen.clone(), points.collect()));
        }
        for depth in depth {
            let mut row = vec![TableCell::Text(task.clone()), TableCell::Count(depth.members)];
            row.extend(CURVES.map(|value| TableCell::Number(value(depth))));
            row.extend([
                TableCell::Number(depth.paper.mse),
                TableCell::Number(depth.paper.bias),
                TableCell::Number(depth.paper.diversity),
            ]);
            rows.push(row);
        }
        let reach: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(|p| p.y)).collect();
        panels.push(Panel::new(
            format!("{task}, standard deviations from each curve's mean"),
            Axis::counts("members so far", depth.len()),
            Axis::over("", reach.into_iter()),
            series,
        ));
    }
    FigureDraft {
        key: "fig-5-stream",
        title: format!(
            "On {late} of {} {name}'s accuracy grows more in the stream's second half than in its first",
            counted(tasks, "task")
        ),
        words: [
            "At every junction point the members so far are read as if the model ended there, with the final norm's scale of the full run.".to_owned(),
            "Each curve is standardised by itself, so heights compare within a curve only; the CSV has the numbers as they are.".to_owned(),
        ],
        table: Table {
            headers: headers(&[
                "task", "members", "mse", "bias", "diversity", "accuracy", "paper mse", "paper bias", "paper diversity",
            ]),
            rows,
        },
        plot: Plot::new(panels, pens.to_vec(), 2),
    }
    .figure(theme)
    .named(format!("fig-5-stream-{name}"))
}
