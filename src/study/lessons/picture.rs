//! The data of a step's pictures: the reports that a view would draw, and of rows their means.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ask::{CoupledShow, LensShow, ReadColumn, StepAsk, SurveyShow};
use super::found::{FoundCell, ModelFound, PartFound, StepFound};
use crate::engine::Member;
use crate::measure::interval::Mean;
use crate::study::coupling::TaskCoupling;
use crate::study::need::Need;
use crate::study::orders::{OrderRows, Orders};
use crate::study::report::Lens;

/// One picture of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepPicture {
    /// One prompt.
    Lens {
        model: String,
        show: LensShow,
        lens: Box<Lens>,
        /// The run before the question, where the picture compares with it.
        before: Option<Box<Lens>>,
    },
    /// The votes of parts, and the losses without them.
    Need { model: String, need: Box<Need> },
    /// Linearised blocks.
    Coupling {
        show: CoupledShow,
        /// At least one; several where they are compared in one picture.
        models: Vec<CoupledModel>,
    },
    /// Whole sweeps over orders on one task; its rows are not drawn, and left behind.
    Sweep { model: String, draws_first_word: bool, orders: Box<Orders> },
    /// One number of each model on each task under each order.
    Rows { of: PictureMean, cells: Vec<PictureCell> },
    /// Accuracy of each model on rows with more and more negations; those named in `turned` turn the right answer
    /// round.
    Said { cells: Vec<PictureCell>, turned: Vec<String> },
    /// Accuracy of one model after every component.
    Depths { model: String, members: Vec<Member>, tasks: Vec<DepthAccuracy> },
}

/// Accuracy of the sum of the first components, on one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthAccuracy {
    pub task: String,
    pub rows: usize,
    /// `[M]` shares of rows.
    pub accuracy: Vec<f64>,
    /// The component that brings nearly all right answers, counted from 0.
    pub reached: Option<usize>,
}

/// The quantity of a cell's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureMean {
    /// A mean of rows, in a column where it is of votes.
    Rows(SurveyShow, ReadColumn),
    /// The line-shape score of the way through the blocks.
    Line,
}

/// A mean of a cell.
fn mean_of_cell(cell: &FoundCell, show: SurveyShow, column: ReadColumn) -> Mean {
    let [probability, _, centred, paper] = &cell.columns;
    let means = match column {
        ReadColumn::Probability => probability,
        ReadColumn::Logit => centred,
        ReadColumn::Paper => paper,
    };
    match show {
        SurveyShow::Accuracy => cell.accuracy,
        SurveyShow::Mse => means.mse,
        SurveyShow::Bias => means.bias,
        SurveyShow::Diversity => means.diversity,
    }
}

/// One model's linearised blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoupledModel {
    pub model: String,
    pub coupling: TaskCoupling,
}

impl StepPicture {
    /// Names the models whose numbers are drawn, each once.
    pub fn models(&self) -> Vec<&str> {
        match self {
            Self::Lens { model, .. }
            | Self::Need { model, .. }
            | Self::Sweep { model, .. }
            | Self::Depths { model, .. } => vec![model],
            Self::Coupling { models, .. } => models.iter().map(|of| of.model.as_str()).collect(),
            Self::Rows { cells, .. } | Self::Said { cells, .. } => {
                let mut seen = BTreeSet::new();
                let models = cells.iter().map(|cell| cell.model.as_str());
                models.filter(|model| seen.insert(*model)).collect()
            }
        }
    }
}

/// One model on one task under one order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureCell {
    pub model: String,
    pub task: String,
    /// `None` for the model's own.
    pub plan: Option<String>,
    pub rows: usize,
    pub value: Mean,
}

impl PictureCell {
    fn of(model: &str, cell: &FoundCell, show: SurveyShow, column: ReadColumn) -> Self {
        Self {
            model: model.to_owned(),
            task: cell.task.clone(),
            plan: cell.plan.clone(),
            rows: cell.rows,
            value: mean_of_cell(cell, show, column),
        }
    }
}

/// A model's name, and a cell of it.
type ModelCell<'a> = (&'a str, &'a FoundCell);

impl StepFound {
    /// Returns the data of its pictures, beside the run `before`; nothing for curves that need no run.
    pub fn pictures(&self, before: Option<&StepFound>) -> Vec<StepPicture> {
        let models = &self.models;
        let mut all: Vec<StepPicture> =
            models.iter().flat_map(|found| of_model(found, &self.ask, before)).collect();
        let cells = models.iter().flat_map(|of| match &of.part {
            PartFound::Cells(cells) => cells.iter().map(|cell| (of.model.as_str(), cell)).collect(),
            _ => Vec::new(),
        });
        let cells: Vec<ModelCell<'_>> = cells.collect();
        match &self.ask {
            StepAsk::Coupling(ask) => all.extend(coupled(models, ask.show)),
            StepAsk::Survey(ask) if ask.depths => {}
            _ if cells.is_empty() => {}
            StepAsk::Rows(ask) if !ask.turned.is_empty() => all.push(said(&cells, &ask.turned)),
            ask => all.extend(rows(&cells, ask)),
        }
        all
    }
}

/// The pictures that are of one model alone.
fn of_model(found: &ModelFound, ask: &StepAsk, before: Option<&StepFound>) -> Vec<StepPicture> {
    let model = found.model.clone();
    match (&found.part, ask) {
        (PartFound::Lens(lens), StepAsk::Lens(ask)) => {
            let before = before.filter(|_| ask.shown() == LensShow::Moved);
            vec![StepPicture::Lens {
                model,
                show: ask.shown(),
                lens: Box::new(lens.lens.clone()),
                before: before.and_then(StepFound::lens).map(|lens| Box::new(lens.clone())),
            }]
        }
        (PartFound::Heads(found), _) => {
            vec![StepPicture::Need { model, need: Box::new(found.need.clone()) }]
        }
        (PartFound::Sweeps(sweeps), StepAsk::Sweeps(ask)) => {
            let drawn = sweeps.iter().map(|orders| StepPicture::Sweep {
                model: model.clone(),
                draws_first_word: ask.draws_first_word,
                orders: Box::new(without_rows(orders)),
            });
            drawn.collect()
        }
        (PartFound::Cells(cells), StepAsk::Survey(ask)) if ask.depths => {
            let members = cells.first().map(|cell| cell.members.clone()).unwrap_or_default();
            let tasks = cells.iter().map(|cell| DepthAccuracy {
                task: cell.task.clone(),
                rows: cell.rows,
                accuracy: cell.depths.clone(),
                reached: cell.reached.as_ref().map(|(count, _)| count - 1),
            });
            vec![StepPicture::Depths { model, members, tasks: tasks.collect() }]
        }
        _ => Vec::new(),
    }
}

/// Returns the picture of the models' answers by number of negations.
fn said(cells: &[ModelCell<'_>], turned: &[String]) -> StepPicture {
    let originals = cells.iter().filter(|(_, cell)| cell.plan.is_none());
    let cells = originals.map(|(model, cell)| {
        PictureCell::of(model, cell, SurveyShow::Accuracy, ReadColumn::default())
    });
    StepPicture::Said { cells: cells.collect(), turned: turned.to_vec() }
}

/// Returns one picture for each mean that `ask` names, of all models.
fn rows(cells: &[ModelCell<'_>], ask: &StepAsk) -> Vec<StepPicture> {
    let (shown, column) = match ask {
        StepAsk::Survey(ask) => (vec![ask.show], ask.column),
        StepAsk::Rows(ask) if !ask.show.is_empty() => (ask.show.clone(), ask.column),
        _ => (vec![SurveyShow::Accuracy], ReadColumn::default()),
    };
    let pictures = shown.into_iter().map(|show| {
        let cells =
            cells.iter().map(|(model, cell)| PictureCell::of(model, cell, show, column)).collect();
        StepPicture::Rows { of: PictureMean::Rows(show, column), cells }
    });
    pictures.collect()
}

/// Pictures of linearised blocks: one of all models where their ways are compared, else one per model.
fn coupled(models: &[ModelFound], show: CoupledShow) -> Vec<StepPicture> {
    let all = models.iter().filter_map(|found| match &found.part {
        PartFound::Coupling(coupling) => Some(CoupledModel {
            model: found.model.clone(),
            coupling: TaskCoupling::clone(coupling),
        }),
        _ => None,
    });
    let all: Vec<CoupledModel> = all.collect();
    match show {
        _ if all.is_empty() => Vec::new(),
        CoupledShow::Straightness if are_as_long(&all) => vec![StepPicture::Rows {
            of: PictureMean::Line,
            cells: all.iter().filter_map(line_cell).collect(),
        }],
        CoupledShow::Straightness => vec![StepPicture::Coupling { show, models: all }],
        CoupledShow::Map | CoupledShow::Swaps | CoupledShow::Linearised => {
            let single =
                all.into_iter().map(|one| StepPicture::Coupling { show, models: vec![one] });
            single.collect()
        }
    }
}

/// Are they several, of one number of steps, such as moments of one training? Over that number their marks would
/// lie upon each other.
fn are_as_long(all: &[CoupledModel]) -> bool {
    let steps = |of: &CoupledModel| of.coupling.steps.len();
    all.len() > 1 && all.windows(2).all(|pair| steps(&pair[0]) == steps(&pair[1]))
}

/// How straight a model's way is; nothing where its stream never moves.
fn line_cell(of: &CoupledModel) -> Option<PictureCell> {
    Some(PictureCell {
        model: of.model.clone(),
        task: of.coupling.task.clone(),
        plan: None,
        rows: of.coupling.rows,
        value: of.coupling.line_shape_score?,
    })
}

/// Means alone: a picture's points need no rows, which are most of a sweep.
fn without_rows(orders: &Orders) -> Orders {
    let mut orders = orders.clone();
    let variants = orders.variants.iter_mut();
    for variant in variants.chain(std::iter::once(&mut orders.original)) {
        variant.rows = OrderRows::default();
    }
    orders
}
