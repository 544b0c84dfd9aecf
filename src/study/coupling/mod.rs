//! The coupling of a model's blocks on one prompt, over rows of a task, over models (*Transformer Block
//! Coupling*; docs/definitions.md, "Coupling").
//!
//! A [`CouplingWish`] says what is asked, [`Linearising`] runs it, a [`Coupling`] is what it found;
//! [`RowsLinearising`] does so over rows.

mod assembly;
pub(in crate::study) mod check;
mod comparison;
mod costs;
mod jacobians;
mod linearised;
mod means;
mod over_models;
mod prompt;
mod relation;
mod relations;
mod result;
mod rows;
mod running;
mod step;
mod task;
mod wish;

pub use comparison::{ModelCoupling, ModelsCoupling, ModelsCouplingReport};
pub use costs::orders_of_costs;
pub use prompt::CouplingPrompt;
pub use relation::{CouplingMetric, Relation, RelationTo, ScatterPoint};
pub use result::{
    Aligned, Coupling, CouplingMethod, DepthWise, Linearised, MethodReason, MisCoupling,
    ProductCount, StepPair, TokenMap, TokenPaths, TokenPositions, TokenWise,
};
pub use rows::RowsLinearising;
pub use running::Linearising;
pub use task::{Cost, CouplingRow, MeanLinearised, MeanMap, RowMap, TaskCoupling};
pub use wish::{
    CouplingWish, DEFAULT_TOP, MAX_POSITIONS, MAX_STEPS, TokenWish, USUAL_TOP, usual_top,
};
