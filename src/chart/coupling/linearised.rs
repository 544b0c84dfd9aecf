//! The last token's state carried by the linearised steps alone, beside the true one.

use super::TableCell::{self, Text};
use super::names::step_names;
use super::{FigureDraft, Table, Theme, slips};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series, heights};
use crate::measure::interval::Mean;
use crate::study::coupling::{Linearised, TaskCoupling};

const PLOT: u32 = 200;

pub(super) fn figure(steps: &[String], linearised: &Linearised, theme: &Theme) -> FigureDraft {
    let alone = |x: &Option<f64>| x.map(|x| Mean { mean: x, low: x, high: x });
    let of = |values: &[Option<f64>]| values.iter().map(alone).collect();
    drawn(steps, &of(&linearised.cosine), &of(&linearised.relative_error), theme)
}

pub(super) fn of_task(task: &TaskCoupling, theme: &Theme) -> FigureDraft {
    let found = &task.linearised;
    drawn(&task.steps, &found.cosine, &found.relative_error, theme)
}

type Means = Vec<Option<Mean>>;

fn drawn(steps: &[String], cosine: &Means, error: &Means, theme: &Theme) -> FigureDraft {
    let steps = step_names(steps);
    let pen = Pen::new("the linearised steps", theme.ink, Line::Solid, Mark::Circle);
    let panel = |name: &str, values: &Means, levels: &[f64]| {
        let points = values.iter().enumerate().filter_map(|(n, mean)| {
            let mean = (*mean)?;
            let step = steps.get(n).map_or("?", String::as_str);
            let text = format!("after step {step}\n{name} {}", short(mean.mean));
            Some(Point {
                interval: mean.interval().filter(|[low, high]| low < high),
                ..Point::new(n as f64, mean.mean, text)
            })
        });
        let series = vec![Series::new(pen.clone(), points)];
        let x = Axis::category("after step", steps.clone());
        let y = Axis::over("", heights(&series).chain(levels.iter().copied()));
        let panel = Panel::new(name, x, y, series).tall(PLOT);
        levels.iter().fold(panel, |panel, &level| panel.level(level, theme.quiet, Line::Dotted))
    };
    let panels = vec![
        panel("cosine with the true state (1: the same direction)", cosine, &[0.0, 1.0]),
        panel("error relative to the true state's length", error, &[1.0]),
    ];
    let headers = ["after step", "cosine", "from", "to", "relative error", "from", "to"];
    let number =
        |x: Option<f64>| x.map_or_else(|| Text("not defined".to_owned()), TableCell::Number);
    let rows = steps.iter().enumerate().map(|(n, step)| {
        let at = |values: &Means| values.get(n).copied().flatten();
        let numbers = [at(cosine), at(error)].into_iter().flat_map(|mean| {
            [mean.map(|mean| mean.mean), mean.map(|mean| mean.low), mean.map(|mean| mean.high)]
        });
        std::iter::once(Text(step.clone())).chain(numbers.map(number)).collect()
    });
    let end = |values: &Means| values.last().copied().flatten().map(|mean| short(mean.mean));
    let error = end(error).map_or_else(String::new, |error| {
        format!("; the error at the end is {error} of the state's length")
    });
    FigureDraft {
        key: "coupling-linearised",
        title: match end(cosine) {
            Some(cosine) => format!(
                "Carried by the linearised steps alone, the last token ends at a cosine of {cosine} with where it really ends"
            ),
            None => {
                "Carried by the linearised steps alone, the last token ends without a direction"
                    .to_owned()
            }
        },
        words: [
            format!(
                "x → x + J x at every step, J at the state that the true run has there{error}. {}",
                slips::LINEAR
            ),
            slips::LAST_BLOCK.to_owned(),
        ],
        table: Table::new(headers, rows),
        plot: Plot::new(panels, vec![pen], 2),
    }
}
