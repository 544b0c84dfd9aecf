//! Training a scholar: atelier against PyTorch, the same model, batches, optimiser and threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench training`; the first time it sets up a Python
//! environment with PyTorch (gigabytes) in the target folder. Either side is a process of its own that
//! takes the same steps from the same weights; their rounds alternate. Ours also draws its batches, theirs
//! are made beforehand.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[path = "../common/mod.rs"]
mod common;
mod setting;
#[allow(dead_code)] // Each bench uses a part of it.
mod side;

use atelier::train::{Recipe, Trainer, evaluate, family, folder};
use serde_json::{Value, json};
use setting::{here, python, scratch};
use side::{BothSides, assert_close, peak_kb, threads};

const STEPS: usize = 40;
const ROUNDS: usize = 9;
/// Timed cases: blocks of the model, and rows per training step.
const CASES: [(usize, usize); 3] = [(4, 32), (4, 64), (12, 32)];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, side, folder] = arguments.as_slice()
        && side == "ours"
    {
        return ours(Path::new(folder));
    }
    let python = python();
    println!(
        "tokens a second, {} threads, {STEPS} steps; medians of {ROUNDS} alternating rounds",
        threads()
    );
    for (blocks, batch) in CASES {
        let folder = scratch(&format!("training-{blocks}-{batch}"));
        let tokens = write_case(&folder, blocks, batch) as f64;
        let mut peer = Command::new(&python);
        let mut both = BothSides::start(&[&folder], peer.arg(here().join("training.py")));
        let [ours, python] = both.seconds("round", ROUNDS, same).map(|seconds| tokens / seconds);
        println!(
            "{blocks:>2} blocks, {batch} rows a step ({:.0} tokens): {} {ours:.0}, {} {python:.0}, ratio {:.2} (want >= 1)",
            tokens / STEPS as f64,
            both.ours.version,
            both.theirs.version,
            ours / python
        );
    }
}

/// A family's recipe in the middle of its training, where rows are as hard as they get.
fn begin(blocks: usize, batch: usize) -> Trainer {
    let mut trainer = Trainer::new(Recipe {
        shape: family::shape(blocks, 1, family::WIDTH),
        batch,
        ..family::FAMILY[0].recipe()
    });
    trainer.tokens_seen = trainer.recipe.tokens / 2;
    // The weights in the folder are rounded to halves.
    trainer.parameters = evaluate::rounded(&trainer.parameters);
    trainer
}

/// The model as a folder, and all steps' batches and rates beside it; returns the tokens of all.
fn write_case(folder: &Path, blocks: usize, batch: usize) -> u64 {
    let mut trainer = begin(blocks, batch);
    folder::write(folder, &trainer.recipe.shape, &trainer.parameters).expect("a model folder");
    let case = json!({ "blocks": blocks, "batch": batch });
    std::fs::write(folder.join("case.json"), case.to_string()).expect("a file of the case");
    let (mut steps, mut tokens) = (Vec::new(), 0);
    for _ in 0..STEPS {
        let batch = trainer.batch().expect("a batch");
        steps.push(json!({
            "tokens": batch.tokens, "targets": batch.targets, "weights": batch.weights,
            "starts": batch.starts, "rate": trainer.rate(),
        }));
        tokens += trainer.step().expect("a step").tokens;
    }
    std::fs::write(folder.join("steps.json"), json!(steps).to_string()).expect("a file of steps");
    tokens
}

/// The comparison means nothing unless both learn the same.
fn same(ours: &Value, theirs: &Value) {
    assert_close(&ours["losses"], &theirs["losses"], 2e-3, f64::abs);
}

/// Our side: the same protocol as `training.py`.
fn ours(folder: &Path) {
    let case = std::fs::read_to_string(folder.join("case.json")).expect("a case");
    let case: Value = serde_json::from_str(&case).expect("a case in JSON");
    let number = |field: &str| case[field].as_u64().expect("a number") as usize;
    let (blocks, batch) = (number("blocks"), number("batch"));
    println!("{}", json!({ "version": "atelier" }));
    for line in std::io::stdin().lines() {
        line.expect("a case");
        let mut trainer = begin(blocks, batch);
        let start = Instant::now();
        let losses: Vec<f64> = (0..STEPS).map(|_| trainer.step().expect("a step").loss).collect();
        let seconds = start.elapsed().as_secs_f64();
        println!("{}", json!({ "seconds": seconds, "peak_kb": peak_kb(), "losses": losses }));
    }
}
