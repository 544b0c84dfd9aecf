//! Vocabularies of other formats than `tokenizer.json`: a GGUF file's own, told as one, and SentencePiece's.

mod byte_level;
mod pieces;
pub mod sentencepiece;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::ModelError;
use super::checkpoint::gguf::metadata::GgufMetadata;

/// The tokens of a GGUF file by id, with the file's metadata.
pub struct Vocabulary<'a> {
    metadata: &'a GgufMetadata,
    tokens: &'a [String],
    /// By id: normal, unknown, control, user-defined, unused or a byte.
    kinds: &'a [i64],
}

/// Bytes of a token. The longest of the vocabularies seen has 256; what pieces a token can be made of is
/// looked up at every one of its bytes.
const LONGEST: usize = 1024;

/// Kinds of tokens, as the format numbers them.
const UNKNOWN: i64 = 2;
const CONTROL: i64 = 3;
const USER_DEFINED: i64 = 4;

/// The `tokenizer.json` that a GGUF file's vocabulary amounts to; `None`: it has none.
///
/// # Errors
/// A kind of vocabulary, or a rule of splitting text, that atelier does not know; lists of different
/// lengths.
pub fn tokenizer_json(metadata: &GgufMetadata) -> Result<Option<Vec<u8>>, ModelError> {
    const MODEL: &str = "tokenizer.ggml.model";
    let model = match metadata.text(MODEL)? {
        None | Some("no_vocab" | "none") => return Ok(None),
        Some(model) => model,
    };
    let vocabulary = Vocabulary::of(metadata)?;
    // As in llama.cpp: SentencePiece vocabularies put BOS before a text, and some rules of cutting do.
    let (mut told, adds_bos) = match model {
        "llama" => (vocabulary.pieces()?, true),
        "gpt2" => {
            let rule = vocabulary.rule()?;
            (vocabulary.byte_level(rule)?, rule.adds_bos)
        }
        other => {
            return Err(vocabulary.odd(
                MODEL,
                other,
                "atelier reads llama (SentencePiece) and gpt2 (byte-level) vocabularies; put the model's tokenizer.json beside the file",
            ));
        }
    };
    told["version"] = "1.0".into();
    told["added_tokens"] = vocabulary.added();
    told["post_processor"] = vocabulary.bos(adds_bos)?;
    let bytes = serde_json::to_vec(&told)
        .map_err(|reason| ModelError::Tokenizer { reason: reason.to_string() })?;
    Ok(Some(bytes))
}

impl<'a> Vocabulary<'a> {
    fn of(metadata: &'a GgufMetadata) -> Result<Self, ModelError> {
        const TOKENS: &str = "tokenizer.ggml.tokens";
        const KINDS: &str = "tokenizer.ggml.token_type";
        let tokens = metadata.needed(TOKENS, metadata.texts(TOKENS)?)?;
        let kinds = metadata.integers(KINDS)?.unwrap_or_default();
        let vocabulary = Self { metadata, tokens, kinds };
        if let Some(token) = tokens.iter().find(|token| token.len() > LONGEST) {
            let start: String = token.chars().take(12).collect();
            let found = format!("a token of {} bytes, {start}…", token.len());
            return Err(vocabulary.odd(TOKENS, &found, &format!("tokens have at most {LONGEST}")));
        }
        if !kinds.is_empty() {
            vocabulary.check_length(KINDS, kinds.len())?;
        }
        Ok(vocabulary)
    }

    fn kind(&self, id: usize) -> i64 {
        self.kinds.get(id).copied().unwrap_or(1)
    }

    /// `{token: id}`; of a token that is there twice, the first.
    fn ids(&self) -> Value {
        let mut ids = serde_json::Map::new();
        for (id, token) in self.tokens.iter().enumerate() {
            ids.entry(token.as_str()).or_insert_with(|| id.into());
        }
        Value::Object(ids)
    }

    /// Tokens that stand for themselves in a text, whatever is around them.
    fn added(&self) -> Value {
        let added = self.tokens.iter().enumerate().filter_map(|(id, token)| {
            let kind = self.kind(id);
            let is_special = kind == CONTROL || kind == UNKNOWN;
            let is_added = (is_special || kind == USER_DEFINED) && !token.is_empty();
            is_added.then(|| {
                json!({
                    "id": id,
                    "content": token,
                    "single_word": false,
                    "lstrip": false,
                    "rstrip": false,
                    "normalized": false,
                    "special": is_special,
                })
            })
        });
        added.collect()
    }

    /// The post-processor that puts BOS before every text, where the file wants it. A token behind the
    /// text (`tokenizer.ggml.add_eos_token`) would be dropped again: see
    /// [`Tokenizer::encode`](crate::model::Tokenizer::encode).
    fn bos(&self, by_default: bool) -> Result<Value, ModelError> {
        const ADDS: &str = "tokenizer.ggml.add_bos_token";
        const ID: &str = "tokenizer.ggml.bos_token_id";
        if !self.metadata.flag(ADDS)?.unwrap_or(by_default) {
            return Ok(Value::Null);
        }
        let id = self.metadata.needed(ID, self.metadata.integer(ID)?)?;
        let Some(token) = usize::try_from(id).ok().and_then(|id| self.tokens.get(id)) else {
            return Err(self.not_as_many(ID, &id.to_string()));
        };
        let bos = json!({"SpecialToken": {"id": token, "type_id": 0}});
        let text = json!({"Sequence": {"id": "A", "type_id": 0}});
        Ok(json!({
            "type": "TemplateProcessing",
            "single": [bos, text],
            "pair": [bos, text],
            "special_tokens": {token: {"id": token, "ids": [id], "tokens": [token]}},
        }))
    }

    /// Checks that a list has a number a token.
    fn check_length(&self, key: &str, length: usize) -> Result<(), ModelError> {
        let found = format!("{length} numbers");
        refuse_if!(length != self.tokens.len(), self.not_as_many(key, &found));
        Ok(())
    }

    /// Refuses a list that is not as long as the tokens are many.
    fn not_as_many(&self, key: &str, found: &str) -> ModelError {
        self.odd(key, found, &format!("there are {} tokens", self.tokens.len()))
    }

    fn odd(&self, key: &str, found: &str, expected: &str) -> ModelError {
        ModelError::Key {
            file: self.metadata.file().into(),
            key: key.into(),
            found: super::family::shown(found),
            expected: expected.into(),
        }
    }
}
