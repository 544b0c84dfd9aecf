//! Results of a step's runs, before anybody asks for a field of them.

use std::collections::BTreeMap;

use super::ask::{StepAsk, SurveyAsk};
use crate::engine::{Member, member_names};
use crate::measure::decomposition::{ByKind, Triple};
use crate::measure::interval::{Mean, wilson};
use crate::study::coupling::TaskCoupling;
use crate::study::need::{Need, NeedRows};
use crate::study::orders::{Orders, Variant, VoteMeans};
use crate::study::report::{Lens, Report};
use crate::study::survey::{Found, Survey, SurveyModel, SurveyTask};

/// The result of one phase of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepFound {
    /// The run that was asked for.
    pub ask: StepAsk,
    /// In the order of [`StepAsk::models`], or of the survey; none where no model is needed.
    pub models: Vec<ModelFound>,
}

/// One model's result.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFound {
    pub model: String,
    /// Device and precision.
    pub engine: String,
    /// Read from a report or a survey that comes with the page.
    pub is_stored: bool,
    /// Which stored block runs in each place.
    pub order: Vec<usize>,
    pub vocabulary: usize,
    pub part: PartFound,
}

/// The numbers in one model's result.
#[derive(Clone, Debug, PartialEq)]
pub enum PartFound {
    Lens(Box<FoundLens>),
    Cells(Vec<FoundCell>),
    Heads(Box<FoundHeads>),
    Coupling(Box<TaskCoupling>),
    /// One a group of rows.
    Sweeps(Vec<Orders>),
}

impl PartFound {
    /// Returns the rows of each task; none for a single prompt.
    pub(super) fn rows(&self) -> Vec<usize> {
        match self {
            Self::Lens(_) => Vec::new(),
            Self::Cells(cells) => cells.iter().map(|cell| cell.rows).collect(),
            Self::Heads(heads) => vec![heads.need.rows],
            Self::Coupling(coupling) => vec![coupling.rows],
            Self::Sweeps(sweeps) => sweeps.iter().map(|orders| orders.rows).collect(),
        }
    }
}

/// Every part of a model on rows of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundHeads {
    pub need: Need,
    pub rows: NeedRows,
    pub looks: Option<TaskLooks>,
}

/// One prompt, and the same with the final norm held at the run's end where its depths were read.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLens {
    pub lens: Lens,
    pub held: Option<Lens>,
}

/// One model on one group of rows under one order.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCell {
    pub task: String,
    /// `None` for the model's own.
    pub plan: Option<String>,
    pub rows: usize,
    pub chance: f64,
    pub majority: f64,
    /// `(K - 1) / K²`, where all rows have the same K.
    pub uniform: Option<f64>,
    pub accuracy: Mean,
    /// Which rows are right; empty where only means are known.
    pub correct: Vec<bool>,
    /// Accuracy less that of the model's own order, row by row.
    pub change: Mean,
    /// Means of probabilities, whole logits, their part that moves probabilities, and by the paper's formula.
    pub columns: [VoteMeans; 4],
    /// Kinds in the first three columns, where they are known.
    pub by_kind: Option<[ByKind; 3]>,
    /// Number of the first members from which on their sum is right on nearly as many rows as the whole model, and
    /// the name of the last of them.
    pub reached: Option<(usize, String)>,
    /// Share of rows whose right answer is the likeliest of all tokens; `None` where it was not read.
    pub first_word: Option<f64>,
    /// `[M]` the share of rows that the sum of the first components gets right; empty where it was not read.
    pub depths: Vec<f64>,
    /// `[M]` components as they ran; empty for runs here.
    pub members: Vec<Member>,
}

/// How much the heads look at the right option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskLooks {
    /// By run of a block's attention and head: a weight a row.
    pub weights: BTreeMap<(usize, usize), Vec<f64>>,
}

/// A mean whose rows are not known: its interval is itself.
pub(super) fn exact(mean: f64) -> Mean {
    Mean { mean, low: mean, high: mean }
}

/// Share of the whole model's accuracy that a sum of the first members reaches at least.
const NEARLY_ALL: f64 = 0.95;

impl FoundCell {
    /// The model's own order, and those of these names.
    pub(super) fn of_orders(task: &str, plans: &[String], orders: &Orders) -> Vec<Self> {
        let original = std::iter::once((None, &orders.original));
        let others = plans.iter().cloned().map(Some).zip(&orders.variants);
        let cells = original.chain(others).map(|(plan, Variant { measures, rows, .. })| Self {
            task: task.to_owned(),
            plan,
            rows: orders.rows,
            chance: orders.chance,
            majority: orders.majority,
            uniform: Some(orders.chance).filter(|k| *k > 0.0).map(|k| k * (1.0 - k)),
            accuracy: measures.accuracy,
            correct: rows.correct.clone(),
            change: measures.change,
            columns: [measures.probability, measures.logit, measures.centred, measures.paper],
            by_kind: None,
            reached: None,
            first_word: measures.first_word.map(|share| share.mean),
            depths: Vec::new(),
            members: Vec::new(),
        });
        cells.collect()
    }

    /// Reads one cell of a survey.
    fn of_survey(model: &SurveyModel, task: &SurveyTask, found: &Found) -> Self {
        let all = &found.averages;
        let triples = all.triples();
        let means = |t: Triple| VoteMeans {
            mse: exact(t.mse),
            bias: exact(t.bias),
            diversity: exact(t.diversity),
        };

        // The last depth that is not there yet, and the member that brings it.
        let there = |accuracy: f64| accuracy >= NEARLY_ALL * all.accuracy;
        let before = all.by_depth.iter().rposition(|depth| !there(depth.accuracy));
        let reached = before.map_or(0, |last| last + 1);
        let name = member_names(&model.members).into_iter().nth(reached);

        Self {
            task: task.name.clone(),
            plan: None,
            rows: all.rows,
            chance: found.chance,
            majority: all.majority,
            uniform: Some(found.uniform),
            accuracy: wilson(all.accuracy, all.rows),
            correct: Vec::new(),
            change: exact(0.0),
            columns: [triples.probability, triples.logit, triples.centred, triples.paper]
                .map(means),
            by_kind: Some([&all.probability, &all.logit, &all.centred].map(|c| c.by_kind)),
            reached: name.map(|name| (reached + 1, name)),
            first_word: found.first_word,
            depths: all.by_depth.iter().map(|depth| depth.accuracy).collect(),
            members: model.members.clone(),
        }
    }
}

impl ModelFound {
    /// Reads what a step asks from a stored report, of all its rows; `None` where the report lacks it.
    pub fn of_report(report: &Report, ask: &StepAsk) -> Option<Self> {
        let part = match ask {
            StepAsk::Sweeps(ask) => {
                let tasks = ask.rows.iter().map(|group| {
                    let orders = report.orders.iter().find(|orders| orders.task == group.task);
                    let mut orders = orders?.clone();
                    orders.points.retain(|point| ask.kinds.contains(&point.sweep));
                    Some(orders)
                });
                PartFound::Sweeps(tasks.collect::<Option<_>>()?)
            }
            StepAsk::Coupling(ask) => {
                let mut tasks = report.task_coupling.iter();
                let coupling = tasks.find(|coupling| coupling.task == ask.rows.task)?;
                PartFound::Coupling(Box::new(coupling.clone()))
            }
            _ => return None,
        };
        Some(Self {
            model: report.model.name.clone(),
            engine: report.engine.clone(),
            is_stored: true,
            order: report.model.order.clone(),
            vocabulary: report.model.vocabulary,
            part,
        })
    }
}

impl StepFound {
    /// Returns the run of one prompt, where the step ran one.
    pub fn lens(&self) -> Option<&Lens> {
        match &self.models.first()?.part {
            PartFound::Lens(found) => Some(&found.lens),
            _ => None,
        }
    }

    /// The cells that a step looks at, of the surveys that come with the page.
    pub fn of_surveys(surveys: &[&Survey], ask: &SurveyAsk) -> Self {
        let mut models: Vec<ModelFound> = Vec::new();
        let found = surveys.iter().flat_map(|survey| survey.found());
        for (model, task, found) in
            found.filter(|(model, task, _)| ask.draws(&model.name, &task.name))
        {
            let cell = FoundCell::of_survey(model, task, found);
            match models.last_mut().map(|last| (&last.model, &mut last.part)) {
                Some((name, PartFound::Cells(cells))) if *name == model.name => cells.push(cell),
                _ => models.push(ModelFound {
                    model: model.name.clone(),
                    engine: model.engine.clone(),
                    is_stored: true,
                    order: model
                        .facts
                        .as_ref()
                        .map(|facts| facts.order.clone())
                        .unwrap_or_default(),
                    vocabulary: model.facts.as_ref().map_or(0, |facts| facts.vocabulary),
                    part: PartFound::Cells(vec![cell]),
                }),
            }
        }
        Self { ask: StepAsk::Survey(ask.clone()), models }
    }
}
