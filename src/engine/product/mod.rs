//! Products of rows with a layer's weights: `y [N, out] = x [N, in] W [out, in]^T`, f32.
//!
//! A model's weights meet thousands of rows, so they are laid out once for the processor that is
//! there ([`Packed`]) instead of at every product: in panels as wide as a few of its registers,
//! each [in][width]. The innermost loop ([`tile`]) is written once over [`lanes`] and compiled for
//! every instruction set; which one runs is chosen at run time ([`Isa`]).
//!
//! Every number is one chain of sums in the order of `in`. So a row's result has the same bits
//! whatever rows stand beside it and however many threads there are, and the same on every
//! processor that fuses multiply and add (AVX-512, AVX2, NEON).

mod isa;
mod lanes;
mod line;
mod packed;
mod panels;
mod tile;

#[cfg(test)]
use isa::Isa;
pub use packed::{Packed, multiply};
pub use panels::Panels;

#[cfg(test)]
mod tests;
