//! `tokenizer_config.json`, as far as it says how transformers' LlamaTokenizer cuts.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Bytes of a token's name at most: it is cut again wherever it stands.
const MAX_NAME: usize = 128;

/// Tokens that are looked for in a text at most.
const MAX_ADDED: usize = 1 << 14;

/// The fields of the file.
#[derive(Deserialize)]
pub struct TokenizerConfig {
    tokenizer_class: Option<String>,
    pub legacy: Option<bool>,
    /// `null` is no; nothing is yes.
    #[serde(default = "adds_space")]
    pub add_prefix_space: Option<bool>,
    pub add_bos_token: Option<bool>,
    pub bos_token: Option<TokenName>,
    pub eos_token: Option<TokenName>,
    pub unk_token: Option<TokenName>,
    sep_token: Option<TokenName>,
    pad_token: Option<TokenName>,
    cls_token: Option<TokenName>,
    mask_token: Option<TokenName>,
    additional_special_tokens: Option<Vec<TokenName>>,
    /// By id.
    #[serde(default)]
    pub added_tokens_decoder: BTreeMap<u32, ConfiguredToken>,
}

/// A token that stands for itself in a text, whatever is around it.
#[derive(Clone, Default, Deserialize)]
pub struct ConfiguredToken {
    pub content: String,
    /// Whether the spaces before it are dropped, and those behind it.
    #[serde(default)]
    pub lstrip: bool,
    #[serde(default)]
    pub rstrip: bool,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    pub special: bool,
}

/// A token's name, alone or with its flags.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a token is a text, or an object with its content and flags")]
pub enum TokenName {
    Text(String),
    Token(ConfiguredToken),
}

impl TokenizerConfig {
    /// Checks what no other tokenizer would read as it is read here.
    ///
    /// # Errors
    /// A class of tokenizers that cuts in another way; a token whose name or flags are not read.
    pub fn check(&self) -> Result<(), String> {
        const CLASSES: [&str; 4] =
            ["LlamaTokenizer", "LlamaTokenizerFast", "GemmaTokenizer", "GemmaTokenizerFast"];
        let is_other = |class: &&String| !CLASSES.contains(&class.as_str());
        if let Some(class) = self.tokenizer_class.as_ref().filter(is_other) {
            let class = class.escape_debug();
            return Err(format!(
                "its tokenizer_class is {class}, and atelier cuts as LlamaTokenizer"
            ));
        }
        let named = self.named().into_iter().map(TokenName::token);
        let all: Vec<ConfiguredToken> =
            self.added_tokens_decoder.values().cloned().chain(named).collect();
        if all.len() > MAX_ADDED {
            return Err(format!("it has {} tokens, and {MAX_ADDED} are the most", all.len()));
        }
        if let Some(token) = all.iter().find(|token| token.content.len() > MAX_NAME) {
            let length = token.content.len();
            return Err(format!("it names a token of {length} bytes, and {MAX_NAME} are the most"));
        }
        match all.iter().find(|token| token.single_word) {
            None => Ok(()),
            Some(token) => Err(format!(
                "its token {:?} is one only between spaces (single_word), which atelier does not read",
                token.content
            )),
        }
    }

    /// Whether every part of a text between special tokens is cut by itself, a space in front where the model
    /// adds one.
    pub fn is_legacy(&self) -> bool {
        let is_gemma =
            self.tokenizer_class.as_ref().is_some_and(|class| class.starts_with("Gemma"));
        is_gemma || self.legacy.unwrap_or(true)
    }

    /// Every token that the file names by what it is for.
    pub fn named(&self) -> Vec<&TokenName> {
        let ends = [&self.bos_token, &self.eos_token, &self.unk_token];
        let rest = [&self.sep_token, &self.pad_token, &self.cls_token, &self.mask_token];
        let more = self.additional_special_tokens.iter().flatten();
        ends.into_iter().chain(rest).flatten().chain(more).collect()
    }
}

impl TokenName {
    /// The name itself: an empty one is no token of a text.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Token(token) => &token.content,
        }
    }

    /// The token with its flags; none is set where only its name is given.
    pub fn token(&self) -> ConfiguredToken {
        let token = match self {
            Self::Text(text) => {
                ConfiguredToken { content: text.clone(), ..ConfiguredToken::default() }
            }
            Self::Token(token) => token.clone(),
        };
        ConfiguredToken { special: true, ..token }
    }
}

fn adds_space() -> Option<bool> {
    Some(true)
}
