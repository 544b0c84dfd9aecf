//! Products of rows with a matrix of weights: `y [N, out] = x [N, in] W [out, in]^T`, sums in f32,
//! weights in the dtype that they are stored in.
//!
//! A model's weights meet thousands of rows, so they are laid out once for the processor that is
//! there ([`PackedMatrix`]) instead of at every product: in panels as wide as a few of its
//! registers, each \[in\]\[width\], widened to f32 on the way to a register. The innermost loop
//! ([`tile`]) is written once over [`lanes`] and [`element`] and compiled for every instruction
//! set and dtype; which one runs is chosen at run time ([`Isa`]).
//!
//! Every number is one chain of sums in the order of `in`. So a row's result has the same bits
//! whatever rows stand beside it and however many threads there are, and the same on every
//! processor that fuses multiply and add (AVX-512, AVX2, NEON). The exceptions are asked for by name:
//! [`PackedMatrix::multiply_one`] and [`multiply_stored`], for the token of a text that grows alone, and
//! [`PackedMatrix::multiply_transposed`], which adds along the panels.

mod ahead;
mod block_panel;
mod block_row;
mod columns;
mod element;
mod isa;
mod lanes;
mod matrix;
mod narrow;
mod panel;
mod stored_rows;
mod tile;
pub mod training;
mod transpose;
mod transposed;

pub use columns::multiply;
pub use isa::Isa;
pub use matrix::{MatrixBuilder, PackedMatrix};
pub use narrow::NarrowPanels;
pub use stored_rows::multiply_stored;

#[cfg(test)]
mod tests;
