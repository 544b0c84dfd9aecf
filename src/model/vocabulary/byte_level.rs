//! Byte-level BPE: text is split by a rule that the file only names, its bytes become letters, and
//! merges put them together.

use serde_json::{Value, json};

use super::Vocabulary;
use crate::model::ModelError;

/// GPT-2's rule, which many took over.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
/// Llama 3's: digits in threes.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Qwen 2's: digits one by one.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const PUNCTUATION: &str = r"[\p{P}\$\+<=>\^~\|`]+";
const PUNCTUATION_BUT_GRAVE: &str = r"[\p{P}\$\+<=>\^~\|]+";
const THREE_DIGITS: &str = "[0-9][0-9][0-9]";

/// `tokenizer.ggml.pre`, the rules that it names, applied one after the other, and whether it is one of
/// Llama 3's: a word that is a token whole is not merged, and texts begin with a token of their own unless
/// the file says otherwise.
const RULES: &[(&str, &[&str], bool)] = &[
    ("default", &[PUNCTUATION_BUT_GRAVE, GPT2, r"\p{N}+", THREE_DIGITS], false),
    ("gpt-2", &[GPT2], false),
    ("phi-2", &[GPT2], false),
    ("olmo", &[GPT2], false),
    ("smollm", &[r"\p{N}", GPT2], false),
    ("llama-bpe", &[LLAMA3], true),
    ("llama3", &[LLAMA3], true),
    ("qwen2", &[QWEN2], false),
    ("falcon", &[PUNCTUATION, GPT2, THREE_DIGITS], false),
];

/// Do texts begin with a token of their own where the file does not say?
pub fn begins(pre: Option<&str>) -> bool {
    let rule = RULES.iter().find(|(name, ..)| Some(*name) == pre);
    rule.is_some_and(|(.., is_llama3)| *is_llama3)
}

impl Vocabulary<'_> {
    /// Without what all vocabularies have.
    pub(super) fn byte_level(&self) -> Result<Value, ModelError> {
        const PRE: &str = "tokenizer.ggml.pre";
        const MERGES: &str = "tokenizer.ggml.merges";
        let pre = self.metadata.text(PRE)?.unwrap_or("default");
        let Some((_, rules, is_llama3)) = RULES.iter().find(|(name, ..)| *name == pre) else {
            let known: Vec<&str> = RULES.iter().map(|(name, ..)| *name).collect();
            return Err(self.odd(
                PRE,
                pre,
                &format!(
                    "atelier knows the rules {}: put the model's tokenizer.json beside the file",
                    known.join(", ")
                ),
            ));
        };
        let merges = self.metadata.texts(MERGES)?;
        let merges = self.metadata.needed(MERGES, merges)?;
        let mut splits: Vec<Value> = Vec::new();
        for rule in *rules {
            splits.push(json!({
                "type": "Split",
                "pattern": {"Regex": rule},
                "behavior": "Isolated",
                "invert": false,
            }));
        }
        splits.push(json!({
            "type": "ByteLevel",
            "add_prefix_space": false,
            "trim_offsets": false,
            "use_regex": false,
        }));
        Ok(json!({
            "normalizer": null,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": splits},
            "decoder": {
                "type": "ByteLevel",
                "add_prefix_space": false,
                "trim_offsets": false,
                "use_regex": false,
            },
            "model": {
                "type": "BPE",
                "ignore_merges": is_llama3,
                "vocab": self.ids(),
                "merges": merges,
            },
        }))
    }
}
