//! An engine's input: token ids, and the options' rows of the unembedding.

use super::{ModelError, ModelShape};

/// A tokenised prompt and the vocabulary rows to read at its last token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// T token ids, at least one, each below the vocabulary size.
    pub token_ids: Vec<u32>,
    /// K output rows, distinct, each below the vocabulary size. May be empty.
    pub option_ids: Vec<u32>,
}

impl Prompt {
    /// A prompt given as ids, for models without a tokenizer: the checks that need no text.
    ///
    /// # Errors
    /// No token, too many, an id past the vocabulary, equal options.
    pub fn from_ids(
        shape: &ModelShape,
        token_ids: Vec<u32>,
        option_ids: Vec<u32>,
    ) -> Result<Self, ModelError> {
        refuse_if!(token_ids.is_empty(), ModelError::EmptyPrompt);
        if token_ids.len() > shape.context {
            return Err(ModelError::TooLong { tokens: token_ids.len(), context: shape.context });
        }
        if let Some(&id) =
            token_ids.iter().chain(&option_ids).find(|&&id| id as usize >= shape.vocabulary)
        {
            return Err(ModelError::TokenId { id, vocabulary: shape.vocabulary });
        }
        for (i, &id) in option_ids.iter().enumerate() {
            if let Some(first) = option_ids[..i].iter().position(|&other| other == id) {
                let name = |index: usize| format!("row {}", index + 1);
                return Err(ModelError::EqualOptions {
                    first: name(first),
                    second: name(i),
                    piece: format!("row {id} of the vocabulary"),
                    id,
                });
            }
        }
        Ok(Self { token_ids, option_ids })
    }
}

/// A text whose last tokens are to be scored, each given all that comes before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// T token ids, each below the vocabulary size.
    pub token_ids: Vec<u32>,
    /// How many of the last tokens are scored: at least one, and fewer than T.
    pub scored: usize,
}

impl Passage {
    /// `continuation` after `context`.
    ///
    /// # Errors
    /// An empty context or continuation, too many tokens, an id past the vocabulary.
    pub fn new(
        shape: &ModelShape,
        context: &[u32],
        continuation: &[u32],
    ) -> Result<Self, ModelError> {
        refuse_if!(context.is_empty() || continuation.is_empty(), ModelError::EmptyPrompt);
        let Prompt { token_ids, .. } =
            Prompt::from_ids(shape, [context, continuation].concat(), Vec::new())?;
        Ok(Self { token_ids, scored: continuation.len() })
    }
}
