//! SentencePiece vocabularies: the goldens of its own program and of transformers, and bad files.
use std::path::{Path, PathBuf};

use crate::common::{in_project, load, skipped, u32s};
use atelier::model::{FileBytes, ModelShape, Tokenizer, TokenizerFiles};
use serde_json::{Value, json};

/// The folder of goldens, where it is here.
fn goldens() -> Option<PathBuf> {
    let folder = in_project("../shared/golden/sentencepiece");
    if folder.exists() {
        return Some(folder);
    }
    skipped("../shared/golden/sentencepiece is not here");
    None
}

/// The tokenizer of a `tokenizer.model` and a `tokenizer_config.json`.
fn tokenizer(model: Vec<u8>, config: Option<Value>) -> Result<Tokenizer, String> {
    let file = TokenizerFiles::SentencePiece {
        model: FileBytes::Owned(model),
        config: config.map(|config| FileBytes::Owned(config.to_string().into_bytes())),
    };
    let config = in_project("tests/models/random-llama2/config.json");
    let text = std::fs::read_to_string(config).expect("a config");
    let mut config: Value = serde_json::from_str(&text).expect("JSON");
    config["vocab_size"] = 32_000.into();
    let shape = ModelShape::from_json(&config.to_string()).expect("a shape");
    Tokenizer::read(&file, &shape).map_err(|error| error.to_string())
}

fn json_of(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a golden");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn texts_are_cut_as_sentencepiece_and_transformers_cut_them() {
    let Some(folder) = goldens() else { return };
    let (mut vocabularies, mut texts) = (0, 0);
    let mut failures = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("goldens") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let golden = json_of(&path);
        let name = golden["model"].as_str().expect("a model");
        let model = std::fs::read(folder.join(name)).expect("a model");
        // No token is special: the program's own cut.
        let plain =
            json!({"bos_token": "", "eos_token": "", "unk_token": "", "add_bos_token": false});
        let mut ways = vec![("sentencepiece", plain, Value::Null)];
        for (way, config) in [("slow-legacy", json!({})), ("slow", json!({"legacy": false}))] {
            let cut = &golden["transformers"][way];
            if cut["first"].is_array() {
                ways.push((way, config, cut.clone()));
            }
        }
        for (way, config, transformers) in ways {
            let tokenizer = tokenizer(model.clone(), Some(config)).expect("a vocabulary");
            for (at, golden) in golden["texts"].as_array().expect("texts").iter().enumerate() {
                let text = golden["text"].as_str().expect("a text");
                let expected = match &transformers["differs"][at.to_string()] {
                    Value::Null if transformers.is_null() => u32s(&golden["ids"]),
                    Value::Null => [u32s(&transformers["first"]), u32s(&golden["ids"])].concat(),
                    ids => u32s(ids),
                };
                let found = tokenizer.encode(text).expect("tokens");
                // The program's own text of its own tokens.
                let decoded = tokenizer.decode(&found).expect("a text");
                if transformers.is_null() && golden["decoded"] != *decoded {
                    failures.push(format!("{name} {at} {text:?}: {decoded:?}"));
                }
                if found != expected {
                    failures
                        .push(format!("{name} {way} {at} {text:?}: {found:?}, not {expected:?}"));
                }
                assert_eq!(tokenizer.pieces(text).expect("pieces").len(), found.len());
                texts += 1;
            }
        }
        vocabularies += 1;
    }
    println!("{texts} texts of {vocabularies} vocabularies");
    let shown = &failures[..failures.len().min(20)];
    assert!(failures.is_empty(), "{} of {texts} texts: {shown:#?}", failures.len());
    assert!(vocabularies >= 11, "{vocabularies}");
}

/// A text that the vocabulary cannot cut is the unknown token, which is no option.
#[test]
fn an_option_that_is_not_known_is_refused() {
    let Some(goldens) = goldens() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let model = in_project("tests/models/random-llama2");
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(model.join(file), folder.path().join(file)).expect("copied");
    }
    let words = folder.path().join("tokenizer.model");
    std::fs::copy(goldens.join("bpe-no-bytes.model"), words).expect("copied");
    let model = load(folder.path());
    let refused = model.question("a", &["\u{2603}".into(), " a".into()], 0).err();
    let sentence = refused.expect("no word").to_string();
    assert!(sentence.contains("\u{2603}") && sentence.contains("<unk>"), "{sentence}");
}

#[test]
fn every_bad_vocabulary_has_its_verdict() {
    let Some(folder) = goldens() else { return };
    let index = json_of(&folder.join("bad/index.json"));
    let texts = index["texts"].as_array().expect("texts");
    let good = std::fs::read(folder.join("bpe-llama.model")).expect("a model");
    let plain = || Some(json!({"add_bos_token": false}));
    let ids = |tokenizer: &Tokenizer| -> Vec<Vec<u32>> {
        let texts = texts.iter().map(|text| text.as_str().expect("a text"));
        texts.map(|text| tokenizer.encode(text).expect("tokens")).collect()
    };
    let good = ids(&tokenizer(good, plain()).expect("a vocabulary"));
    for case in index["cases"].as_array().expect("cases") {
        let name = case["file"].as_str().expect("a file");
        let model = std::fs::read(folder.join("bad").join(name)).expect("a file");
        let found = tokenizer(model, plain());
        let expected: Option<Vec<Vec<u32>>> =
            case["ids"].as_array().map(|all| all.iter().map(u32s).collect());
        println!("{name}: {}", found.as_ref().map_or_else(String::clone, |_| "opens".into()));
        match (case["verdict"].as_str().expect("a verdict"), found) {
            ("fine", found) => {
                let found = ids(&found.unwrap_or_else(|error| panic!("{name}: {error}")));
                assert_eq!(found, expected.expect("ids"), "{name}");
            }
            (verdict, Ok(found)) => {
                assert_eq!(verdict, "either", "{name}");
                assert_eq!(ids(&found), good, "{name}");
            }
            (_, Err(sentence)) => {
                assert!(sentence.starts_with("tokenizer.model "), "{name}: {sentence}");
                assert!(!sentence.contains(char::is_control), "{name}: {sentence}");
            }
        }
    }
}
