//! A GGUF file's own vocabulary, told as a `tokenizer.json`, so that one door reads both.

mod byte_level;
mod pieces;

use serde_json::{Value, json};

use super::ModelError;
use super::checkpoint::gguf::metadata::GgufMetadata;

/// Tokens, by id, and what the file says of them.
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
    let mut told = match model {
        "llama" => vocabulary.pieces()?,
        "gpt2" => vocabulary.byte_level()?,
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
    // As llama.cpp does it: files of Llama 3 often leave the flag out.
    let begins = model == "llama" || byte_level::begins(metadata.text("tokenizer.ggml.pre")?);
    told["post_processor"] = vocabulary.ends(begins)?;
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
        if let Some(token) = tokens.iter().find(|token| token.len() > LONGEST) {
            let start: String = token.chars().take(12).collect();
            let found = format!("a token of {} bytes, {start}…", token.len());
            return Err(odd(metadata, TOKENS, &found, &format!("tokens have at most {LONGEST}")));
        }
        let vocabulary = Self { metadata, tokens, kinds };
        if !kinds.is_empty() && kinds.len() != tokens.len() {
            let found = format!("{} numbers", kinds.len());
            let expected = format!("there are {} tokens", tokens.len());
            return Err(vocabulary.odd(KINDS, &found, &expected));
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

    /// The tokens put before and after every text, as a post-processor.
    fn ends(&self, begins_by_default: bool) -> Result<Value, ModelError> {
        let mut template = vec![json!({"Sequence": {"id": "A", "type_id": 0}})];
        let mut special = serde_json::Map::new();
        let first = self.end("add_bos_token", "bos_token_id", begins_by_default)?;
        let last = self.end("add_eos_token", "eos_token_id", false)?;
        for (at, end) in [(0, first), (template.len() + 1, last)] {
            let Some((id, token)) = end else { continue };
            let at = at.min(template.len());
            template.insert(at, json!({"SpecialToken": {"id": token, "type_id": 0}}));
            let told = json!({"id": token, "ids": [id], "tokens": [token]});
            special.insert(token.to_string(), told);
        }
        Ok(json!({
            "type": "TemplateProcessing",
            "single": template,
            "pair": template,
            "special_tokens": special,
        }))
    }

    fn end(
        &self,
        flag: &str,
        id: &str,
        by_default: bool,
    ) -> Result<Option<(u64, &'a str)>, ModelError> {
        let key = |name: &str| format!("tokenizer.ggml.{name}");
        let is_put = self.metadata.flag(&key(flag))?.unwrap_or(by_default);
        if !is_put {
            return Ok(None);
        }
        let name = key(id);
        let id = self.metadata.needed(&name, self.metadata.integer(&name)?)?;
        let token = usize::try_from(id).ok().and_then(|id| self.tokens.get(id));
        match token {
            Some(token) => Ok(Some((id, token))),
            None => {
                let expected = format!("there are {} tokens", self.tokens.len());
                Err(self.odd(&name, &id.to_string(), &expected))
            }
        }
    }

    fn odd(&self, key: &str, found: &str, expected: &str) -> ModelError {
        odd(self.metadata, key, found, expected)
    }
}

fn odd(metadata: &GgufMetadata, key: &str, found: &str, expected: &str) -> ModelError {
    ModelError::Key {
        file: metadata.file().into(),
        key: key.into(),
        found: super::family::shown(found),
        expected: expected.into(),
    }
}
