//! Prompts with right answers.

pub mod minilang;
pub mod rows;
pub mod score;
