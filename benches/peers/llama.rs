//! A prompt through a GGUF model, every member recorded: atelier against llama.cpp, MobileLLM-125M's
//! shape with random weights in BF16, Q8_0, Q4_0 and Q4_K, as many threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench llama`; the first time it compiles
//! llama.cpp (`llama-cpp-python`). llama.cpp reads the last token out through the whole vocabulary and
//! quantises activations to eight bits beside quantised weights; atelier reads every member out
//! through four options and keeps activations in f32: what is compared is the time of a pass.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[path = "../common/mod.rs"]
mod common;
mod setting;
mod side;

use atelier::model::ModelFiles;
use atelier::plan::Plan;
use atelier::study::LoadedModel;
use common::{median, prompts};
use serde_json::{Value, json};
use setting::{environment, here, mobile, run, scratch};
use side::{Side, peak_kb, seconds};

const BLOCKS: usize = 30;
const KINDS: [&str; 4] = ["bf16", "q8_0", "q4_0", "q4_k"];
const TOKENS: [usize; 3] = [12, 64, 512];
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, side, file] = arguments.as_slice()
        && side == "ours"
    {
        return ours(Path::new(file));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let python = environment("venv-llama", "requirements-llama.txt");
    let script = here().join("llama.py");
    let folder = scratch("llama");
    // K types need widths of whole blocks of 256.
    let wide = mobile(BLOCKS).replace("576", "512");
    let mut first = true;
    for kind in KINDS {
        let shape = folder.join("config.json");
        let text = if kind == "q4_k" {
            wide.replace(
                "\"num_attention_heads\":9,\"num_key_value_heads\":3",
                "\"num_attention_heads\":8,\"num_key_value_heads\":4",
            )
        } else {
            mobile(BLOCKS)
        };
        std::fs::write(&shape, text).expect("a config");
        let file = folder.join(format!("{kind}.gguf"));
        let mut write = Command::new(&python);
        run(write.arg(&script).args([
            "write".as_ref(),
            shape.as_os_str(),
            kind.as_ref(),
            file.as_os_str(),
        ]));

        let mut atelier = Command::new(std::env::current_exe().expect("this program"));
        atelier.arg("ours").arg(&file);
        let mut atelier = Side::start(atelier.env("RAYON_NUM_THREADS", threads.to_string()));
        let mut theirs = Command::new(&python);
        theirs.arg(&script).arg("run").arg(&file);
        let mut theirs = Side::start(theirs.arg(threads.to_string()));
        if std::mem::take(&mut first) {
            println!("atelier against {}, {threads} threads\n", theirs.version);
            println!("medians of {ROUNDS} alternating rounds    tokens/s  llama.cpp      ratio");
        }
        for tokens in TOKENS {
            let case = tokens.to_string();
            same(&atelier.round(&case), &theirs.round(&case));
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                a.push(seconds(&atelier.round(&case)));
                b.push(seconds(&theirs.round(&case)));
            }
            let rate = |times: Vec<f64>| tokens as f64 / median(times);
            let (a, b) = (rate(a), rate(b));
            let wanted = if tokens < 64 { "" } else { " (want >= 1.0)" };
            println!(
                "{:<34} {a:>8.0} {b:>10.0} {:>10.2}{wanted}",
                format!("{}, {tokens} tokens", atelier.version),
                a / b
            );
        }
        let size = std::fs::metadata(&file).expect("the file").len() as f64 / 1e6;
        println!(
            "{:<34} {:>5.0} MB {:>7.0} MB {:>10.2} (ours {:.2} of the file)",
            "peak memory",
            atelier.peak(),
            theirs.peak(),
            atelier.peak() / theirs.peak(),
            atelier.peak() / size
        );
        std::fs::remove_file(&file).expect("it was written");
    }
}

/// llama.cpp rounds activations to eight bits, 30 blocks long.
fn same(ours: &Value, theirs: &Value) {
    let numbers = |answer: &Value| -> Vec<f64> {
        let logits = answer["logits"].as_array().expect("logits").iter();
        logits.map(|x| x.as_f64().expect("a logit")).collect()
    };
    let (ours, theirs) = (numbers(ours), numbers(theirs));
    assert_eq!(ours.len(), theirs.len());
    let largest = theirs.iter().fold(0f64, |largest, x| largest.max(x.abs()));
    for (a, b) in ours.iter().zip(&theirs) {
        assert!((a - b).abs() < 0.15 * largest, "{ours:?}, {theirs:?}");
    }
}

/// Our side: the same protocol as `llama.py`.
fn ours(file: &Path) {
    let files = ModelFiles::open(file).expect("a GGUF file");
    let model = LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model");
    let engine = model.engine;
    let plan = [Plan::whole(&engine.shape().order).expect("a plan")];
    println!("{}", json!({ "version": engine.describe() }));
    for tokens in std::io::stdin().lines() {
        let tokens = tokens
            .expect("a number")
            .parse()
            .expect("a number of tokens");
        let prompts = prompts(engine.shape().vocabulary, 1, tokens);
        let start = Instant::now();
        let go_on = &mut |_, _| ControlFlow::Continue(());
        let traces = engine.run(&prompts, &plan, go_on).expect("a run");
        let seconds = start.elapsed().as_secs_f64();
        let logits = &traces[0][0].logits;
        println!(
            "{}",
            json!({ "seconds": seconds, "peak_kb": peak_kb(), "logits": logits })
        );
    }
}
