//! Words that a tokenizer does not know: it reads one token for all of them, and so does the model.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Question, StudyError};

/// The token that a tokenizer reads for what it does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub id: u32,
    /// `<unk>`
    pub name: String,
}

#[derive(Deserialize)]
struct TokenizerFile<V> {
    model: TokenizerModel<V>,
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
}

#[derive(Deserialize)]
struct TokenizerModel<V> {
    unk_token: Option<String>,
    unk_id: Option<u32>,
    vocab: Option<V>,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

impl Unknown {
    /// Reads the unknown token of a `tokenizer.json`; `None` where it spells out every word that it does not know.
    pub fn of(tokenizer: &[u8]) -> Option<Self> {
        let file: TokenizerFile<IgnoredAny> = serde_json::from_slice(tokenizer).ok()?;
        if let Some(id) = file.model.unk_id {
            let added = file.added_tokens.into_iter().find(|added| added.id == id);
            let name = added.map_or("<unk>".to_string(), |added| added.content);
            return Some(Self { id, name });
        }
        let name = file.model.unk_token?;
        let added = file.added_tokens.iter().find(|added| added.content == name);
        let id = match added {
            Some(added) => added.id,
            // The words are many: they are read only where they are needed.
            None => {
                let file: TokenizerFile<HashMap<String, u32>> =
                    serde_json::from_slice(tokenizer).ok()?;
                *file.model.vocab?.get(&name)?
            }
        };
        Some(Self { id, name })
    }

    /// The first of a row's options that the model does not know.
    ///
    /// # Errors
    /// That option.
    pub fn check<'o>(
        &self,
        option_ids: &[u32],
        option: impl FnOnce(usize) -> Option<&'o str>,
    ) -> Result<(), StudyError> {
        match option_ids.iter().position(|&id| id == self.id) {
            Some(at) => Err(StudyError::UnknownOption {
                option: option(at).unwrap_or(&self.name).to_string(),
                unknown: self.name.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Is any of these the one?
    pub fn is_in(&self, token_ids: &[u32]) -> bool {
        token_ids.contains(&self.id)
    }

    /// The words of a question's prompt that the model does not know, in their order.
    pub fn words<'q>(&self, question: &'q Question) -> Vec<&'q str> {
        let Some(text) = &question.text else {
            return Vec::new();
        };
        let tokens = question.prompt.token_ids.iter().zip(&text.tokens);
        // A token that was written as such is meant.
        tokens
            .filter(|(id, word)| **id == self.id && **word != self.name)
            .map(|(_, word)| word.as_str())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unknown_token_is_found_where_there_is_one() {
        let of =
            |text: &str| Unknown::of(text.as_bytes()).map(|unknown| (unknown.id, unknown.name));
        let words = r#"{"model": {"type": "WordLevel", "vocab": {"a": 0, "[UNK]": 7}, "unk_token": "[UNK]"}}"#;
        assert_eq!(of(words), Some((7, "[UNK]".to_string())));
        let added = r#"{"added_tokens": [{"id": 3, "content": "<unk>"}],
                        "model": {"vocab": {}, "unk_token": "<unk>"}}"#;
        assert_eq!(of(added), Some((3, "<unk>".to_string())));
        let unigram = r#"{"model": {"type": "Unigram", "unk_id": 2, "vocab": [["<pad>", 0.0]]}}"#;
        assert_eq!(of(unigram), Some((2, "<unk>".to_string())));
        let bytes = r#"{"model": {"type": "BPE", "unk_token": null, "vocab": {"a": 0}}}"#;
        assert_eq!(of(bytes), None);
        assert_eq!(of("no JSON"), None);
    }
}
