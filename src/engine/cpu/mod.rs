//! The CPU backend: blocks of any shape on rows of f32, in our own code, their weights in memory in
//! the dtype that they are stored in.
//!
//! The loops over numbers are in [`atelier_kernels`]; here a block is put together from them, and rows,
//! sequences and threads are shared out.

mod backend;
mod block;
mod cache;
pub mod check;

mod head;
mod incoming;
mod loader;
mod looks;
mod pass;
mod scratch;
mod stretch;
mod tangent;
pub mod vocabulary;
pub mod votes;

#[cfg(test)]
mod tests;

pub use loader::loader;
