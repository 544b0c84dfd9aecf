//! A prompt through a GGUF model, every member recorded, and tokens one by one after it: atelier against
//! llama.cpp, as many threads. MobileLLM-125M's shape with random weights in BF16, Q8_0, Q4_0 and Q4_K, and
//! SmolLM2-135M-Instruct's own file, there against transformers too.
//!
//! `cargo xtask peers llama` says where that file is; the first time the bench compiles llama.cpp
//! (`llama-cpp-python`). llama.cpp reads the last token out through the whole vocabulary and
//! quantises activations to eight bits beside quantised weights; transformers turns the file into f32 when it
//! opens it. atelier reads every member out through four options and keeps activations in f32: what is compared
//! is the time of a pass.

use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../common/mod.rs"]
mod common;

use atelier::engine::Decoder;
use common::setting::{llama_python, mobile, python, run, scratch, script, variable};
use common::side::{BothSides, answer_cases, assert_close, largest, paths_of_ours, threads, timed};
use common::{logits, open, own_plan, prompts};
use serde_json::{Value, json};

const BLOCKS: usize = 30;
const KINDS: [&str; 4] = ["bf16", "q8_0", "q4_0", "q4_k"];
/// Timed cases: name, tokens, and the wanted rate relative to llama.cpp's; 0 wants nothing.
const CASES: [(&str, usize, f64); 4] = [
    ("prefill 12", 12, 0.0),
    ("prefill 64", 64, 1.0),
    ("prefill 512", 512, 1.0),
    ("decode 16 32", 32, 0.8),
];
const ROUNDS: usize = 7;

fn main() {
    if let Some(paths) = paths_of_ours() {
        return ours(&paths[0]);
    }
    let (llama, torch) = (llama_python(), python());
    println!("medians of {ROUNDS} alternating rounds, {} threads", threads());
    let folder = scratch("llama");
    for kind in KINDS {
        let file = folder.join(format!("{kind}.gguf"));
        write(&llama, kind, &folder, &file);
        compare(&file, script(&llama, "llama.py").arg("run"));
        std::fs::remove_file(&file).expect("it was written");
    }

    let real = PathBuf::from(variable("ATELIER_REAL"));
    println!("\nSmolLM2-135M-Instruct's own file");
    compare(&real, script(&llama, "llama.py").arg("run"));
    compare(&real, &mut script(&torch, "gguf_in_torch.py"));
}

/// Writes random weights of this kind.
fn write(llama: &Path, kind: &str, folder: &Path, file: &Path) {
    // K types need widths of whole blocks of 256.
    let mut shape = mobile(BLOCKS);
    if kind == "q4_k" {
        shape = shape.replace("576", "512").replace(
            "\"num_attention_heads\":9,\"num_key_value_heads\":3",
            "\"num_attention_heads\":8,\"num_key_value_heads\":4",
        );
    }
    let config = folder.join("config.json");
    std::fs::write(&config, shape).expect("a config");
    run(script(llama, "llama.py").arg("write").arg(config).arg(kind).arg(file));
}

/// Prints every case of a file beside a peer, and what memory it took.
fn compare(file: &Path, peer: &mut Command) {
    let mut sides = BothSides::start(&[file], peer);
    println!("\n{:<34} {:>8} {:>10}      ratio", "tokens/s", "atelier", "peer");
    println!("{} beside {}", sides.ours.version, sides.theirs.version);
    for (case, tokens, wanted) in CASES {
        let rates = sides.seconds(case, ROUNDS, same).map(|seconds| tokens as f64 / seconds);
        let [ours, theirs] = rates;
        let wanted = if wanted > 0.0 { format!(" (want >= {wanted:.1})") } else { String::new() };
        println!("{case:<34} {ours:>8.0} {theirs:>10.0} {:>10.2}{wanted}", ours / theirs);
    }
    let size = std::fs::metadata(file).expect("the file").len() as f64 / 1e6;
    let [ours, theirs] = sides.peaks();
    println!(
        "{:<34} {ours:>5.0} MB {theirs:>7.0} MB {:>10.2} (ours {:.2} of the file)",
        "peak memory",
        ours / theirs,
        ours / size
    );
}

/// llama.cpp rounds activations to eight bits, 30 blocks long.
fn same(ours: &Value, theirs: &Value) {
    let largest = largest(&theirs["logits"]);
    assert_close(&ours["logits"], &theirs["logits"], 0.15, |_| largest);
}

/// Our side: the same protocol as `llama.py`.
fn ours(file: &Path) {
    let engine = open(file).engine;
    let plan = own_plan(&engine);
    let vocabulary = engine.shape().vocabulary;
    answer_cases(&engine.describe(), |case| {
        let words: Vec<&str> = case.split_whitespace().collect();
        let number = |n: usize| words[n].parse::<usize>().expect("a number of tokens");
        let (logits, seconds) = if words[0] == "decode" {
            let all = prompts(vocabulary, 1, number(1) + number(2)).remove(0);
            let (first, rest) = all.token_ids.split_at(number(1));
            let mut decoder = engine.decoder(vec![first.to_vec()], &plan).expect("room");
            last_logits(&mut decoder);
            let (last, seconds) = timed(|| {
                rest.iter().fold(Vec::new(), |_, &id| {
                    decoder.push(0, id).expect("room");
                    last_logits(&mut decoder)
                })
            });
            let options = all.option_ids.iter().map(|&id| last[id as usize]);
            (options.collect::<Vec<f32>>(), seconds)
        } else {
            let prompts = prompts(vocabulary, 1, number(1));
            timed(|| logits(&engine, &prompts, &plan))
        };
        json!({ "seconds": seconds, "logits": logits })
    });
}

/// Returns the logits of the next token of the only sequence. [V]
fn last_logits(decoder: &mut Decoder) -> Vec<f32> {
    decoder.ask(&[0]).expect("a step");
    loop {
        if let Some(mut logits) = decoder.advance().expect("a block") {
            return logits.remove(0);
        }
    }
}
