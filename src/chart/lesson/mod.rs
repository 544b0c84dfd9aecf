//! The run of a lesson's step in one picture, with the marks of the step.

mod depths;
mod lens;
mod rows;
mod said;

use std::collections::BTreeSet;

use super::{
    Column, CouplingShown, DepthColour, Figure, Quantity, Theme, depth_figures, doubt_figure,
    need_figure, relation_figure, running, spread, sweep_figures, task_coupling_figures,
    task_linearised_figure, task_ways_figure, votes,
};
use crate::engine::member_names;
use crate::study::lessons::{
    CoupledModel, CoupledShow, LensShow, LessonMarks, StepPicture, swap_relation, weightiest,
};
use crate::study::need::Need;
use crate::study::orders::{Orders, Sweep};
use crate::study::report::Lens;

/// Height of a plot area in CSS pixels.
const PLOT: u32 = 220;

/// The picture of a step; bias, diversity and MSE are drawn in `column`. `None` where there is nothing to draw.
pub fn step_figure(
    picture: &StepPicture,
    marks: &LessonMarks,
    column: Column,
    theme: &Theme,
) -> Option<Figure> {
    let draft = match picture {
        StepPicture::Lens { show, lens, before, .. } => match show {
            LensShow::Moved => lens::moved_figure(before.as_ref()?, lens, theme),
            LensShow::Ranked => lens::ranked_figure(lens, theme),
            LensShow::Votes => votes::figure(lens, marked_member(lens, marks), theme),
            LensShow::Spread => spread::figure(lens, column, theme),
            LensShow::Running => running::figure(lens, column, theme),
            // The first is the grid of depths.
            LensShow::Depths => {
                return depth_figures(lens, DepthColour::default(), theme).into_iter().next();
            }
            LensShow::Doubt => return doubt_figure(lens, theme),
        },
        StepPicture::Need { need, .. } => return marked_need(need, marks, theme),
        StepPicture::Coupling { show, models } => return coupled_figure(*show, models, theme),
        StepPicture::Sweep { orders, draws_first_word, .. } => {
            let quantity =
                if *draws_first_word { Quantity::FirstWord } else { Quantity::Normalised };
            return sweep_figure(orders, quantity, column, theme);
        }
        StepPicture::Rows { of, cells } => rows::figure(*of, cells, marks, theme)?,
        StepPicture::Said { cells, turned } => said::figure(cells, turned)?,
        StepPicture::Depths { model, members, tasks } => {
            depths::figure(model, members, tasks, theme)?
        }
    };
    Some(draft.figure(theme))
}

/// Draws the cost of leaving out each part, with the names of the marked blocks' parts at their points.
fn marked_need(need: &Need, marks: &LessonMarks, theme: &Theme) -> Option<Figure> {
    let parts = |block| ["attention", "MLP"].map(|part| format!("block {block}'s {part}"));
    let names: BTreeSet<String> = marks.blocks.iter().flat_map(parts).collect();
    let mut figure = need_figure(need, theme)?;
    let series = figure.plot.panels.iter_mut().flat_map(|panel| &mut panel.series);
    for point in series.flat_map(|series| &mut series.points) {
        // The first line of what pointing at it says is its name.
        let name = point.name.lines().next().unwrap_or_default();
        if names.contains(name) {
            point.label = Some(name.to_owned());
        }
    }
    Some(figure)
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

/// Draws a number of a sweep's orders, on one task.
fn sweep_figure(
    orders: &Orders,
    quantity: Quantity,
    column: Column,
    theme: &Theme,
) -> Option<Figure> {
    let is_loops = orders.points.iter().all(|point| point.sweep == Sweep::Loop);
    let mut figures = sweep_figures(orders, quantity, column, theme).into_iter();
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

#[cfg(test)]
mod tests;
