//! Prompts with right answers.

pub mod item;
pub mod minilang;
pub mod painters;
pub mod rows;
pub mod score;
