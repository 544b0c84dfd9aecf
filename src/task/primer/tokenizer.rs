//! The primer's tokenizer: one token a word with the space before it, one a punctuation mark; as
//! ids, and as a Hugging Face `tokenizer.json`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::{BOS, PUNCTUATION, SPECIAL, words};

/// The character that stands for the space before a word, as in SentencePiece's vocabularies.
const SPACE: char = '\u{2581}';

/// Every token, in the order of its id: specials, punctuation marks, then words.
pub fn vocabulary() -> Vec<String> {
    let bare = SPECIAL.into_iter().chain(PUNCTUATION).map(String::from);
    bare.chain(words().into_iter().map(|word| format!("{SPACE}{word}"))).collect()
}

static IDS: LazyLock<HashMap<String, u32>> =
    LazyLock::new(|| vocabulary().into_iter().zip(0..).collect());

/// The text cut into tokens: each with the byte that it begins at, its space included.
pub fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, sign) in text.char_indices() {
        let mark = PUNCTUATION.iter().any(|mark| mark.starts_with(sign));
        if (sign == ' ' || mark) && at > from {
            pieces.push((from, &text[from..at]));
            from = at;
        }
        if mark {
            pieces.push((at, &text[at..=at]));
            from = at + 1;
        }
    }
    if from < text.len() {
        pieces.push((from, &text[from..]));
    }
    pieces
}

/// The start token and one id a piece; `None` when the vocabulary lacks one.
pub fn encode(text: &str) -> Option<Vec<u32>> {
    let id = |(at, piece): (usize, &str)| match piece.strip_prefix(' ') {
        Some(word) => IDS.get(&format!("{SPACE}{word}")),
        None if at == 0 => IDS.get(&format!("{SPACE}{piece}")),
        None => IDS.get(piece),
    };
    std::iter::once(Some(BOS))
        .chain(pieces(text).into_iter().map(|piece| id(piece).copied()))
        .collect()
}

/// Returns the tokenizer file for `tokenizers` and `transformers`: a space before every word becomes part
/// of it, punctuation stands alone, the start token is added in front, unknown words are `<unk>`. Decoded
/// ids join back to the same text.
pub fn tokenizer_json() -> serde_json::Value {
    let ids: serde_json::Map<String, serde_json::Value> =
        vocabulary().into_iter().zip(0u32..).map(|(word, id)| (word, id.into())).collect();
    let special: Vec<serde_json::Value> = SPECIAL
        .into_iter()
        .zip(0u32..)
        .map(|(content, id)| {
            serde_json::json!({ "id": id, "content": content, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true })
        })
        .collect();
    let spaces = |kind: &str| {
        serde_json::json!({ "type": kind, "replacement": SPACE, "prepend_scheme": "always",
            "split": true })
    };
    let marks = format!("[{}]", PUNCTUATION.concat());
    let bos = SPECIAL[BOS as usize];
    serde_json::json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": special,
        "normalizer": null,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                spaces("Metaspace"),
                { "type": "Split", "pattern": { "Regex": marks }, "behavior": "Isolated", "invert": false }
            ]
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                { "SpecialToken": { "id": bos, "type_id": 0 } },
                { "Sequence": { "id": "A", "type_id": 0 } }
            ],
            "pair": [
                { "SpecialToken": { "id": bos, "type_id": 0 } },
                { "Sequence": { "id": "A", "type_id": 0 } },
                { "Sequence": { "id": "B", "type_id": 1 } }
            ],
            "special_tokens": { bos: { "id": bos, "ids": [BOS], "tokens": [bos] } }
        },
        "decoder": spaces("Metaspace"),
        "model": { "type": "WordLevel", "vocab": ids, "unk_token": SPECIAL[0] }
    })
}
