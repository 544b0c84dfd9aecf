//! GGUF files: their own tokenizers against the goldens, and broken files, one sentence each.

use std::path::Path;

use crate::common;
use crate::common::{TOLERANCE, goldens, load, model_folder, parity, u32s};
use atelier::model::ModelFiles;
use atelier::study::LoadedModel;

#[test]
fn a_files_own_vocabulary_cuts_texts_as_the_goldens_say() {
    let mut checked = 0;
    for (name, golden) in goldens() {
        let Some(texts) = golden["encode"].as_array() else {
            continue;
        };
        let Some(file) = model_folder(golden["model"].as_str().expect("a model")) else {
            continue;
        };
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

fn bad(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/gguf/bad");
    let files = ModelFiles::open(&folder.join(name)).expect("a file that opens");
    let loaded = LoadedModel::from_files(&files, &mut |_, _| ());
    match loaded {
        Ok(_) => panic!("{name} was taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_broken_file_is_refused_in_a_sentence_that_says_what_is_wrong() {
    for (name, says) in [
        ("truncated.gguf", "ends past the file's"),
        ("tensor-count.gguf", "it promises 1099511627776 tensors"),
        ("string-length.gguf", "a key of its metadata has 9223372036854775808 bytes"),
        ("array-length.gguf", "values of llama.block_count"),
        ("unknown-type.gguf", "tensor blk.0.ffn_up.weight is of type 99, which does not exist"),
        ("dims-overflow.gguf", "tensor blk.0.ffn_up.weight is 8589934592 x 8589934592"),
        (
            "offset.gguf",
            "tensor blk.0.ffn_up.weight has offset 1099511627776, and the tensors before it end at 4352",
        ),
        ("big-endian.gguf", "in the other byte order"),
        ("missing-key.gguf", "has no llama.attention.head_count"),
        ("missing-tensor.gguf", "tensor blk.0.ffn_up.weight is missing"),
    ] {
        let sentence = bad(name);
        assert!(sentence.contains(says), "{name}: {sentence}");
        assert!(!sentence.contains('\n'), "{name}: {sentence}");
    }
}

/// One changed number in a header: F32 to F16.
#[test]
fn a_tensor_whose_type_says_fewer_bytes_than_lie_there_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/gguf/bad");
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

#[test]
fn the_file_that_the_broken_ones_were_made_of_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/gguf/bad");
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/gguf");
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
