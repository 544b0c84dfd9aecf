//! llama.cpp as the truth: how texts are cut into tokens, by every rule of splitting that atelier knows,
//! and the logits of every causal family as a GGUF file in F32.
//!
//! `cargo bench -p atelier-benches --features peers --bench truth`, with the environment of the `llama`
//! bench. The vocabularies are those of `../shared/tokenizers` and of `../shared/models/gguf`; the files
//! with them are written by the format's own writer (`truth.py`), those of the families by the tests'.

use std::path::Path;

#[path = "../common/mod.rs"]
mod common;
#[path = "../../tests/common/gguf.rs"]
mod gguf;

use atelier::model::Prompt;
use common::open;
use common::setting::{here, llama_python, run, scratch, script};
use common::side::Side;
use serde_json::json;

/// Rules for byte-level vocabularies: each is tried on GPT-2's.
const RULES: [&str; 8] =
    ["gpt-2", "phi-2", "olmo", "smollm", "llama-bpe", "qwen2", "falcon", "default"];
/// Vocabularies of pieces.
const PIECES: [&str; 3] = ["llama", "mistral-7b-v0.1", "phi-3-mini"];
const TEXTS: usize = 200;
/// Most tokens of the prompt after which a family's logits are compared.
const TOKENS: u64 = 23;
const TOLERANCE: f64 = 1e-3;

fn main() {
    let python = llama_python();
    let shared = here().join("../../../shared");
    let folder = tempfile::tempdir_in(scratch("llama")).expect("a folder");
    let mut wrong = 0;
    let byte_level = RULES.map(|rule| ("gpt2", rule));
    for (vocabulary, rule) in byte_level.into_iter().chain(PIECES.map(|name| (name, "llama"))) {
        let tokenizer = shared.join("tokenizers").join(vocabulary).join("tokenizer.json");
        let file = folder.path().join("vocabulary.gguf");
        run(script(&python, "truth.py").arg("write").arg(&tokenizer).arg(rule).arg(&file));
        wrong += texts(&python, &file, &format!("{vocabulary} by {rule}"));
    }
    let ggufs = std::fs::read_dir(shared.join("models/gguf")).expect("GGUF files");
    let ggufs = ggufs.map(|entry| entry.expect("a file").path());
    for file in ggufs.filter(|path| path.extension().is_some_and(|end| end == "gguf")) {
        if open(&file).tokenizer.is_some() {
            wrong += texts(&python, &file, &name(&file));
        }
    }
    for model in std::fs::read_dir(here().join("../../tests/models")).expect("models") {
        let model = model.expect("a model").path();
        let config = std::fs::read_to_string(model.join("config.json")).unwrap_or_default();
        // Sharing layers is no notion of the format.
        if !config.is_empty() && !config.contains("\"layer_sharing\": true") {
            let ours = gguf::write(&model, folder.path());
            let file = folder.path().join("again.gguf");
            run(script(&python, "truth.py").arg("again").arg(&ours).arg(&file));
            // llama.cpp knows no windows in what it calls llama: within the window it says the same.
            let config: serde_json::Value = serde_json::from_str(&config).expect("JSON");
            let window = config["sliding_window"].as_u64().unwrap_or(u64::MAX);
            wrong += logits(&python, &file, &name(&model), window.min(TOKENS) as u32);
            let _ = std::fs::remove_file(folder.path().join("tokenizer.json"));
        }
    }
    assert_eq!(wrong, 0, "llama.cpp says otherwise");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn theirs(python: &Path, file: &Path) -> Side {
    Side::start(script(python, "truth.py").arg("run").arg(file))
}

/// How many texts are cut otherwise; the first few are shown.
fn texts(python: &Path, file: &Path, name: &str) -> usize {
    let model = open(file);
    let tokenizer = model.tokenizer().expect("a vocabulary");
    let mut llama = theirs(python, file);
    let mut wrong = 0;
    for text in hostile() {
        let Some(answer) = llama.try_round(&json!(text).to_string()) else {
            // Its own word for a vocabulary that it cannot read, which is no answer to hold ours to.
            println!("{name}: llama.cpp ends itself at {text:?}");
            return wrong;
        };
        let expected: Vec<u32> = serde_json::from_value(answer["answer"].clone()).expect("ids");
        let found = tokenizer.encode(&text).expect("tokens");
        if found != expected {
            wrong += 1;
            if wrong <= 3 {
                println!("  {text:?}: {found:?}, llama.cpp {expected:?}");
            }
        }
    }
    println!("{name}: {} of {TEXTS} texts cut alike", TEXTS - wrong);
    wrong
}

/// Compares the next token's logits with llama.cpp's: 0 if they are equal within [`TOLERANCE`], else 1.
fn logits(python: &Path, file: &Path, name: &str, tokens: u32) -> usize {
    let model = open(file);
    let vocabulary = model.shape().vocabulary;
    let ids: Vec<u32> = (0..tokens).map(|t| (t * 37 + 5) % vocabulary as u32).collect();
    let answer = theirs(python, file).round(&json!(ids).to_string());
    let expected: Vec<f64> = serde_json::from_value(answer["answer"].clone()).expect("logits");
    let prompt = Prompt { token_ids: ids, option_ids: Vec::new() };
    let plan = model.plan(None).expect("its own order");
    let found = model.engine.next([prompt].into(), [plan].into());
    let found = found.expect("a run").complete().expect("logits").concat().concat();
    let largest = expected.iter().fold(0f64, |largest, x| largest.max(x.abs()));
    let off = found.iter().zip(&expected).map(|(a, b)| (f64::from(*a) - b).abs() / largest);
    let off = off.fold(0.0, f64::max);
    println!("{name}, {tokens} tokens: logits differ by at most {off:.1e} of the largest");
    usize::from(found.len() != expected.len() || off > TOLERANCE)
}

/// Texts that take tokenizers apart: digits, blanks, emoji, combining marks, scripts without blanks,
/// controls, and all of them side by side.
fn hostile() -> Vec<String> {
    let pieces: Vec<String> =
        serde_json::from_str(include_str!("hostile.json")).expect("pieces of texts");
    let mut texts = pieces.clone();
    let mut state = 12345u64;
    let mut next = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    while texts.len() < TEXTS {
        let count = 2 + next(9);
        texts.push((0..count).map(|_| &*pieces[next(pieces.len())]).collect());
    }
    texts
}
