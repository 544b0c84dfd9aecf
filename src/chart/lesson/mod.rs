//! The run of a lesson's step in one picture, with the marks of the step.

mod lens;

use std::collections::BTreeSet;

use super::number::{percent, short};
use super::plot::{Axis, Line, Panel, Pen, Plot, Point, Series};
use super::{
    Column, CouplingShown, DepthColour, Figure, FigureDraft, Quantity, Table, TableCell, Theme,
    depth_figures, doubt_figure, need_figure, relation_figure, running, spread, sweep_figures,
    task_coupling_figures, task_linearised_figure, task_ways_figure, votes,
};
use crate::engine::member_names;
use crate::model::catalogue::moment;
use crate::study::lessons::{
    CoupledModel, CoupledShow, LensShow, LessonMarks, PictureCell, PictureMean, ReadColumn,
    StepPicture, swap_relation, weightiest,
};
use crate::study::orders::{Orders, Sweep};
use crate::study::report::Lens;

const PLOT: u32 = 220;

/// The picture of a step; bias, diversity and MSE are drawn in `column`. `None` where there is nothing to draw.
pub fn step_figure(
    picture: &StepPicture,
    marks: &LessonMarks,
    column: Column,
    theme: &Theme,
) -> Option<Figure> {
    match picture {
        StepPicture::Lens { show, lens, before, .. } => match show {
            LensShow::Moved => {
                before.as_ref().map(|before| lens::moved_figure(before, lens, theme))
            }
            LensShow::Ranked => Some(lens::ranked_figure(lens, theme)),
            LensShow::Votes => Some(votes::figure(lens, marked_member(lens, marks), theme)),
            LensShow::Spread => Some(spread::figure(lens, column, theme)),
            LensShow::Running => Some(running::figure(lens, column, theme)),
            // The first is the grid of depths.
            LensShow::Depths => {
                depth_figures(lens, DepthColour::default(), theme).into_iter().next()
            }
            LensShow::Doubt => doubt_figure(lens, theme),
        },
        StepPicture::Need { need, .. } => {
            let names = marks.blocks.iter().flat_map(|block| {
                ["attention", "MLP"].map(|part| format!("block {block}'s {part}"))
            });
            let names: BTreeSet<String> = names.collect();
            let mut figure = need_figure(need, theme)?;
            let series = figure.plot.panels.iter_mut().flat_map(|p| &mut p.series);
            for point in series.flat_map(|series| &mut series.points) {
                // The first line of what pointing at it says is its name.
                let name = point.name.lines().next().unwrap_or_default();
                if names.contains(name) {
                    point.label = Some(name.to_owned());
                }
            }
            Some(figure)
        }
        StepPicture::Coupling { show, models } => coupled_figure(*show, models, theme),
        StepPicture::Sweep { orders, .. } => sweep_figure(orders, column, theme),
        StepPicture::Rows { of, cells } => rows_figure(*of, cells, marks, theme),
    }
}

/// Linearised blocks, as the step asks about them.
fn coupled_figure(show: CoupledShow, models: &[CoupledModel], theme: &Theme) -> Option<Figure> {
    if show == CoupledShow::Straightness {
        let ways = models.iter().map(|of| (of.model.as_str(), &of.coupling));
        return task_ways_figure(&ways.collect::<Vec<_>>(), theme);
    }
    let CoupledModel { model, coupling } = models.first()?;
    let mut figure = match show {
        CoupledShow::Swaps => {
            let relation = swap_relation(coupling)?;
            let out = weightiest(relation).map(|(_, point)| point.name.clone());
            relation_figure(relation, &out.into_iter().collect(), theme)
        }
        CoupledShow::Linearised => task_linearised_figure(coupling, theme),
        CoupledShow::Map | CoupledShow::Straightness => {
            let figures = task_coupling_figures(coupling, &CouplingShown::default(), theme);
            figures.into_iter().next()?
        }
    };
    figure.title = format!("{model}: {}", figure.title);
    Some(figure)
}

/// Draws the share that a sweep's orders keep of what the model has above chance, on one task.
fn sweep_figure(orders: &Orders, column: Column, theme: &Theme) -> Option<Figure> {
    let is_loops = orders.points.iter().all(|point| point.sweep == Sweep::Loop);
    let mut figures = sweep_figures(orders, Quantity::Normalised, column, theme).into_iter();
    // Of loops alone, that of their rounds, which stands last.
    let mut figure = match is_loops {
        true => figures.next_back(),
        false => figures.next(),
    }?;
    figure.title = format!("{}: {}", orders.task, figure.title);
    Some(figure)
}

/// The first member that is pointed at, of those that ran.
pub fn marked_member(lens: &Lens, marks: &LessonMarks) -> Option<usize> {
    let names = member_names(&lens.members);
    let is_marked = |name: &String| match name.as_str() {
        "emb" => marks.members.iter().any(|member| member == "embedding"),
        _ => marks.members.contains(name),
    };
    names.iter().position(is_marked)
}

/// A mark a model and order, a curve a task where models are moments of one training.
fn rows_figure(
    of: PictureMean,
    cells: &[PictureCell],
    marks: &LessonMarks,
    theme: &Theme,
) -> Option<Figure> {
    let cells: Vec<&PictureCell> =
        cells.iter().filter(|cell| cell.value.mean.is_finite()).collect();
    let (mut places, mut tasks) = (Vec::new(), Vec::new());
    for cell in &cells {
        let place = place(&cells, cell);
        if !places.contains(&place) {
            places.push(place);
        }
        if !tasks.contains(&cell.task) {
            tasks.push(cell.task.clone());
        }
    }
    let are_moments = cells.iter().any(|cell| moment(&cell.model).is_some());
    let line = if are_moments { Line::Solid } else { Line::None };
    let is_marked = |cell: &PictureCell| {
        let plans = marks.blocks.iter().map(|block| format!("drop:{block}"));
        let plan = cell.plan.as_ref();
        plans.into_iter().any(|marked| plan == Some(&marked))
    };
    let series: Vec<Series> = tasks
        .iter()
        .enumerate()
        .map(|(n, task)| {
            let own = cells.iter().filter(|cell| cell.task == *task);
            let points = own.filter_map(|cell| {
                let name = place(&cells, cell);
                let x = places.iter().position(|place| *place == name)?;
                let value = cell.value;
                let ends = value.interval().filter(|[low, high]| low < high);
                Some(Point {
                    interval: ends.map(|ends| ends.map(|end| scaled(of, end))),
                    label: is_marked(cell).then(|| name.clone()),
                    ..Point::new(
                        x as f64,
                        scaled(of, value.mean),
                        format!("{task}, {name}\n{}", said(of, value.mean)),
                    )
                })
            });
            Series::new(Pen { line, ..theme.pen(n, task) }, points.collect())
        })
        .collect();
    let values = series.iter().flat_map(|series| &series.points);
    let values =
        values.flat_map(|point| [point.y].into_iter().chain(point.interval.into_iter().flatten()));
    let y = Axis::from_zero("", values);
    let rows = cells.iter().map(|cell| {
        vec![
            TableCell::Text(cell.model.clone()),
            TableCell::Text(cell.task.clone()),
            TableCell::Text(cell.plan.clone().unwrap_or_else(|| OWN.to_owned())),
            TableCell::Number(scaled(of, cell.value.mean)),
            TableCell::Number(scaled(of, cell.value.low)),
            TableCell::Number(scaled(of, cell.value.high)),
        ]
    });
    let legend = series.iter().map(|series| series.pen.clone()).collect();
    let has_intervals =
        cells.iter().any(|cell| cell.value.interval().is_some_and(|[low, high]| low < high));
    let draft = FigureDraft {
        key: "step-rows",
        title: title(of, &cells)?,
        words: [
            match of {
                PictureMean::Line => {
                    "Every mark is a model's trajectory through its blocks. 1 is a straight line. A random walk \
                     of L steps scores the square root of L."
                }
                _ => "Every mark is a model under one order on the rows of one task.",
            }
            .to_owned(),
            if has_intervals {
                "Bars are 95 % intervals.".to_owned()
            } else {
                String::new()
            },
        ],
        table: Table {
            headers: ["model", "task", "order", &quantity(of), "from", "to"]
                .map(str::to_owned)
                .to_vec(),
            rows: rows.collect(),
        },
        plot: Plot::new(
            vec![Panel::new(quantity(of), Axis::category("", places), y, series).tall(PLOT)],
            legend,
            1,
        ),
    };
    Some(draft.figure(theme))
}

const OWN: &str = "original order";

/// Where a cell stands: only what differs between cells is said.
fn place(cells: &[&PictureCell], cell: &PictureCell) -> String {
    let is_one_model = cells.iter().all(|other| other.model == cell.model);
    let is_one_plan = cells.iter().all(|other| other.plan == cell.plan);
    let plan = cell.plan.as_deref().unwrap_or(OWN);
    let model = match moment(&cell.model) {
        Some(step) => format!("step {step}"),
        None => cell.model.clone(),
    };
    match (is_one_model, is_one_plan) {
        (_, true) => model,
        (true, false) => plan.to_owned(),
        (false, false) => format!("{model}, {plan}"),
    }
}

/// From where to where the task goes whose values are farthest apart.
fn title(of: PictureMean, cells: &[&PictureCell]) -> Option<String> {
    let ends = |task: &str| {
        let own = cells.iter().filter(move |cell| cell.task == task);
        let of = |cell: &&&PictureCell| cell.value.mean;
        let low = own.clone().min_by(|a, b| of(a).total_cmp(&of(b)))?;
        let high = own.max_by(|a, b| of(a).total_cmp(&of(b)))?;
        Some((*low, *high))
    };
    let all = cells.iter().filter_map(|cell| ends(&cell.task));
    let span = |(low, high): &(&PictureCell, &PictureCell)| high.value.mean - low.value.mean;
    let (low, high) = all.max_by(|a, b| span(a).total_cmp(&span(b)))?;
    let end = |cell: &PictureCell| {
        let value = said(of, cell.value.mean);
        format!("{value} ({})", place(cells, cell))
    };
    let ends =
        if span(&(low, high)) > 0.0 { format!("{} to {}", end(low), end(high)) } else { end(low) };
    let what = super::votes::capital(&quantity(of));
    Some(format!("{what} on “{}”: {ends}", low.task))
}

fn quantity(of: PictureMean) -> String {
    let (word, column) = match of {
        PictureMean::Accuracy => return "right among the options, %".to_owned(),
        PictureMean::Line => return "line-shape score".to_owned(),
        PictureMean::Mse(column) => ("MSE", column),
        PictureMean::Bias(column) => ("bias", column),
        PictureMean::Diversity(column) => ("diversity", column),
    };
    let column = match column {
        ReadColumn::Probability => Column::Probability.label(),
        ReadColumn::Logit => Column::Logit.label(),
        ReadColumn::Paper => "by the paper's formula",
    };
    format!("{word}, {column}")
}

fn scaled(of: PictureMean, value: f64) -> f64 {
    match of {
        PictureMean::Accuracy => 100.0 * value,
        _ => value,
    }
}

fn said(of: PictureMean, value: f64) -> String {
    match of {
        PictureMean::Accuracy => percent(value),
        _ => short(value),
    }
}

#[cfg(test)]
mod tests;
