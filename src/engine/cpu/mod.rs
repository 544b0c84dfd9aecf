//! The CPU backend: blocks of any shape on rows of f32, in our own code, their weights in memory in
//! the dtype that they are stored in.
//!
//! An operation is one file, with the slow twin that it must equal in its tests; those that training
//! needs have their gradient beside them, in the command line only, for the page does not train.
//! [`matmul`] is where the time goes.

pub mod activation;
pub mod attention;
mod backend;
mod block;
mod cache;
mod depths;
pub mod exp;
mod head;
mod incoming;
mod loader;
pub mod matmul;
pub mod norm;
mod pass;
pub mod rope;
mod scratch;
mod stretch;
pub mod sums;
mod tangent;
pub mod team;
mod votes;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use loader::loader;
