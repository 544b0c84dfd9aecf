//! Makes the apprentices: the shipped teaching models, trained on [`crate::task::minilang`].
//!
//! The trainer is written for one thing, small Llama-architecture decoders on one or two cores:
//! packed rows without padding, hand-written gradients over the CPU engine's own operations. A test holds every gradient against candle's autograd.

mod adam;
mod batch;
mod error;
pub mod evaluate;
pub mod family;
pub mod folder;
mod loss;
mod network;
mod session;
mod shape;
mod state;
#[cfg(test)]
mod tests;
mod trainer;

pub use error::TrainError;
pub use session::{SNAPSHOT_STEPS, Standing, TrainingSession};
pub use shape::Shape;
pub use state::FILE as STATE;
pub use trainer::{Recipe, Trainer, TrainingStep};
