//! SentencePiece: neighbouring pieces are put together while a token with a better score comes of it,
//! so a list of merges in the order of scores says the same.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{UNKNOWN, Vocabulary};
use crate::model::ModelError;

/// The character that stands for a space.
const SPACE: &str = "\u{2581}";

impl Vocabulary<'_> {
    /// Returns this kind's part of the tokenizer's JSON: normaliser, decoder and model.
    pub(super) fn pieces(&self) -> Result<Value, ModelError> {
        const SCORES: &str = "tokenizer.ggml.scores";
        const PREFIX: &str = "tokenizer.ggml.add_space_prefix";
        let scores = self.metadata.needed(SCORES, self.metadata.numbers(SCORES)?)?;
        self.check_length(SCORES, scores.len())?;
        let mut normalizers = Vec::new();
        let mut decoders = vec![
            json!({"type": "Replace", "pattern": {"String": SPACE}, "content": " "}),
            json!({"type": "ByteFallback"}),
            json!({"type": "Fuse"}),
        ];
        if self.metadata.flag(PREFIX)?.unwrap_or(true) {
            normalizers.push(json!({"type": "Prepend", "prepend": SPACE}));
            decoders.push(json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}));
        }
        let space = json!({"String": " "});
        normalizers.push(json!({"type": "Replace", "pattern": space, "content": SPACE}));
        let unknown = (0..self.tokens.len()).find(|&id| self.kind(id) == UNKNOWN);
        let has_bytes = self.tokens.iter().any(|token| token == "<0x00>");
        Ok(json!({
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "pre_tokenizer": null,
            "decoder": {"type": "Sequence", "decoders": decoders},
            "model": {
                "type": "BPE",
                "unk_token": unknown.map(|id| &self.tokens[id]),
                "fuse_unk": true,
                "byte_fallback": has_bytes,
                "ignore_merges": false,
                "vocab": self.ids(),
                "merges": self.merges(scores),
            },
        }))
    }

    /// Every way to make a token of two, the tokens with the best scores first.
    fn merges(&self, scores: &[f32]) -> Vec<[&str; 2]> {
        let ids: HashMap<&str, usize> =
            (0..self.tokens.len()).rev().map(|id| (self.tokens[id].as_str(), id)).collect();
        let mut order: Vec<usize> = (0..self.tokens.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let mut merges = Vec::new();
        for id in order {
            let token = &self.tokens[id];
            let cuts = token.char_indices().skip(1).map(|(at, _)| token.split_at(at));
            let parts = cuts.filter_map(|(left, right)| Some((*ids.get(left)?, *ids.get(right)?)));
            let mut parts: Vec<(usize, usize)> = parts.collect();
            parts.sort_unstable();
            let texts =
                |(left, right): (usize, usize)| [left, right].map(|id| &self.tokens[id][..]);
            merges.extend(parts.into_iter().map(texts));
        }
        merges
    }
}
