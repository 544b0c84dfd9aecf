//! How alike two linear maps act: Jacobians of a model's blocks, two at a time (*Transformer Block
//! Coupling*; docs/definitions.md, "Coupling").
//!
//! A [`Jacobian`] is known whole, or by its products alone, in which case [`Lanczos`] says which it wants;
//! either gives the [`Leading`] singular vectors. An [`Alignment`] is one Jacobian in another's.

mod alignment;
mod jacobian;
mod lanczos;
mod leading;
mod spectrum;
#[cfg(test)]
mod tests;

pub use alignment::{Alignment, BOTTOM, BothMetrics, PairMap, Undefined, chance, coupling};
pub use jacobian::Jacobian;
pub use lanczos::{LOCKSTEP, Lanczos, NotFinite, PROBES, PROBES_TOGETHER, ProbesWanted, TOLERANCE};
pub use leading::Leading;
pub use spectrum::{ILL_POSED, SHOWN, Spectrum};
