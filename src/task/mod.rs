//! Prompts with right answers.

pub mod built_in;
#[cfg(feature = "cli")]
pub mod catalogue;
#[cfg(feature = "cli")]
pub mod definition;
pub mod english;
#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
pub mod file;
pub mod item;
#[cfg(feature = "cli")]
mod lines;
#[cfg(feature = "cli")]
pub mod painters;
pub mod plain;
pub mod primer;
#[cfg(feature = "cli")]
pub mod questions;
pub mod rows;
pub mod score;
#[cfg(feature = "cli")]
pub mod shots;
#[cfg(feature = "cli")]
pub mod table;

#[cfg(feature = "cli")]
pub use error::TaskError;
