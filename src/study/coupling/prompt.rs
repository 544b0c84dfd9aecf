//! A prompt without options.

use crate::model::Prompt;
use crate::study::{LoadedModel, StudyError};

/// Token ids, and the text behind them where it came as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouplingPrompt {
    /// `[T]`
    pub token_ids: Vec<u32>,
    /// The text, and its tokens `[T]`.
    pub text: Option<(String, Vec<String>)>,
}

impl CouplingPrompt {
    /// # Errors
    /// No tokenizer; no token, or more than the model's context.
    pub fn of_text(model: &LoadedModel, prompt: &str) -> Result<Self, StudyError> {
        let tokenizer = model.tokenizer()?;
        let token_ids = tokenizer.encode(prompt)?;
        let tokens = tokenizer.pieces(prompt)?;
        Ok(Self { text: Some((prompt.to_owned(), tokens)), ..Self::of_ids(model, token_ids)? })
    }

    /// # Errors
    /// No token, more than the model's context, one past the vocabulary.
    pub fn of_ids(model: &LoadedModel, token_ids: Vec<u32>) -> Result<Self, StudyError> {
        let prompt = Prompt::from_ids(model.shape(), token_ids, Vec::new())?;
        Ok(Self { token_ids: prompt.token_ids, text: None })
    }
}
