//! GGUF files: their own tokenizers against the goldens, and broken files, one sentence each.

use std::path::Path;

use crate::common::{self, TOLERANCE, goldens, in_project, load, model_of, parity, u32s};
use atelier::model::ModelFiles;
use atelier::study::LoadedModel;

#[test]
fn a_files_own_vocabulary_cuts_texts_as_the_goldens_say() {
    let mut checked = 0;
    for (name, golden) in goldens() {
        let Some(texts) = golden["encode"].as_array() else { continue };
        let Some(file) = model_of(&golden) else { continue };
        let model = load(&file);
        let tokenizer = model.tokenizer().expect("a vocabulary");
        for text in texts {
            let (text, ids) = (text["text"].as_str().expect("a text"), u32s(&text["ids"]));
            let found = tokenizer.encode(text).expect("tokens");
            assert_eq!(found, ids, "{name}: {text:?}");
            checked += 1;
        }
    }
    println!("{checked} texts cut alike");
    assert!(checked >= 3, "{checked}");
}

/// One changed number in a header: F32 to F16.
#[test]
fn a_tensor_whose_type_says_fewer_bytes_than_lie_there_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = in_project("tests/models/gguf/bad");
    let stored = std::fs::read(root.join("good.gguf")).expect("a file");
    let refused = |tensor: &str| {
        let mut damaged = stored.clone();
        let at = damaged.windows(tensor.len()).position(|part| part == tensor.as_bytes());
        // Behind the name: the number of sides, one side, and the type.
        let kind = at.expect("the tensor") + tensor.len() + 4 + 8;
        assert_eq!(damaged[kind..kind + 4], 0u32.to_le_bytes(), "{tensor} is F32");
        damaged[kind] = 1;
        let file = folder.path().join("gap.gguf");
        std::fs::write(&file, damaged).expect("a file");
        let files = ModelFiles::open(&file).expect("a file that opens");
        match LoadedModel::from_files(&files, &mut |_, _| ()) {
            Ok(_) => panic!("{tensor} was taken"),
            Err(error) => error.to_string(),
        }
    };
    for (tensor, next) in [
        ("output_norm.weight", "blk.0.attn_norm.weight"),
        ("blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"),
    ] {
        let sentence = refused(tensor);
        assert!(sentence.contains(&format!("tensor {next} has offset")), "{sentence}");
    }
}

/// Rows of a bias have one number each, and one number of a block cannot be read: the biases of Llama's
/// queries and keys came with 32 times too many numbers.
#[test]
fn a_bias_in_blocks_is_refused() {
    const F32: u32 = 0;
    const Q8_0: u32 = 8;
    let root = in_project("tests/models/gguf/bad");
    let stored = std::fs::read(root.join("good.gguf")).expect("a file");
    let last = b"blk.0.ffn_down.weight";
    let at = stored.windows(last.len()).position(|part| part == last).expect("the last tensor");
    // Behind the name: the number of sides, two sides, the type and the offset.
    let (header, data) = stored.split_at(at + last.len() + 4 + 16 + 4 + 8);
    let data = &data[header.len().next_multiple_of(32) - header.len()..];
    // A bias [32] of each of attention's matrices; zeros, as many as a type's blocks take.
    let with_biases = |kind: u32| {
        let (mut file, mut zeros) = (header.to_vec(), 0);
        for (name, kind) in
            [("attn_q", kind), ("attn_k", kind), ("attn_v", F32), ("attn_output", F32)]
        {
            let name = format!("blk.0.{name}.bias");
            file.extend((name.len() as u64).to_le_bytes());
            file.extend(name.as_bytes());
            file.extend(1u32.to_le_bytes());
            file.extend(32u64.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(((data.len() + zeros) as u64).to_le_bytes());
            zeros += if kind == F32 { 128 } else { 64 };
        }
        file[8..16].copy_from_slice(&15u64.to_le_bytes());
        file.resize(file.len().next_multiple_of(32), 0);
        file.extend(data);
        file.resize(file.len() + zeros, 0);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("biases.gguf");
        std::fs::write(&path, file).expect("a file");
        let files = ModelFiles::open(&path).expect("a file that opens");
        let loaded = LoadedModel::from_files(&files, &mut |_, _| ());
        loaded.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(with_biases(F32), Ok(()));
    assert_eq!(
        with_biases(Q8_0).expect_err("blocks"),
        "the vector blk.0.attn_q.bias in biases.gguf is stored as q8_0. atelier reads \
         vectors as F32, F16 or BF16: take another file of the model"
    );
}

#[test]
fn the_file_that_the_broken_ones_were_made_of_is_read() {
    let folder = in_project("tests/models/gguf/bad");
    let model = load(&folder.join("good.gguf"));
    assert_eq!(model.shape().blocks.len(), 1);
    assert!(model.tokenizer.is_none());
    assert_eq!(model.engine.describe(), "CPU (q4_0)");
}

/// Every family, written as the format's own writers do: the same numbers as from safetensors.
#[test]
fn every_familys_goldens_hold_as_gguf() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = move |path: &Path| {
        let text = std::fs::read_to_string(path.join("config.json")).unwrap_or_default();
        // Sharing layers is no notion of the format.
        if path.is_file() || text.contains("\"layer_sharing\": true") {
            return load(path);
        }
        let model = load(&common::gguf::write(path, folder.path()));
        let _ = std::fs::remove_file(folder.path().join("tokenizer.json"));
        model
    };
    parity::goldens_hold(&load, TOLERANCE);
}

/// Files of Llama 3 seldom say that texts begin with a token of their own, and mean it.
#[test]
fn texts_of_llama_3_begin_with_their_token_unless_the_file_says_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = in_project("tests/models/gguf");
    let stored = std::fs::read(root.join("random-llama3-wide-q4_k.gguf")).expect("a file");
    let key = b"tokenizer.ggml.add_bos_token";
    let at = stored.windows(key.len()).position(|part| part == key);
    let at = at.expect("the key");
    let cut = |bytes: &[u8]| {
        let file = folder.path().join("llama3.gguf");
        std::fs::write(&file, bytes).expect("a file");
        let model = load(&file);
        let tokenizer = model.tokenizer().expect("a vocabulary");
        tokenizer.encode("One word").expect("tokens")
    };
    let said = cut(&stored);
    // Under a name that nobody reads.
    let mut silent = stored.clone();
    silent[at + key.len() - 1] = b'x';
    assert_eq!(cut(&silent), said);
    // The flag's one byte follows the key and its type.
    let mut without = stored;
    without[at + key.len() + 4] = 0;
    assert_eq!(cut(&without), said[1..]);
}
