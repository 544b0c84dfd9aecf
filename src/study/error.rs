use crate::engine::EngineError;
use crate::model::ModelError;
use crate::plan::{MAX_REPEAT, PlanError};
use crate::study::orders::Sweep;

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
        "there is no sweep '{name}': choose from drop, swap, skip, repeat, reverse, shuffle, parallel, loop"
    )]
    UnknownSweep { name: String },
    #[error(
        "a model of {runs} block runs has no order to try for {sweep}: {sweep} needs at least {}",
        sweep.least_runs()
    )]
    NoSuchSweep { sweep: Sweep, runs: usize },
    #[error("a sweep needs at least one seed, and between 1 and {MAX_REPEAT} rounds")]
    Extent,
}
