//! Whole experiments, and [`report`], the file they all write.

pub mod coupling;
pub mod doctor;
mod error;
pub mod facts;
mod generation;
pub mod geometry;
pub mod lab;
pub mod lens;
pub mod lessons;
pub mod likeliest;
mod loaded;
pub mod member;
pub mod need;
pub mod orders;
pub mod original;
pub mod parts;
pub mod refusal;
pub mod report;
mod rows;
mod running;
pub mod survey;
mod unknown;
mod without;

pub use error::StudyError;
pub use generation::{Generation, TextEnd, Wrote};
pub use loaded::{LoadedModel, ModelWords, Question, QuestionText};
pub use running::Running;
pub use unknown::Unknown;

/// Seed of the bootstrap where nobody asks for another.
pub const SEED: u64 = 0;
