//! Recording every member of every row: atelier against Hugging Face transformers with forward
//! hooks, f32, MobileLLM-125M's shape with random weights, the same batches and as many threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench python`; the first time it sets up a Python environment
//! with PyTorch (gigabytes) in the target folder. Either side is a process of its own that loads
//! the same model folder, so that peak memory can be told apart; rounds alternate.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[path = "../common/mod.rs"]
mod common;
mod setting;
#[allow(dead_code)] // Each bench uses a part of it.
mod side;

use atelier::model::weights::Weights;
use atelier::model::{ModelFiles, ModelShape, Prompt, Tokenizer};
use atelier::plan::Plan;
use atelier::study::LoadedModel;
use common::prompts;
use common::random::{RandomModel, Stored};
use serde_json::{Value, json};
use setting::{here, mobile, python, scratch};
use side::{BothSides, assert_close, peak_kb, threads};

/// Number of blocks of MobileLLM-125M.
const BLOCKS: usize = 30;
const EQUAL: &str = "8 x 64 tokens";
const UNEQUAL: &str = "BoolQ, batches of 16";
/// Rows of BoolQ.
const ROWS: usize = 48;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, side, folder, cases] = arguments.as_slice()
        && side == "ours"
    {
        return ours(Path::new(folder), Path::new(cases));
    }
    let folder = scratch("model");
    RandomModel::new(&mobile(BLOCKS)).write(&folder, Stored::F32);
    let cases = folder.join("cases.json");
    let shape = Weights::open(&ModelFiles::open(&folder).expect("a model folder"));
    let shape = shape.expect("a model").shape;
    std::fs::write(&cases, all_cases(&shape).to_string()).expect("a file of cases");

    let mut peer = Command::new(python());
    let mut both = BothSides::start(&[&folder, &cases], peer.arg(here().join("forward.py")));
    let BothSides { ours, theirs } = &both;
    println!("{} against {}, {} threads\n", ours.version, theirs.version, threads());
    println!("medians of alternating rounds     rows/s     Python      ratio");
    for (case, rows, rounds, wanted) in [(EQUAL, 8, 9, 1.0), (UNEQUAL, ROWS, 3, 1.5)] {
        let [ours, python] = both.seconds(case, rounds, same).map(|seconds| rows as f64 / seconds);
        println!(
            "{case:<28} {ours:>11.2} {python:>10.2} {:>10.2} (want >= {wanted:.1})",
            ours / python
        );
    }
    let (ours, python) = (both.ours.peak(), both.theirs.peak());
    println!(
        "{:<28} {ours:>8.0} MB {python:>7.0} MB {:>10.2} (want <= 0.6)",
        "peak memory",
        ours / python
    );
}

/// The comparison means nothing unless both compute the same thing: the first row's members.
fn same(ours: &Value, theirs: &Value) {
    assert_close(&ours["logits"], &theirs["logits"], 1e-3, |x| 1.0 + x.abs());
}

/// Our side: the same protocol as `forward.py`.
fn ours(folder: &Path, cases: &Path) {
    let cases = std::fs::read_to_string(cases).expect("cases");
    let cases: Value = serde_json::from_str(&cases).expect("cases in JSON");
    let files = ModelFiles::open(folder).expect("a model folder");
    let model = LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model");
    let engine = model.engine;
    let plan = [Plan::whole(&engine.shape().order).expect("a plan")];
    println!("{}", json!({ "version": format!("atelier, {}", engine.describe()) }));
    for case in std::io::stdin().lines() {
        let case = case.expect("a case");
        let batches: Vec<Vec<Prompt>> = cases[&case]
            .as_array()
            .expect("batches")
            .iter()
            .map(|batch| batch.as_array().expect("rows").iter().map(prompt).collect())
            .collect();
        let start = Instant::now();
        let traces: Vec<_> = batches
            .iter()
            .map(|batch| {
                let go_on = &mut |_, _| ControlFlow::Continue(());
                engine.run(batch, &plan, go_on).expect("a run")
            })
            .collect();
        let seconds = start.elapsed().as_secs_f64();
        let logits = &traces[0][0][0].member_logits;
        println!("{}", json!({ "seconds": seconds, "peak_kb": peak_kb(), "logits": logits }));
    }
}

fn prompt(row: &Value) -> Prompt {
    let ids = |field: &str| -> Vec<u32> {
        serde_json::from_value(row[field].clone()).expect("token ids")
    };
    Prompt { token_ids: ids("ids"), option_ids: ids("options") }
}

/// Both cases: batches of rows of ids and options.
fn all_cases(shape: &ModelShape) -> Value {
    let rows = |prompts: Vec<Prompt>| -> Vec<Value> {
        let row = |p: Prompt| json!({ "ids": p.token_ids, "options": p.option_ids });
        prompts.into_iter().map(row).collect()
    };
    let equal = [rows(prompts(shape.vocabulary, 8, 64))];
    let boolq = rows(boolq(shape));
    let lengths = boolq.iter().map(|row| row["ids"].as_array().map_or(0, Vec::len));
    let padded: usize = boolq
        .chunks(16)
        .map(|batch| {
            let length = |row: &Value| row["ids"].as_array().map_or(0, Vec::len);
            batch.iter().map(length).max().unwrap_or(0) * batch.len()
        })
        .sum();
    println!("{ROWS} rows of BoolQ: {} tokens, {padded} with padding", lengths.sum::<usize>());
    json!({ EQUAL: equal, UNEQUAL: boolq.chunks(16).collect::<Vec<_>>() })
}

/// The first rows as published, with Llama's tokenizer.
fn boolq(shape: &ModelShape) -> Vec<Prompt> {
    let shared = here().join("../../../shared");
    let read = |path: &str| {
        let path = shared.join(path);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let tokenizer = read("tokenizers/llama/tokenizer.json");
    let tokenizer = Tokenizer::from_json(&tokenizer, shape).expect("a tokenizer");
    let lines = read("data/boolq/val.jsonl");
    let lines = String::from_utf8(lines).expect("text");
    lines
        .lines()
        .take(ROWS)
        .map(|line| {
            let row: Value = serde_json::from_str(line).expect("a row");
            let text = |field: &str| row[field].as_str().expect("a text").to_string();
            let prompt = format!("{}\n{}?\nAnswer:", text("passage"), text("question"));
            let options = [" Yes".to_string(), " No".to_string()];
            tokenizer.prompt(shape, &prompt, &options).expect("a prompt")
        })
        .collect()
}
