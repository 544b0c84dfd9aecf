//! SHA-256 of a run's inputs: a model's files, whole, every time (the hash that model hubs show beside a file),
//! and questions with their right answers.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::output::Progress;
use crate::model::{ModelFiles, TokenizerFiles};
use crate::task::item::Item;

/// A model's files by name.
pub type Files = BTreeMap<String, String>;

/// Bytes hashed between two looks at the progress bar.
const STEP: usize = 1 << 24;

/// Hashes every file that makes the model what it is.
pub fn files(model: &ModelFiles) -> Files {
    let config = model.config.iter().map(|bytes| ("config.json", bytes));
    let tokenizer = model.tokenizer.iter().flat_map(TokenizerFiles::named);
    let small = config.chain(tokenizer).map(|(name, bytes)| (name, &bytes[..]));
    let index = model.index.iter().map(|(name, bytes)| (&name[..], &bytes[..]));
    let weights = model.weights.iter().map(|(name, bytes)| (&name[..], &bytes[..]));
    let all: Vec<(&str, &[u8])> = small.chain(index).chain(weights).collect();
    let total: usize = all.iter().map(|(_, bytes)| bytes.len()).sum();
    let bar = Progress::new("hashing", "MB");
    let mut done = 0;
    let hashed = all
        .into_iter()
        .map(|(name, bytes)| {
            let mut hash = Sha256::new();
            for step in bytes.chunks(STEP) {
                hash.update(step);
                done += step.len();
                bar.at(done >> 20, total >> 20);
            }
            (name.to_string(), hex(hash))
        })
        .collect();
    // What was read for this alone is not kept in memory.
    model.release();
    hashed
}

/// Hashes questions in their order, each with its line, its content and its right answer.
pub fn questions<'a>(rows: impl Iterator<Item = (usize, &'a Item)>) -> String {
    let mut hash = Sha256::new();
    for (line, item) in rows {
        let mut add = |text: &str| {
            // With its length, so that no two lists of texts are the same bytes.
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        add(&line.to_string());
        add(&item.text());
        add(&item.right());
    }
    hex(hash)
}

/// Hashes any bytes.
pub fn bytes(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// Says that a run was begun by another version of this program.
pub fn other_program([before, now]: [&str; 2]) -> Option<String> {
    (before != now).then(|| format!("another version of atelier ({before}, and this is {now})"))
}

/// Says that a run was begun on another engine.
pub fn other_engine([before, now]: [&str; 2]) -> Option<String> {
    (before != now).then(|| format!("another engine ({before}, and now it is {now})"))
}

/// Which file is another, or there in only one of the two.
pub fn other_file<'a>(before: &'a Files, now: &'a Files) -> Option<&'a str> {
    let names = before.keys().chain(now.keys());
    names.map(String::as_str).find(|name| before.get(*name) != now.get(*name))
}

pub fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_one_that_sha256sum_prints() {
        assert_eq!(
            bytes(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_right_answer_or_an_option_id_makes_other_questions() {
        let ids = |option_ids: &[u32], answer| Item::Ids {
            token_ids: vec![1, 2],
            option_ids: option_ids.to_vec(),
            answer,
        };
        let of = |item: &Item| questions(std::iter::once((1, item)));
        let one = of(&ids(&[3, 4], 0));
        assert_eq!(one, of(&ids(&[3, 4], 0)));
        assert_ne!(one, of(&ids(&[3, 5], 0)));
        assert_ne!(one, of(&ids(&[3, 4], 1)));
        assert_ne!(one, questions(std::iter::once((2, &ids(&[3, 4], 0)))));
    }

    #[test]
    fn the_file_that_differs_is_named() {
        let files = |list: &[(&str, &str)]| -> Files {
            let pairs = list.iter().map(|(a, b)| (a.to_string(), b.to_string()));
            pairs.collect()
        };
        let before = files(&[("config.json", "1"), ("model.safetensors", "2")]);
        assert_eq!(other_file(&before, &before), None);
        let now = files(&[("config.json", "1"), ("model.safetensors", "3")]);
        assert_eq!(other_file(&before, &now), Some("model.safetensors"));
        let more =
            files(&[("config.json", "1"), ("model.safetensors", "2"), ("tokenizer.json", "4")]);
        assert_eq!(other_file(&before, &more), Some("tokenizer.json"));
    }
}
