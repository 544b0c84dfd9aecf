use crate::engine::EngineError;
use crate::model::ModelError;
use crate::plan::PlanError;

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
}
