//! Every part of every family is what its file holds, under whichever name.

use std::collections::BTreeMap;

use super::expected::expected;
use super::*;

#[test]
fn every_part_of_every_family_is_what_its_file_holds() {
    for name in FOLDERS {
        let tensors = stored(name);
        let weights = opened(name, &tensors).unwrap_or_else(|error| panic!("{name}: {error}"));
        let read = read(&weights);
        let expected = expected(name, &tensors, weights.blocks.len());
        let keys = |parts: &BTreeMap<String, Plain>| parts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&read), keys(&expected), "{name}");
        for (part, rows) in &expected {
            assert!(read[part] == *rows, "{name}: {part}");
        }
        let numbers = expected.values().flatten().map(|row| row.len() as u64);
        assert_eq!(weights.parameters(), numbers.sum::<u64>(), "{name}");
    }
}

#[test]
fn tied_rows_are_found_under_either_name() {
    let mut tensors = stored("random-llama3");
    let rows = tensors.remove("model.embed_tokens.weight").expect("rows");
    tensors.insert("lm_head.weight".into(), rows.clone());
    let weights = opened("random-llama3", &tensors).expect("a model");
    assert!(weights.head.is_none());
    assert_eq!(weights.head().rows, 512);
    // A base model's names lack the prefix.
    let bare = stored("random-llama3").into_iter();
    let bare = bare.map(|(name, tensor)| (name.trim_start_matches("model.").to_string(), tensor));
    let bare = opened("random-llama3", &bare.collect()).expect("a model");
    assert!(read(&bare) == read(&weights));
}
