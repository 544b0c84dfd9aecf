//! How alike two linear maps act: Jacobians of a model's blocks, two at a time (*Transformer Block
//! Coupling*; docs/definitions.md, "Coupling").

mod alignment;
mod chance;
mod spectrum;

pub use alignment::{BOTTOM, BothMetrics, Undefined};
pub use chance::chance;
pub use spectrum::{ILL_POSED, Spectrum};
