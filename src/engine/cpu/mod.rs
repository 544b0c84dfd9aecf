//! The CPU backend: blocks of any shape on rows of f32, in our own code, their weights in memory in
//! the dtype that they are stored in.
//!
//! An operation is one file, with the slow twin that it must equal in its tests; those that training
//! needs have their gradient beside them. [`matmul`] is where the time goes.

mod activation;
mod attention;
mod backend;
mod block;
mod exp;
mod head;
mod loader;
mod matmul;
mod norm;
mod pass;
mod rope;
mod scratch;
mod sums;
mod votes;

#[cfg(test)]
mod testing;

pub use loader::loader;
