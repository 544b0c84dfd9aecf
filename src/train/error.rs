//! Errors of a training.

use std::path::PathBuf;

/// Why a training ended early.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error("'{text}' holds a word that is not in the primer's vocabulary")]
    Word { text: String },
    #[error("the loss stopped being a number at step {step}; train again with a lower --rate")]
    Diverged { step: u64 },
    #[error("cannot write {path}: {reason}; choose another --out")]
    Write { path: PathBuf, reason: String },
    #[error(
        "the training state {path} cannot be resumed: {reason}. Without --resume the training starts over"
    )]
    Read { path: PathBuf, reason: String },
    #[error(
        "{path} is the state of another training ({what} differs); give the same options, or another --out"
    )]
    OtherTraining { path: PathBuf, what: String },
    #[error(
        "{path} is not a model of this family: {reason}; name the folders that `atelier train` wrote"
    )]
    Model { path: PathBuf, reason: String },
}
