//! The coupling of a model's blocks on one prompt, over rows of a task, over models (*Transformer Block
//! Coupling*; docs/definitions.md, "Coupling").

mod result;
mod task;

pub use result::{
    Aligned, Coupling, CouplingMethod, DepthWise, FixedInput, FixedOutput, Linearised, MisCoupling,
    ProductCount, SelfTokens, StepPair, TokenPaths, TokenWise,
};
pub use task::{
    Cost, CouplingMetric, CouplingRow, MeanLinearised, MeanMap, ModelCoupling, ModelsCoupling,
    Relation, RelationTo, RowMap, ScatterPoint, TaskCoupling,
};
