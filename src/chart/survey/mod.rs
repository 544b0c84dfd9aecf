//! A survey's figures (*Diversity of Transformer Layers*, Table 1 and Figs. 3 to 7) and ours: each
//! from the report alone.

mod correlation;
mod depth;
mod identity;
mod information;
mod levels;
mod plane;
mod questions;
mod shares;
mod stream;
mod table1;
mod uniform;

use super::TableCell::{self, Text};
use super::number::{counted, ends, mean, percent, percent_tenths};
use super::plot::{Line, Mark, Panel, Pen, Plot, Point, Series, heights};
use super::{Figure, FigureDraft, Table, Theme, distinct};
use crate::study::survey::{ChoiceShare, Found, Survey, SurveyModel, SurveyTask};
pub use questions::{OVERVIEW_QUESTIONS, STREAM_QUESTION, SurveyQuestion};

/// Every figure that the survey has numbers for.
pub fn survey_figures(survey: &Survey, theme: &Theme) -> Vec<Figure> {
    let mut all = overview_figures(survey, theme);
    for model in 0..survey.models.len() {
        all.extend(model_figures(survey, model, theme));
    }
    all
}

/// Those of all models together, but for what [`left_out`] names.
pub fn overview_figures(survey: &Survey, theme: &Theme) -> Vec<Figure> {
    let known: Vec<KnownCell<'_>> = cells(survey).collect();
    let all = [
        table1::figure(survey, &known, theme),
        levels::figure(survey, theme),
        correlation::figure(survey, theme),
        shares::figure(survey, &known, theme),
        depth::figure(survey, theme),
        identity::figure(survey, &known, theme),
        plane::figure(survey, &known, theme),
        uniform::figure(survey, &known, theme),
    ];
    let left_out = left_out(survey);
    let is_drawn = |draft: &FigureDraft| {
        !draft.plot.panels.is_empty() && left_out.is_none_or(|(key, _)| key != draft.key)
    };
    all.into_iter().filter(is_drawn).map(|draft| draft.figure(theme)).collect()
}

/// The figure that compares models, where this survey has only one: its key, and a sentence that says why it is not
/// drawn.
pub fn left_out(survey: &Survey) -> Option<(&'static str, &'static str)> {
    let mut models = cells(survey).map(|cell| cell.model);
    let first = models.next()?;
    models
        .all(|model| model == first)
        .then_some((shares::KEY, "Figure 4 is not drawn: it compares models, and there is one."))
}

/// Those along one model's stream.
pub fn model_figures(survey: &Survey, model: usize, theme: &Theme) -> Vec<Figure> {
    if !cells(survey).any(|cell| cell.model == model) {
        return Vec::new();
    }
    let stream = stream::figure(survey, model, theme);
    let all = std::iter::once(stream).chain(information::figures(survey, model, theme));
    let named = |draft: FigureDraft| {
        let name = format!("{}-{}", draft.key, survey.models[model].name);
        draft.figure(theme).named(name)
    };
    all.map(named).collect()
}

/// A cell with numbers.
pub(super) struct KnownCell<'a> {
    pub model: usize,
    pub task: usize,
    model_name: &'a str,
    pub task_name: &'a str,
    pub found: &'a Found,
}

impl KnownCell<'_> {
    /// Model and task, as the words of a mark begin.
    pub fn place(&self) -> String {
        format!("{} on {}", self.model_name, self.task_name)
    }

    fn task(&self) -> TableCell {
        Text(self.task_name.to_owned())
    }

    fn model(&self) -> TableCell {
        Text(self.model_name.to_owned())
    }
}

pub(super) fn cells(survey: &Survey) -> impl Iterator<Item = KnownCell<'_>> {
    use crate::study::survey::SurveyedOutcome::{Failed, Found};
    survey.cells.iter().filter_map(|cell| match &cell.outcome {
        Found(found) => Some(KnownCell {
            model: cell.model,
            task: cell.task,
            model_name: &survey.models[cell.model].name,
            task_name: &survey.tasks[cell.task].name,
            found,
        }),
        Failed(_) => None,
    })
}

/// Models keep their colour and mark in every figure.
fn model_pen(survey: &Survey, model: usize, theme: &Theme, line: Line) -> Pen {
    Pen { line, ..theme.pen(model, survey.models[model].name.as_str()) }
}

/// Marks of all models, without lines.
fn model_pens(survey: &Survey, theme: &Theme) -> Vec<Pen> {
    (0..survey.models.len()).map(|model| model_pen(survey, model, theme, Line::None)).collect()
}

/// A series of marks per model: a point per cell, but where there is none.
fn model_marks(
    survey: &Survey,
    all: &[KnownCell<'_>],
    theme: &Theme,
    point: impl Fn(&KnownCell<'_>) -> Option<Point>,
) -> Vec<Series> {
    let pens = model_pens(survey, theme).into_iter().enumerate();
    let series = pens.map(|(model, pen)| {
        Series::new(pen, all.iter().filter(|cell| cell.model == model).filter_map(&point))
    });
    series.collect()
}

fn task_names(survey: &Survey) -> Vec<String> {
    survey.tasks.iter().map(|task| task.name.clone()).collect()
}

/// Says of an accuracy below the most frequent right answer's share what that answer is.
pub fn below_majority(model: &SurveyModel, task: &SurveyTask, found: &Found) -> Option<String> {
    let (accuracy, majority) = (found.averages.accuracy, found.averages.majority);
    if accuracy >= majority {
        return None;
    }
    let mut choices = found.choices.iter().enumerate();
    let most = choices.find(|(_, choice)| choice.right >= majority);
    let answer =
        most.map_or("the most frequent answer".to_owned(), |(k, choice)| choice_name(k, choice));
    let ([accuracy, majority], model, task) =
        ([accuracy, majority].map(percent_tenths), &model.name, &task.name);
    Some(format!("{model} on {task}: {accuracy} is below always answering {answer}, {majority}."))
}

/// On how many rows of the wanted cells the model says the right answer first by itself, with a space behind.
fn first_words(survey: &Survey, is_wanted: impl Fn(&KnownCell<'_>) -> bool) -> String {
    let shares = cells(survey).filter(is_wanted).filter_map(|cell| cell.found.first_word);
    match ends(shares) {
        Some([low, high]) if low < high => format!(
            "The right answer is the model's first word on {} to {} of a task's rows. ",
            percent(low),
            percent(high)
        ),
        Some([share, _]) => format!(
            "The right answer is the model's first word on {} of the rows. ",
            percent(share)
        ),
        None => {
            "Not known: on how many rows the right answer is the model's first word. ".to_owned()
        }
    }
}

/// How often each option is chosen: `"“no” 81.0 %, “yes” 19.0 %"`.
pub fn chosen(found: &Found) -> String {
    let choices = found.choices.iter().enumerate();
    let shares = choices
        .map(|(k, choice)| format!("{} {}", choice_name(k, choice), percent_tenths(choice.chosen)));
    shares.collect::<Vec<_>>().join(", ")
}

/// An option by its text, or by its place where rows differ.
fn choice_name(k: usize, choice: &ChoiceShare) -> String {
    match &choice.option {
        Some(text) => format!("“{}”", text.trim()),
        None => format!("option {}", k + 1),
    }
}

/// How many models and tasks have numbers, in words.
fn extent(survey: &Survey) -> String {
    let models = distinct(cells(survey).map(|cell| cell.model)).len();
    let tasks = distinct(cells(survey).map(|cell| cell.task)).len();
    format!("{}, {}", counted(models, "model"), counted(tasks, "task"))
}
