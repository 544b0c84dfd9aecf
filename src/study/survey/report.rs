//! The file a survey writes and the page opens: `survey.atelier.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choices::ChoiceShare;
use super::correlations::Correlated;
use super::{CellFacts, Information, LevelAccuracy, MeasuredRow};
use crate::engine::Member;
use crate::measure::tradeoff::Tradeoff;
use crate::study::facts::ModelFacts;
use crate::study::report::Averages;
use crate::task::score::Score;

/// The whole file. Numbers carry seven digits, what a 32-bit run can vouch
/// for; the rows' own file has them in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyReport {
    /// Version of the layout: [`crate::study::report::VERSION`].
    pub atelier: u32,
    pub survey: Survey,
}

/// Models x tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Rows of each task at most; as many as the tasks say without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Worked examples in front of every question, and how they were drawn.
    pub shots: usize,
    pub seed: u64,
    pub models: Vec<SurveyModel>,
    pub tasks: Vec<SurveyTask>,
    /// Model by model, each with every task.
    pub cells: Vec<SurveyCell>,
    /// Over the models, a task each, and then over tasks.
    pub correlations: Vec<Correlated>,
}

/// A model that was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SurveyModel {
    pub name: String,
    /// `None` for a model that could not be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<ModelFacts>,
    /// Device and precision.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// `[M]` in the order they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// SHA-256 of its files by name, where the report was made to be shared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// A task that was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyTask {
    pub name: String,
    pub about: String,
    pub source: String,
    pub score: Score,
    /// Rows asked.
    pub rows: usize,
    /// Unit of its levels, such as "digits"; none where it has no levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<String>,
    /// Remarks on the file, made when it was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Hash of the questions and right answers: equal in every survey that asked the same.
    pub fingerprint: String,
}

/// One model on one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyCell {
    /// Indices into the survey's lists.
    pub model: usize,
    pub task: usize,
    pub outcome: SurveyedOutcome,
}

/// The outcome of one model on one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurveyedOutcome {
    Found(Box<Found>),
    /// Why there are no numbers.
    Failed(String),
}

/// Numbers of one model over the rows of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub facts: CellFacts,
    /// Mean over rows of 1 / K of the row's own choices; 0 where the answer is open.
    pub chance: f64,
    /// Mean over rows of `(K - 1) / K²`: what the paper's mse sits next to.
    pub uniform: f64,
    /// K of the votes, where all rows have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<usize>,
    /// How often each option is right and chosen, by its place in its row; none where the answer is open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceShare>,
    /// Right answers by level, the lowest first, where rows have levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelAccuracy>,
    /// Accuracy when every continuation's log-probability is divided by its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_per_byte: Option<f64>,
    /// Share of rows whose right answer is what the model says first by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<f64>,
    /// Mean `ln P` of the right answer over the whole vocabulary, nats per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<f64>,
    /// `exp` of minus the mean `ln P` of a token of the right answer, for last words of a whole word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perplexity: Option<f64>,
    /// Mean over rows of what all options hold of the whole vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// All of docs/definitions.md, section 3. `by_depth[n].accuracy` is the votes'; `accuracy` is
    /// the score's.
    pub averages: Averages,
    /// docs/definitions.md, section 4, of raw logits.
    pub tradeoff: Tradeoff,
    /// docs/definitions.md, section 5, or why there is none.
    #[serde(with = "FoundOrRefused")]
    pub information: Result<Information, String>,
    /// Some rows, evenly spread.
    pub samples: Vec<Sample>,
}

/// `{"found": …}` or `{"refused": "why"}`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Result<Information, String>")]
#[allow(clippy::large_enum_variant)] // only ever a Result
enum FoundOrRefused {
    #[serde(rename = "found")]
    Ok(Information),
    #[serde(rename = "refused")]
    Err(String),
}

/// A row to look at, and to open in the lens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub row: usize,
    pub line: usize,
    /// In the task's own count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
    /// Output rows of the options voted on, the right one's index, and the likeliest one's.
    pub option_ids: Vec<u32>,
    pub answer: usize,
    pub answered: usize,
    pub correct: bool,
    /// `ln P` of the right answer over the whole vocabulary, nats; `None` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<f64>,
    /// `[mse, bias, diversity]`
    pub probability: [f64; 3],
    pub logit: [f64; 3],
    pub centred: [f64; 3],
    pub offset: [f64; 3],
    pub paper: [f64; 3],
}

impl Sample {
    pub(super) fn of(row: &MeasuredRow) -> Self {
        Self {
            row: row.row,
            line: row.line,
            level: row.level,
            prompt: row.prompt.clone(),
            choices: row.choices.clone(),
            right: row.right,
            option_ids: row.option_ids.clone(),
            answer: row.answer,
            answered: row.answered,
            correct: row.correct,
            log_likelihood: row.log_likelihood(),
            probability: row.probability,
            logit: row.logit,
            centred: row.centred,
            offset: row.offset,
            paper: row.paper,
        }
    }
}

impl Survey {
    /// Cells with numbers: model, task, what was found.
    pub fn found(&self) -> impl Iterator<Item = (&SurveyModel, &SurveyTask, &Found)> {
        self.cells.iter().filter_map(|cell| match &cell.outcome {
            SurveyedOutcome::Found(found) => {
                Some((&self.models[cell.model], &self.tasks[cell.task], &**found))
            }
            SurveyedOutcome::Failed(_) => None,
        })
    }

    /// Cells without numbers, and why.
    pub fn failed(&self) -> impl Iterator<Item = (&SurveyModel, &SurveyTask, &str)> {
        self.cells.iter().filter_map(|cell| match &cell.outcome {
            SurveyedOutcome::Found(_) => None,
            SurveyedOutcome::Failed(why) => {
                Some((&self.models[cell.model], &self.tasks[cell.task], why.as_str()))
            }
        })
    }
}
