//! Byte-level BPE: text is split by a rule that the file only names, its bytes become letters, and
//! merges put them together.

use serde_json::{Value, json};

use super::Vocabulary;
use crate::model::ModelError;

const ARCHITECTURE: &str = "general.architecture";

/// GPT-2's rule, which many took over.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
/// Llama 3's: digits in threes.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Qwen 2's: digits one by one.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const PUNCTUATION: &str = r"[\p{P}\$\+<=>\^~\|`]+";
const PUNCTUATION_BUT_GRAVE: &str = r"[\p{P}\$\+<=>\^~\|]+";
const THREE_DIGITS: &str = "[0-9][0-9][0-9]";

/// How texts are cut under a name in `tokenizer.ggml.pre`.
pub struct Rule {
    name: &'static str,
    /// Patterns that split a text, one after the other.
    patterns: &'static [&'static str],
    /// Whether a word that is a token whole is not merged.
    ignores_merges: bool,
    /// Whether texts begin with the BOS token where the file does not say.
    pub adds_bos: bool,
}

impl Rule {
    const fn new(name: &'static str, patterns: &'static [&'static str]) -> Self {
        Self { name, patterns, ignores_merges: false, adds_bos: false }
    }

    const fn llama3(name: &'static str) -> Self {
        Self { ignores_merges: true, adds_bos: true, ..Self::new(name, &[LLAMA3]) }
    }
}

/// The rules that atelier knows, as llama.cpp has them.
const RULES: &[Rule] = &[
    Rule::new("default", &[PUNCTUATION_BUT_GRAVE, GPT2, r"\p{N}+", THREE_DIGITS]),
    Rule::new("gpt-2", &[GPT2]),
    Rule::new("phi-2", &[GPT2]),
    Rule::new("olmo", &[GPT2]),
    Rule::new("smollm", &[r"\p{N}", GPT2]),
    Rule::llama3("llama-bpe"),
    Rule::llama3("llama3"),
    Rule::llama3("llama-v3"),
    // Phi-4 and OLMo 2 use it too.
    Rule::new("dbrx", &[LLAMA3]),
    Rule::new("qwen2", &[QWEN2]),
    Rule::new("falcon", &[PUNCTUATION, GPT2, THREE_DIGITS]),
];

impl Vocabulary<'_> {
    /// The rule that the file names. Two architectures that are older than these names have one rule
    /// each.
    ///
    /// # Errors
    /// No name, or one that atelier does not know.
    pub(super) fn rule(&self) -> Result<&'static Rule, ModelError> {
        const PRE: &str = "tokenizer.ggml.pre";
        let advice = "put the model's tokenizer.json beside the file";
        let name = match (self.metadata.text(PRE)?, self.metadata.text(ARCHITECTURE)?) {
            (Some(name), _) => name,
            (None, Some("gpt2")) => "gpt-2",
            (None, Some("falcon")) => "falcon",
            (None, _) => {
                let expected = format!(
                    "without it, text would be split differently from the model's training: {advice}, or take a newer file of the model"
                );
                return Err(self.odd(PRE, "missing", &expected));
            }
        };
        let known = RULES.iter().find(|rule| rule.name == name);
        known.ok_or_else(|| {
            let known: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
            let expected = format!("atelier knows the rules {}: {advice}", known.join(", "));
            self.odd(PRE, name, &expected)
        })
    }

    /// Whether texts are normalised to NFC before they are cut: the tokenizers of Qwen 2, GPT-NeoX and
    /// OLMo 1, which took GPT-NeoX's, have that step, which the format cannot say.
    fn normalizes(&self, rule: &Rule) -> Result<bool, ModelError> {
        let is_in_rule = matches!(rule.name, "qwen2" | "olmo");
        Ok(is_in_rule || self.metadata.text(ARCHITECTURE)? == Some("gptneox"))
    }

    /// Without what all vocabularies have.
    pub(super) fn byte_level(&self, rule: &Rule) -> Result<Value, ModelError> {
        const MERGES: &str = "tokenizer.ggml.merges";
        let merges = self.metadata.needed(MERGES, self.metadata.texts(MERGES)?)?;
        let bytes = json!({
            "type": "ByteLevel",
            "add_prefix_space": false,
            "trim_offsets": false,
            "use_regex": false,
        });
        let split = |pattern: &&str| {
            let pattern = json!({"Regex": pattern});
            json!({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": false})
        };
        let splits = rule.patterns.iter().map(split).chain([bytes.clone()]);
        Ok(json!({
            "normalizer": self.normalizes(rule)?.then(|| json!({"type": "NFC"})),
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": splits.collect::<Vec<_>>()},
            "decoder": bytes,
            "model": {
                "type": "BPE",
                "ignore_merges": rule.ignores_merges,
                "vocab": self.ids(),
                "merges": merges,
            },
        }))
    }
}
