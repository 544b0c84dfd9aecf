//! English prompts to begin with on models that read text, in the shapes of the papers' tasks.

use std::sync::OnceLock;

use serde::Deserialize;

/// A prompt with options, each one token to the usual tokenizers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnglishPrompt {
    /// On a button.
    pub name: String,
    /// Whose shape it has.
    pub like: String,
    /// What to look for, in one or two sentences.
    pub look: String,
    pub prompt: String,
    pub options: Vec<String>,
    pub answer: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnglishList {
    prompt: Vec<EnglishPrompt>,
}

/// Every one of them.
pub fn english() -> &'static [EnglishPrompt] {
    static LIST: OnceLock<Vec<EnglishPrompt>> = OnceLock::new();
    LIST.get_or_init(|| {
        // A test reads the file, which is compiled in: it is never otherwise than well-formed.
        toml::from_str::<EnglishList>(include_str!("english.toml"))
            .map(|list| list.prompt)
            .unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_least_twelve_well_formed_prompts() {
        let list: EnglishList = toml::from_str(include_str!("english.toml")).expect("prompts");
        assert_eq!(list.prompt, english());
        assert!(list.prompt.len() >= 12);
        for (at, prompt) in list.prompt.iter().enumerate() {
            assert!(prompt.answer < prompt.options.len(), "{}", prompt.name);
            assert!(prompt.options.iter().all(|option| option.starts_with(' ')));
            assert!(!prompt.prompt.ends_with(' '), "{}", prompt.name);
            let earlier = &list.prompt[..at];
            assert!(earlier.iter().all(|other| other.name != prompt.name));
        }
    }
}
