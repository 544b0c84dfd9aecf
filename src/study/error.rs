use crate::engine::EngineError;
use crate::model::ModelError;
use crate::plan::{MAX_REPEAT, PlanError};
use crate::study::coupling::{MAX_POSITIONS, MAX_STEPS};
use crate::study::orders::{MAX_SEEDS, Sweep};

/// Why a study could not be made; the rooms' own sentences.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "{model} has no tokenizer.json, so it cannot read text; add the file, or give token ids"
    )]
    NoTokenizer { model: String },
    #[error(
        "the prompt fills the model's context of {context} tokens, and nothing can be written after it: shorten it"
    )]
    FullContext { context: usize },
    #[error(
        "there is no sweep '{name}': choose from drop, swap, skip, repeat, reverse, shuffle, parallel, loop, heads, family, all"
    )]
    UnknownSweep { name: String },
    #[error(
        "a model of {runs} block runs has no order to try for {sweep}: {sweep} needs at least {}",
        sweep.least_runs()
    )]
    NoSuchSweep { sweep: Sweep, runs: usize },
    #[error(
        "the model does not know the option {option:?} and reads it as {unknown}, as any other such word: give a word that it knows"
    )]
    UnknownOption { option: String, unknown: String },
    #[error("the model does not know the word {word:?}")]
    UnknownWord { word: String },
    #[error("there are no rows to run: give a task or a file with at least one")]
    NoRows,
    #[error(
        "the answers of {task} are no single tokens among options, so nothing votes for them: choose a task with options"
    )]
    NeedsOptions { task: String },
    #[error("row {row} is scored another way than the first: run each kind of rows by itself")]
    MixedRows { row: usize },
    #[error("{task}, row {row}: {error}")]
    Row { task: String, row: usize, error: Box<StudyError> },
    #[error(
        "the file holds a sweep of '{task}' with other rows, plans or seed. Resume with its own options, or \
         write to another file"
    )]
    OtherSweep { task: String },
    #[error(
        "{task}: what came back of the rows from {row} on is not what these rows give: run the sweep again"
    )]
    StrayRows { task: String, row: usize },
    #[error(
        "the file holds a coupling on '{task}' with other rows, K, plan, method or seed. Resume with \
         its own options, or write to another file"
    )]
    OtherCoupling { task: String },
    #[error("a sweep takes 1 to {MAX_SEEDS} seeds and 1 to {MAX_REPEAT} rounds")]
    Extent,
    #[error("the plan {plan} is of a model of {of_plan} blocks, and this one has {of_model}")]
    OtherDepth { plan: String, of_plan: usize, of_model: usize },
    #[error(
        "{task}: {reason}; or give --continuations to score such options by how likely each is as a continuation"
    )]
    NotOneToken { task: String, reason: String },
    #[error("{task}: every row is longer than the model's context of {context} tokens")]
    AllTooLong { task: String, context: usize },
    #[error(
        "{k} leading vectors of Jacobians were asked for, and this model's blocks have 1 to {width}: ask for fewer"
    )]
    Top { k: usize, width: usize },
    #[error(
        "token {t_in} comes after token {t_out}, which does not see it: let t_in be at most t_out"
    )]
    LaterInput { t_in: usize, t_out: usize },
    #[error(
        "there is no step {step}: the plan's {steps} steps are counted 0 to {last}; choose two of them", last = steps.saturating_sub(1)
    )]
    NoStep { step: usize, steps: usize },
    #[error(
        "the plan has {steps} steps, and coupling compares at most {MAX_STEPS}: shorten the plan"
    )]
    ManySteps { steps: usize },
    #[error(
        "{positions} positions were asked for, and a map between tokens has at most {MAX_POSITIONS}"
    )]
    ManyPositions { positions: usize },
    #[error(
        "a run of {plan} has no member {name}: its members are called emb, then a block's number with a or m, and the last {last}"
    )]
    NoMember { name: String, plan: String, last: String },
    #[error("row {row} gave numbers that are not finite: the model's weights are damaged")]
    NotFinite { row: usize },
    #[error(
        "the two directions along which the last states differ most were not found: report the model and the prompt"
    )]
    NoPlane,
}

impl StudyError {
    /// Names the row, counted from 1, in which the error lies.
    pub(in crate::study) fn in_row(self, task: &str, row: usize) -> Self {
        Self::Row { task: task.to_owned(), row, error: Box::new(self) }
    }
}
