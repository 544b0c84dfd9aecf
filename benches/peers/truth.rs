//! llama.cpp as the truth: how texts are cut into tokens, by every rule of splitting that atelier knows,
//! and the logits of every causal family as a GGUF file in F32.
//!
//! `cargo bench -p atelier-benches --features peers --bench truth`, with the environment of the `llama`
//! bench. The vocabularies are those of `../shared/tokenizers` and of `../shared/models/gguf`; the files
//! with them are written by the format's own writer (`truth.py`), those of the families by the tests'.

use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../common/mod.rs"]
mod common;
#[path = "../../tests/common/gguf.rs"]
mod gguf;
mod setting;
#[allow(dead_code)] // Each bench uses a part of it.
mod side;

use atelier::model::{ModelFiles, Prompt};
use atelier::study::LoadedModel;
use serde_json::json;
use setting::{environment, here, llama_cmake, run, scratch};
use side::Side;

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
    let python = environment("venv-llama", "requirements-llama.txt", Some(&llama_cmake()));
    let shared = here().join("../../../shared");
    let folder = tempfile::tempdir_in(scratch("llama")).expect("a folder");
    let mut wrong = 0;
    let byte_level = RULES.map(|rule| ("gpt2", rule));
    for (vocabulary, rule) in byte_level.into_iter().chain(PIECES.map(|name| (name, "llama"))) {
        let tokenizer = shared.join("tokenizers").join(vocabulary).join("tokenizer.json");
        let file = folder.path().join("vocabulary.gguf");
        let mut write = Command::new(&python);
        write.arg(here().join("truth.py")).arg("write").arg(&tokenizer);
        run(write.arg(rule).arg(&file));
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
            let mut again = Command::new(&python);
            again.arg(here().join("truth.py")).arg("again");
            run(again.arg(&ours).arg(&file));
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

fn open(file: &Path) -> LoadedModel {
    let files = ModelFiles::open(file).expect("a GGUF file");
    LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model")
}

fn theirs(python: &PathBuf, file: &Path) -> Side {
    let mut side = Command::new(python);
    Side::start(side.arg(here().join("truth.py")).arg("run").arg(file))
}

/// How many texts are cut otherwise; the first few are shown.
fn texts(python: &PathBuf, file: &Path, name: &str) -> usize {
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
fn logits(python: &PathBuf, file: &Path, name: &str, tokens: u32) -> usize {
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
    let pieces = [
        "a",
        "The",
        " quick",
        "fox's",
        "I'LL",
        "don’t",
        "we've",
        "'s",
        "'S",
        "N'T",
        "0",
        "12",
        "1234567",
        "3.14",
        "1,000,000",
        "0x1F",
        "½",
        "²",
        "Ⅷ",
        "٣٤٥",
        "𝟘𝟙",
        " ",
        "  ",
        "     ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        " \n ",
        "\u{a0}",
        "\u{3000}",
        "\u{2028}",
        "\u{200b}",
        "\u{feff}",
        "\u{1}",
        "\u{7f}",
        "\u{85}",
        "!",
        "?!",
        "...",
        "—",
        "$",
        "+=<>",
        "^~|`",
        "(",
        ")",
        "[]",
        "_",
        "a_b",
        "C++",
        "#!/bin/sh",
        "http://x.y/z?q=1&r=%20",
        "@",
        "é",
        "e\u{301}",
        "o\u{308}\u{327}",
        "ß",
        "İ",
        "ﬁ",
        "Ω",
        "привет",
        " мир",
        "你好",
        "世界",
        "。",
        "日本語",
        "カタカナ",
        "한국어",
        "ไทย",
        "हिन्दी",
        "العربية",
        "עברית",
        "👍",
        "👩‍👩‍👧",
        "🇩🇪",
        "❤\u{fe0f}",
        "\u{1f600}\u{1f3fd}",
        "\u{e000}",
        "\u{fffd}",
        "\u{10ffff}",
        "<s>",
        "</s>",
        "<unk>",
        "<|endoftext|>",
        "▁",
        "Ġ",
        "<0x41>",
    ];
    let mut texts: Vec<String> = pieces.iter().map(|piece| piece.to_string()).collect();
    let mut state = 12345u64;
    let mut next = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    while texts.len() < TEXTS {
        let count = 2 + next(9);
        texts.push((0..count).map(|_| pieces[next(pieces.len())]).collect());
    }
    texts
}
