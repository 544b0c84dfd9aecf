//! What a model is: configuration, weights, tokenizer. Files become checked types here.

pub mod catalogue;
pub mod checkpoint;
pub mod config;
mod error;
pub mod tokenizer;

pub use config::{Architecture, ModelConfig, RopeScaling};
pub use error::ModelError;
