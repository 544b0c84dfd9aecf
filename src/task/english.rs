//! English prompts to begin with on models that read text, in the shapes of the papers' tasks.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// A prompt with options, each one token to the usual tokenizers (GPT-2's, Llama's, Mistral's, Phi-3's).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnglishPrompt {
    /// On a button.
    pub name: String,
    /// The published task whose form it has.
    pub like: String,
    /// A hint at what to look for, in one or two sentences.
    pub look: String,
    pub prompt: String,
    pub options: Vec<String>,
    pub answer: usize,
}

/// Every one of them.
pub fn english() -> &'static [EnglishPrompt] {
    // A test reads the file, which is compiled in: it is never otherwise than well-formed.
    static LIST: LazyLock<Vec<EnglishPrompt>> =
        LazyLock::new(|| serde_json::from_str(include_str!("english.json")).unwrap_or_default());
    &LIST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_least_twelve_well_formed_prompts() {
        let list: Vec<EnglishPrompt> =
            serde_json::from_str(include_str!("english.json")).expect("prompts");
        assert_eq!(list, english());
        assert!(list.len() >= 12);
        for (at, prompt) in list.iter().enumerate() {
            assert!(prompt.answer < prompt.options.len(), "{}", prompt.name);
            assert!(prompt.options.iter().all(|option| option.starts_with(' ')));
            assert!(!prompt.prompt.ends_with(' '), "{}", prompt.name);
            let earlier = &list[..at];
            assert!(earlier.iter().all(|other| other.name != prompt.name));
        }
    }
}
