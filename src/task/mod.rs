//! Prompts with right answers.

pub mod minilang;
pub mod rows;
