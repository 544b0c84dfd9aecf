//! What a model is: configuration, weights, tokenizer. Files become checked types here.

pub mod catalogue;
mod checkpoint;
pub mod config;
mod error;
mod family;
mod files;
mod parts;
mod prompt;
pub mod shape;
pub mod stored;
mod tensor;
pub mod tokenizer;
mod weights;

pub use checkpoint::{Checkpoint, Header, Slice, Stored};
pub use config::{Architecture, ModelConfig, RopeScaling};
pub use error::ModelError;
pub use files::{Bytes, ModelFiles};
pub use parts::{Part, Parts};
pub use prompt::{Passage, Prompt};
pub use shape::ModelShape;
pub use tensor::{DType, Tensor};
pub use tokenizer::Tokenizer;
pub use weights::{BlockWeights, Weights};
