//! A model's configuration, weights and tokenizer. Files become checked types here.

pub mod catalogue;
mod checkpoint;
mod error;
mod family;
mod files;
#[cfg(any(feature = "cli", feature = "web"))]
pub mod hub;
mod prompt;
pub mod shape;
pub mod tokenizer;
mod vocabulary;
pub mod weights;

pub use atelier_kernels::tensor::{DType, Tensor, names};
#[cfg(feature = "cli")]
pub use checkpoint::conversion::{Conversion, ConversionError};
pub use error::ModelError;
pub use files::{FileBytes, ModelFiles, TokenizerFiles};
pub use prompt::{Passage, Prompt};
pub use shape::ModelShape;
pub use tokenizer::Tokenizer;
