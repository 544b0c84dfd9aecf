//! The coupling of a model's blocks on one prompt, over rows of a task, over models (*Transformer Block
//! Coupling*; docs/definitions.md, "Coupling").
//!
//! A [`CouplingWish`] says what is asked, [`Linearising`] runs it, a [`Coupling`] is what it found;
//! [`RowsLinearising`] does so over rows.

mod assembly;
pub(in crate::study) mod check;
mod comparison;
mod jacobians;
mod linearised;
mod means;
mod prompt;
mod relations;
mod result;
mod rows;
mod running;
mod step;
mod task;
mod wish;

pub use prompt::CouplingPrompt;
pub use result::{
    Aligned, Coupling, CouplingMethod, DepthWise, FixedInput, FixedOutput, Linearised,
    MethodReason, MisCoupling, ProductCount, SelfTokens, StepPair, TokenPaths, TokenWise,
};
pub use rows::RowsLinearising;
pub use running::Linearising;
pub use task::{
    Cost, CouplingMetric, CouplingRow, MeanLinearised, MeanMap, ModelCoupling, ModelsCoupling,
    ModelsCouplingReport, Relation, RelationTo, RowMap, ScatterPoint, TaskCoupling,
};
pub use wish::{CouplingWish, DEFAULT_TOP, MAX_POSITIONS, MAX_STEPS, TokenWish, USUAL_TOP};
