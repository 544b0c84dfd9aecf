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
        let keys = |parts: &BTreeMap<String, PlainRows>| parts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&read), keys(&expected), "{name}");
        for (part, rows) in &expected {
            assert!(read[part] == *rows, "{name}: {part}");
        }
        // Tied rows are one part of the model however often they are stored.
        let is_again = |part: &str| part == "head" && weights.shape.head.tied;
        let own = expected.iter().filter(|(part, _)| !is_again(part));
        let numbers = own.flat_map(|(_, rows)| rows).map(|row| row.len() as u64);
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

/// transformers ties what is equal: a stored head that differs is the head, whatever the config says.
#[test]
fn tied_rows_that_are_stored_twice_are_read_where_the_head_is() {
    for (name, is_read) in
        [("random-qwen3", true), ("random-gemma", true), ("random-mobilellm-layer-share", false)]
    {
        let mut tensors = stored(name);
        let mut other = tensors["model.embed_tokens.weight"].clone();
        other.2[..4].copy_from_slice(&7f32.to_le_bytes());
        tensors.insert("lm_head.weight".into(), other);
        let weights = opened(name, &tensors).expect("a model");
        let first = |matrix: &Matrix| weights.gather(matrix, &[0]).expect("a row")[0];
        assert_eq!(first(weights.head()) == 7.0, is_read, "{name}");
        assert_ne!(first(&weights.embedding), 7.0, "{name}");
        tensors.get_mut("lm_head.weight").expect("it").1 = vec![1];
        tensors.get_mut("lm_head.weight").expect("it").2.truncate(4);
        assert_eq!(opened(name, &tensors).is_err(), is_read, "{name}: its shape");
    }
}
