//! Prompts to begin with, in the apprentices' own mini-language, and the baked picture of the first.

use super::link::{Choice, Draft};
use crate::study::report::Report;

/// A prompt worth looking at.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// On the button.
    pub name: &'static str,
    /// What to look for, in one sentence.
    pub look: &'static str,
    pub prompt: &'static str,
    pub options: &'static [&'static str],
    pub answer: usize,
}

/// The model the page opens with.
pub const MODEL: &str = "apprentice-12";

/// The first of these is the one whose picture is baked.
pub const ALL: &[Example] = &[Example {
    name: "Lily plays",
    look: "",
    prompt: "Once upon a time, there was a little girl named Lily. She loved to play",
    options: &[".", ",", " with"],
    answer: 0,
}];

impl Example {
    /// This example on a model, by its own order of blocks.
    pub fn draft(&self, model: Choice) -> Draft {
        Draft {
            model,
            prompt: self.prompt.to_owned(),
            options: self
                .options
                .iter()
                .map(|&option| option.to_owned())
                .collect(),
            answer: self.answer,
            plan: String::new(),
        }
    }
}

pub fn first() -> Draft {
    ALL[0].draft(Choice::Known(MODEL.to_owned()))
}

/// The first example's report, made by `atelier lens` when the project was built; a test makes it
/// again and compares.
pub fn baked() -> Option<Report> {
    serde_json::from_str(include_str!("../../public/examples/first.atelier.json")).ok()
}
