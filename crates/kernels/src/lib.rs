//! The loops over numbers of the CPU engine, on slices of f32 and on weights as they are stored.
//!
//! A kernel is a function of slices, with the plain twin that it must equal in its tests; those that
//! training needs have their gradient beside them. [`matmul`] is where the time goes. Shapes are in the
//! doc comments: N rows (tokens of all sequences), T tokens of a sequence, D width, H query heads, KV
//! heads, W width of a head, F width of an MLP, V vocabulary.
//!
//! - [`tensor`], [`blocks`]: numbers as they are stored: dtypes, GGUF's block formats, rows of a matrix.
//! - [`matmul`]: `x W^T` and `x W` with weights in any dtype, for each instruction set; training's products.
//! - [`attention`], [`rope`]: causal attention over sequences, cached keys and values, derivatives.
//! - [`norm`], [`activation`]: RMSNorm and LayerNorm, SiLU and GELU, plain and gated; derivatives.
//! - [`logits`], [`sums`], [`exp`]: sums over rows and over the vocabulary.
//! - [`linear`]: singular values and vectors, principal components, in f64.
//! - [`team`]: threads that stand ready for the products of one token.
//! - [`sample`], [`testing`]: numbers to try kernels on, and comparisons.
//!
//! This room knows no other: nothing here names a plan, a model, a member or an engine, and the rooms
//! above call it. It is optimised for speed in every profile, so a loop over many numbers belongs here.

// Public documentation links private parts, so that a reader finds them.
#![allow(rustdoc::private_intra_doc_links)]

pub mod activation;
pub mod attention;
pub mod blocks;
pub mod exp;
pub mod linear;
pub mod logits;
pub mod matmul;
pub mod norm;
pub mod rope;
pub mod sample;
pub mod sums;
pub mod team;
pub mod tensor;
pub mod testing;

pub use tensor::{DType, Tensor};
