//! The mini-language's tokenizer: one token a word, as ids and as a Hugging Face `tokenizer.json`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::{BOS, SPECIAL, vocabulary};

static IDS: LazyLock<HashMap<&'static str, u32>> =
    LazyLock::new(|| vocabulary().into_iter().zip(0..).collect());

/// The start token and one id a word; `None` when a word is not in the vocabulary.
pub fn encode(text: &str) -> Option<Vec<u32>> {
    std::iter::once(Some(BOS))
        .chain(text.split_whitespace().map(|word| IDS.get(word).copied()))
        .collect()
}

/// What `tokenizers` and `transformers` load: words split at white space, the start token added
/// in front, unknown words to `<unk>`.
pub fn tokenizer_json() -> serde_json::Value {
    let vocabulary: serde_json::Map<String, serde_json::Value> = super::words::vocabulary()
        .into_iter()
        .zip(0u32..)
        .map(|(word, id)| (word.into(), id.into()))
        .collect();
    let special: Vec<serde_json::Value> = SPECIAL
        .into_iter()
        .zip(0u32..)
        .map(|(content, id)| {
            serde_json::json!({ "id": id, "content": content, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true })
        })
        .collect();
    serde_json::json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": special,
        "normalizer": null,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                { "SpecialToken": { "id": SPECIAL[BOS as usize], "type_id": 0 } },
                { "Sequence": { "id": "A", "type_id": 0 } }
            ],
            "pair": [
                { "SpecialToken": { "id": SPECIAL[BOS as usize], "type_id": 0 } },
                { "Sequence": { "id": "A", "type_id": 0 } },
                { "Sequence": { "id": "B", "type_id": 1 } }
            ],
            "special_tokens": {
                SPECIAL[BOS as usize]: { "id": SPECIAL[BOS as usize], "ids": [BOS], "tokens": [SPECIAL[BOS as usize]] }
            }
        },
        "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": SPECIAL[0] }
    })
}
