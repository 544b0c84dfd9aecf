//! The eight theorems of *Diversity of Transformer Layers* as pictures, each with one control that
//! breaks what it rests on. docs/definitions.md, sections 3 to 5.
//!
//! Where the theorem is about a model's rows, the picture is of a survey's; where it is about an
//! assumption that no model can be made to keep, it is of an [ensemble](crate::measure::ensemble) made up on the spot, and
//! says so.

mod bounds;
mod gains;
mod growth;
mod identity;
mod limit;
mod shapes;
mod terms;
mod theorems;
mod tradeoff;

pub use shapes::{shape_steps, shapes_figure};
pub use theorems::{THEOREMS, Theorem};

use super::number::counted;
use super::plot::{Panel, Pen, Plot, Room, Series};
use super::survey::{KnownCell, cells};
use super::{Figure, FigureDraft, TableCell, Theme};
use crate::study::survey::{Estimate, Information, InformationPoint, Survey};

/// The setting that the reader may change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// A setting is the index of one of these; the first is the default.
    Choice { label: &'static str, choices: &'static [&'static str] },
    /// A setting is a share from 0 to 1.
    Share { label: &'static str, start: f64 },
}

/// Where a control stands before anybody touched it.
pub fn at_start(control: &Control) -> f64 {
    match control {
        Control::Choice { .. } => 0.0,
        Control::Share { start, .. } => *start,
    }
}

/// An estimator of a survey's information, and its estimate.
type Estimator = (&'static str, fn(&Information) -> &Estimate);

const VOTES: Estimator = ("counted votes", |information| &information.votes);
const COPULA: Estimator = ("copula", |information| &information.copula);

/// Everything that a picture is drawn from.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    survey: &'a Survey,
    model: usize,
    task: usize,
    setting: f64,
    theme: &'a Theme,
}

impl<'a> Scene<'a> {
    /// The index of the choice that is set.
    fn choice(&self) -> usize {
        self.setting.max(0.0) as usize
    }

    /// The chosen model's cells with numbers.
    fn cells(&self) -> impl Iterator<Item = KnownCell<'a>> {
        let model = self.model;
        cells(self.survey).filter(move |cell| cell.model == model)
    }

    /// Returns the information of the chosen model on the chosen task, and both in words; a refusal where there is none.
    fn information(&self) -> Result<(String, &'a Information), String> {
        let cell = self.cells().find(|cell| cell.task == self.task);
        let cell = cell.ok_or_else(|| missing(self, "numbers"))?;
        let place = cell.place();
        let information = cell.found.information.as_ref();
        let information = information.map_err(|why| format!("{place}: {why}."))?;
        Ok((place, information))
    }

    /// An estimate's curve along the chosen model's stream on the chosen task, and what it is of, in
    /// words.
    fn curve(&self, (name, of): Estimator) -> Result<(String, &'a [InformationPoint]), String> {
        let (place, information) = self.information()?;
        let estimate = of(information);
        let stopped = estimate.stopped.as_deref();
        if estimate.curve.is_empty() {
            let why = stopped.unwrap_or("there is no estimate");
            return Err(format!("{place}: {why}."));
        }
        let end = stopped.map_or_else(String::new, |why| format!(" It ends early: {why}."));
        let words = format!("{place}, {}, {name}.{end}", counted(information.rows, "row"));
        Ok((words, &estimate.curve))
    }

    fn model_name(&self) -> &'a str {
        &self.survey.models[self.model].name
    }
}

/// The picture of theorem `number`, 1 to 8, from one model's rows of a survey (`model` and `task`
/// are indices of its lists) or from an ensemble made up.
///
/// # Errors
/// A sentence: the survey has no numbers to draw it from.
///
/// # Panics
/// For indices that are not in the survey's lists.
pub fn theorem_figure(
    number: usize,
    survey: &Survey,
    [model, task]: [usize; 2],
    setting: f64,
    theme: &Theme,
    room: Room,
) -> Result<Figure, String> {
    let scene = Scene { survey, model, task, setting, theme };
    let sketch = match number {
        1 => identity::sketch(&scene),
        2 => limit::sketch(&scene),
        3 => tradeoff::sketch(&scene),
        4 => terms::sketch(&scene),
        5 => growth::sketch(&scene),
        6 => bounds::sketch(&scene),
        7 => gains::information(&scene),
        _ => gains::bounds(&scene),
    }?;
    Ok(sketch.figure(theme).laid_out(room))
}

/// The places of a panel's points to the right, for its axis.
fn widths(panel: &[Series]) -> impl Iterator<Item = f64> {
    panel.iter().flat_map(|series| &series.points).map(|point| point.x)
}

fn plot(panels: Vec<Panel>, legend: Vec<Pen>) -> Plot {
    let columns = panels.len().min(2);
    Plot::new(panels, legend, columns)
}

fn missing(scene: &Scene<'_>, what: &str) -> String {
    let (model, task) = (scene.model_name(), &scene.survey.tasks[scene.task].name);
    format!("{model} on {task} has no {what}: choose another model or task.")
}

/// The first members, in a table.
fn first(members: usize) -> TableCell {
    TableCell::Text(format!("first {members}"))
}

/// Every theorem that draws the survey's numbers, as its control stands before anybody touched it, where the survey
/// has them: of the model with most members, on the first of its tasks with two options, else on its first.
pub(super) fn theorem_figures(survey: &Survey, theme: &Theme) -> Vec<Figure> {
    let members = |model: usize| survey.models[model].members.len();
    let deepest = cells(survey).map(|cell| cell.model);
    let deepest = deepest.max_by_key(|&model| (members(model), std::cmp::Reverse(model)));
    // Two options are what all estimators can do most with; of equals the first.
    let own = cells(survey).filter(|cell| Some(cell.model) == deepest);
    let Some(cell) = own.min_by_key(|cell| cell.found.options != Some(2)) else {
        return Vec::new();
    };
    let place = [cell.model, cell.task];
    let drawn = THEOREMS.iter().filter_map(|theorem| {
        let setting = at_start(&theorem.control);
        let figure =
            || theorem_figure(theorem.number, survey, place, setting, theme, Room::wide(2));
        (!theorem.is_made_up(setting)).then(figure)?.ok()
    });
    drawn.collect()
}
