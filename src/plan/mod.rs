//! The order in which blocks run.
//!
//! A [`Plan`] is a list of [`Step`]s over a model's stored blocks. [`notation`] reads and prints
//! the one-line form (`0-3,(4-7)x3,9,8,10-11`), [`strategy`] makes the named plans of *Transformer
//! Layers as Painters* (`reverse:2`, `shuffle:2:0`, …).

mod notation;
mod shuffle;
mod strategy;

pub use notation::PlanError;
pub use strategy::Strategy;

/// Which half of a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    Both,
    Attention,
    Mlp,
}

/// One block, or one half of it. `index` counts the model's stored blocks from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockRun {
    pub index: usize,
    pub half: Half,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `h <- h + f_l(h)`.
    Block(BlockRun),
    /// `h <- h + mean_l f_l(h)`: all on the same input. Never empty. Members count `z / n`.
    Parallel(Vec<BlockRun>),
}

/// The steps to run, in order, every index checked against the model. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    steps: Vec<Step>,
}
