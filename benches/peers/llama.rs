//! A prompt through a GGUF model, every member recorded, and tokens one by one after it: atelier against
//! llama.cpp, as many threads. MobileLLM-125M's shape with random weights in BF16, Q8_0, Q4_0 and Q4_K, and
//! SmolLM2-135M-Instruct's own file, there against transformers too.
//!
//! `cargo xtask peers llama` says where that file is; the first time the bench compiles llama.cpp
//! (`llama-cpp-python`). llama.cpp reads the last token out through the whole vocabulary and
//! quantises activations to eight bits beside quantised weights; transformers turns the file into f32 when it
//! opens it. atelier reads every member out through four options and keeps activations in f32: what is compared
//! is the time of a pass.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

#[path = "../common/mod.rs"]
mod common;
mod setting;
#[allow(dead_code)] // Each bench uses a part of it.
mod side;

use atelier::engine::Decoder;
use atelier::model::ModelFiles;
use atelier::plan::Plan;
use atelier::study::LoadedModel;
use common::{median, prompts};
use serde_json::{Value, json};
use setting::{environment, here, llama_cmake, mobile, python, run, scratch};
use side::{Side, assert_close, largest, peak_kb, seconds, threads};

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
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, side, file] = arguments.as_slice()
        && side == "ours"
    {
        return ours(Path::new(file));
    }
    let mut peers = Peers::set_up();
    let folder = scratch("llama");
    for kind in KINDS {
        let file = folder.join(format!("{kind}.gguf"));
        peers.write(kind, &folder, &file);
        let llama = peers.llama(&file);
        peers.compare(&file, vec![llama]);
        std::fs::remove_file(&file).expect("it was written");
    }

    let real = std::env::var("ATELIER_REAL").expect("ATELIER_REAL: see the head of this file");
    let real = Path::new(&real);
    let sides = vec![peers.llama(real), peers.transformers(real)];
    println!("\nSmolLM2-135M-Instruct's own file");
    peers.compare(real, sides);
}

/// Python environments of the peers, and how many threads every side has.
struct Peers {
    llama: PathBuf,
    torch: PathBuf,
    threads: String,
    /// Whether no table has been begun.
    is_first: bool,
}

impl Peers {
    fn set_up() -> Self {
        Self {
            llama: environment("venv-llama", "requirements-llama.txt", Some(&llama_cmake())),
            torch: python(),
            threads: threads().to_string(),
            is_first: true,
        }
    }

    /// Writes random weights of this kind.
    fn write(&self, kind: &str, folder: &Path, file: &Path) {
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

        let mut write = Command::new(&self.llama);
        write.arg(here().join("llama.py")).arg("write").arg(config).arg(kind);
        run(write.arg(file));
    }

    fn llama(&self, file: &Path) -> Side {
        let mut command = Command::new(&self.llama);
        command.arg(here().join("llama.py")).arg("run").arg(file);
        Side::start(command.arg(&self.threads))
    }

    fn transformers(&self, file: &Path) -> Side {
        let mut command = Command::new(&self.torch);
        command.arg(here().join("gguf_in_torch.py")).arg(file);
        Side::start(command.arg(&self.threads))
    }

    /// Prints every case of a file beside each peer, and what memory it took.
    fn compare(&mut self, file: &Path, peers: Vec<Side>) {
        let mut atelier = Command::new(std::env::current_exe().expect("this program"));
        atelier.arg("ours").arg(file);
        let mut atelier = Side::start(atelier.env("RAYON_NUM_THREADS", &self.threads));
        for mut theirs in peers {
            if std::mem::take(&mut self.is_first) {
                println!("medians of {ROUNDS} alternating rounds, {} threads", self.threads);
            }
            println!("\n{:<34} {:>8} {:>10}      ratio", "tokens/s", "atelier", "peer");
            println!("{} beside {}", atelier.version, theirs.version);
            for case in CASES {
                compare_case(case, &mut atelier, &mut theirs);
            }
            let size = std::fs::metadata(file).expect("the file").len() as f64 / 1e6;
            println!(
                "{:<34} {:>5.0} MB {:>7.0} MB {:>10.2} (ours {:.2} of the file)",
                "peak memory",
                atelier.peak(),
                theirs.peak(),
                atelier.peak() / theirs.peak(),
                atelier.peak() / size
            );
        }
    }
}

fn compare_case((case, tokens, wanted): (&str, usize, f64), ours: &mut Side, theirs: &mut Side) {
    same(&ours.round(case), &theirs.round(case));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        a.push(seconds(&ours.round(case)));
        b.push(seconds(&theirs.round(case)));
    }

    let rate = |times: Vec<f64>| tokens as f64 / median(times);
    let (a, b) = (rate(a), rate(b));
    let wanted = if wanted > 0.0 { format!(" (want >= {wanted:.1})") } else { String::new() };
    println!("{case:<34} {a:>8.0} {b:>10.0} {:>10.2}{wanted}", a / b);
}

/// llama.cpp rounds activations to eight bits, 30 blocks long.
fn same(ours: &Value, theirs: &Value) {
    let largest = largest(&theirs["logits"]);
    assert_close(&ours["logits"], &theirs["logits"], 0.15, |_| largest);
}

/// Our side: the same protocol as `llama.py`.
fn ours(file: &Path) {
    let files = ModelFiles::open(file).expect("a GGUF file");
    let model = LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model");
    let engine = model.engine;
    let plan = [Plan::whole(&engine.shape().order).expect("a plan")];
    println!("{}", json!({ "version": engine.describe() }));
    for case in std::io::stdin().lines() {
        let case = case.expect("a case");
        let words: Vec<&str> = case.split_whitespace().collect();
        let number = |n: usize| words[n].parse::<usize>().expect("a number of tokens");
        let vocabulary = engine.shape().vocabulary;
        let (start, logits) = if words[0] == "decode" {
            let all = prompts(vocabulary, 1, number(1) + number(2)).remove(0);
            let (first, rest) = all.token_ids.split_at(number(1));
            let mut decoder = engine.decoder(vec![first.to_vec()], &plan[0]).expect("room");
            last_logits(&mut decoder);
            let start = Instant::now();
            let mut last = Vec::new();
            for &id in rest {
                decoder.push(0, id).expect("room");
                last = last_logits(&mut decoder);
            }
            let options = all.option_ids.iter().map(|&id| last[id as usize]);
            (start, options.collect::<Vec<f32>>())
        } else {
            let prompts = prompts(vocabulary, 1, number(1));
            let start = Instant::now();
            let go_on = &mut |_, _| ControlFlow::Continue(());
            let traces = engine.run(&prompts, &plan, go_on).expect("a run");
            (start, traces[0][0].logits.clone())
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("{}", json!({ "seconds": seconds, "peak_kb": peak_kb(), "logits": logits }));
    }
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
