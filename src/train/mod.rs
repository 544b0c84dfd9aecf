//! Makes the scholars, the shipped teaching models, trained on [`crate::task::primer`].
//!
//! The trainer is written for one thing, small Llama-architecture decoders on one or two cores:
//! packed rows without padding, hand-written gradients over the CPU engine's own operations. A test holds every gradient
//! against candle's autograd. It shares the derivatives of norms, of the gate and of turned heads with the
//! products that couplings take (`engine::cpu::tangent`); attention, where all queries of a sequence move at
//! once, and products with the transposed weights, which change at every step, are of its own.

mod adam;
mod batch;
pub mod card;
mod curriculum;
mod error;
pub mod evaluate;
pub mod family;
pub mod folder;
mod lookups;
mod loss;
mod muon;
mod network;
mod run;
mod session;
mod shape;
mod state;
#[cfg(test)]
mod tests;
mod trainer;
mod weights;

pub use batch::TrainingBatch;
pub use error::TrainError;
pub use session::{Standing, TrainingSession, forget_training};
pub use shape::Shape;
pub use state::FILE as STATE;
pub use trainer::{Recipe, Trainer, TrainingStep};
