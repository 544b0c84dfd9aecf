//! Figs. 5 and 7: MSE, bias, diversity and accuracy along one model's stream, a panel a task, each
//! standardised.

use super::TableCell::{Count, Number, Text};
use super::{FigureDraft, Line, Mark, Panel, Pen, Plot, Point, Series, Table, Theme};
use super::{cells, first_words, heights, mean};
use crate::chart::number::{counted, percent, short};
use crate::chart::plot::Axis;
use crate::measure::correlation::standardised;
use crate::study::report::AverageDepth;
use crate::study::survey::Survey;

const CURVES: [fn(&AverageDepth) -> f64; 4] = [
    |depth| depth.triples.probability.mse,
    |depth| depth.triples.probability.bias,
    |depth| depth.triples.probability.diversity,
    |depth| depth.accuracy,
];

pub(super) fn figure(survey: &Survey, model: usize, theme: &Theme) -> FigureDraft {
    let name = &survey.models[model].name;
    let accuracy = Pen::new("accuracy", theme.ink, Line::Dotted, Mark::None);
    let pens: Vec<Pen> = theme.roles().into_iter().chain([accuracy]).collect();
    let mut rows = Vec::new();
    let mut panels = Vec::new();
    let mut readings = Vec::new();
    for cell in cells(survey).filter(|cell| cell.model == model) {
        let task = &survey.tasks[cell.task].name;
        let depth = &cell.found.averages.by_depth;
        readings.extend(StreamReading::of(task, depth));
        let mut series = Vec::new();
        for (pen, value) in pens.iter().zip(CURVES) {
            let values: Vec<f64> = depth.iter().map(value).collect();
            // What never changes has no spread to standardise by: it is drawn at its mean.
            let scores = standardised(&values).unwrap_or_else(|| vec![0.0; values.len()]);
            let points = scores.iter().zip(&values).zip(depth).map(|((y, value), depth)| {
                let (n, name, value) = (depth.members, &pen.name, short(*value));
                let text = format!("{task}, first {n} components\n{name} {value}");
                Point::new(n as f64, *y, text)
            });
            series.push(Series::new(pen.clone(), points));
        }
        rows.extend(depth.iter().map(|depth| (task, depth, &depth.triples)));
        panels.push(Panel::new(
            format!("{task}, standard deviations from each curve's mean"),
            Axis::counts("components so far", depth.len()),
            Axis::over("", heights(&series)),
            series,
        ));
    }
    FigureDraft {
        key: "fig-5-stream",
        title: title(name, &readings),
        words: [
            format!("{}Accuracy is the share right among the options. At every junction point the components so far are decoded as if the model ended there, with the frozen final norm.", first_words(survey, |cell| cell.model == model)),
            "Each curve is standardised by itself, so compare heights only within a curve. The CSV has the numbers themselves.".to_owned(),
        ],
        table: Table::of(
            rows,
            &[
                ("task", &|(task, ..)| Text((*task).clone())),
                ("components", &|(_, depth, _)| Count(depth.members)),
                ("mse", &|(.., triples)| Number(triples.probability.mse)),
                ("bias", &|(.., triples)| Number(triples.probability.bias)),
                ("diversity", &|(.., triples)| Number(triples.probability.diversity)),
                ("accuracy", &|(_, depth, _)| Number(depth.accuracy)),
                ("paper mse", &|(.., triples)| Number(triples.paper.mse)),
                ("paper bias", &|(.., triples)| Number(triples.paper.bias)),
                ("paper diversity", &|(.., triples)| Number(triples.paper.diversity)),
                ("centred diversity", &|(.., triples)| Number(triples.centred.diversity)),
            ],
        ),
        plot: Plot::new(panels, pens, 2),
    }
}

/// A task's accuracy at three junction points: the stream's start, half and end.
struct StreamReading<'a> {
    task: &'a str,
    accuracy: [f64; 3],
}

impl<'a> StreamReading<'a> {
    /// `None` of a stream without members.
    fn of(task: &'a str, depths: &[AverageDepth]) -> Option<Self> {
        let [start, half, end] = [depths.first(), depths.get(depths.len() / 2), depths.last()];
        Some(Self { task, accuracy: [start?, half?, end?].map(|depth| depth.accuracy) })
    }
}

/// Reads the accuracy along the stream; of several tasks the mean.
fn title(model: &str, readings: &[StreamReading<'_>]) -> String {
    let [start, half, end] = [0, 1, 2]
        .map(|place| percent(mean(readings.iter().map(|one| one.accuracy[place])).unwrap_or(0.0)));
    let shares = format!(
        "{model}: right among the options at the stream's start, half and end: {start}, {half} and {end}"
    );
    match readings {
        [] => format!("{model}: no accuracy along the stream"),
        [only] => format!("{shares}, on {}", only.task),
        several => format!("{shares}, mean over {}", counted(several.len(), "task")),
    }
}

#[cfg(test)]
mod tests {
    use super::{StreamReading, title};

    #[test]
    fn the_heading_reads_three_points_and_judges_none() {
        let sums = StreamReading { task: "sums", accuracy: [0.5, 0.4, 0.2] };
        let hops = StreamReading { task: "hops", accuracy: [0.25, 0.5, 1.0] };
        let both = [sums, hops];
        assert_eq!(
            title("m", &both),
            "m: right among the options at the stream's start, half and end: 38\u{a0}%, 45\u{a0}% and 60\u{a0}%, mean over 2 tasks"
        );
        assert_eq!(
            title("m", &both[..1]),
            "m: right among the options at the stream's start, half and end: 50\u{a0}%, 40\u{a0}% and 20\u{a0}%, on sums"
        );
        assert_eq!(title("m", &[]), "m: no accuracy along the stream");
    }
}
