//! Errors of a lesson's file, and the reasons why a model cannot show a step.

use std::fmt::Display;

/// One sentence: what is wrong and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LessonError {
    #[error("{file} is no lesson ({reason}): mend that line")]
    File { file: String, reason: String },
    #[error("{file}, step {step}: {reason}")]
    Step { file: String, step: String, reason: String },
    #[error("{name:?} is no field: write words joined by dots, as in before.vote.1m")]
    FieldName { name: String },
    #[error("{text:?} has a brace without its other half: write fields as {{lead:2}}")]
    Brace { text: String },
    #[error(
        "{text:?} names no place of the step: write names of [step.places], last and numbers, joined by + and -"
    )]
    Place { text: String },
    #[error("this run has no field {field}: {instead}")]
    NoField { field: String, instead: String },
    /// The model lacks what the step needs.
    #[error("{reason}")]
    CannotShow { reason: String },
    /// There are no such lessons or steps.
    #[error("there is no lesson {lesson:?} with a step {step:?}: choose one of the list")]
    NoStep { lesson: String, step: String },
}

impl LessonError {
    /// Says what the model lacks.
    pub(super) fn lacking(reason: impl Display) -> Self {
        Self::CannotShow { reason: reason.to_string() }
    }
}
