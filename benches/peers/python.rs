//! Recording every member of every row: atelier against Hugging Face transformers with forward
//! hooks, f32, MobileLLM-125M's shape with random weights, the same batches and as many threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench python`; the first time it sets up a Python environment
//! with PyTorch (gigabytes) in the target folder. Either side is a process of its own that loads
//! the same model folder, so that peak memory can be told apart; rounds alternate.

use std::path::Path;

#[path = "../common/mod.rs"]
mod common;

use atelier::model::weights::Weights;
use atelier::model::{ModelFiles, ModelShape, Prompt, Tokenizer};
use common::random::{RandomModel, Stored};
use common::setting::{here, json_file, mobile, python, scratch, script};
use common::side::{BothSides, answer_cases, assert_close, paths_of_ours, threads, timed};
use common::{open, own_plan, prompts, traces};
use serde_json::{Value, json};

/// Number of blocks of MobileLLM-125M.
const BLOCKS: usize = 30;
const EQUAL: &str = "8 x 64 tokens";
const UNEQUAL: &str = "BoolQ, batches of 16";
/// Rows of BoolQ.
const ROWS: usize = 48;

fn main() {
    if let Some(paths) = paths_of_ours() {
        return ours(&paths[0], &paths[1]);
    }
    let folder = scratch("model");
    RandomModel::new(&mobile(BLOCKS)).write(&folder, Stored::F32);
    let cases = folder.join("cases.json");
    let shape = Weights::open(&ModelFiles::open(&folder).expect("a model folder"));
    let shape = shape.expect("a model").shape;
    std::fs::write(&cases, all_cases(&shape).to_string()).expect("a file of cases");

    let mut sides = BothSides::start(&[&folder, &cases], &mut script(&python(), "forward.py"));
    let BothSides { ours, theirs } = &sides;
    println!("{} against {}, {} threads\n", ours.version, theirs.version, threads());
    println!("medians of alternating rounds     rows/s     Python      ratio");
    for (case, rows, rounds, wanted) in [(EQUAL, 8, 9, 1.0), (UNEQUAL, ROWS, 3, 1.5)] {
        let [ours, python] = sides.seconds(case, rounds, same).map(|seconds| rows as f64 / seconds);
        println!(
            "{case:<28} {ours:>11.2} {python:>10.2} {:>10.2} (want >= {wanted:.1})",
            ours / python
        );
    }
    let [ours, python] = sides.peaks();
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
    let cases = json_file(cases);
    let engine = open(folder).engine;
    let plan = [own_plan(&engine)];
    answer_cases(&format!("atelier, {}", engine.describe()), |case| {
        let batches: Vec<Vec<Prompt>> = cases[case]
            .as_array()
            .expect("batches")
            .iter()
            .map(|batch| batch.as_array().expect("rows").iter().map(prompt).collect())
            .collect();
        let (traces, seconds) = timed(|| {
            let traces = batches.iter().map(|batch| traces(&engine, batch, &plan));
            traces.collect::<Vec<_>>()
        });
        json!({ "seconds": seconds, "logits": traces[0][0][0].member_logits })
    });
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
