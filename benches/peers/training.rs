//! Training a scholar: atelier against PyTorch, the same model, batches, optimiser and threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench training`; the first time it sets up a Python
//! environment with PyTorch (gigabytes) in the target folder. Either side is a process of its own that
//! takes the same steps from the same weights; their rounds alternate. Ours also draws its batches, theirs
//! are made beforehand.

use std::path::Path;

#[path = "../common/mod.rs"]
mod common;

use atelier::train::{Recipe, Trainer, evaluate, family, folder};
use common::setting::{json_file, python, scratch, script};
use common::side::{BothSides, answer_cases, assert_close, paths_of_ours, threads, timed};
use serde_json::{Value, json};

const STEPS: usize = 40;
const ROUNDS: usize = 9;
/// Timed cases: blocks of the model, and rows per training step.
const CASES: [(usize, usize); 3] = [(4, 32), (4, 64), (12, 32)];

fn main() {
    if let Some(paths) = paths_of_ours() {
        return ours(&paths[0]);
    }
    let python = python();
    println!(
        "tokens a second, {} threads, {STEPS} steps; medians of {ROUNDS} alternating rounds",
        threads()
    );
    for (blocks, batch) in CASES {
        let folder = scratch(&format!("training-{blocks}-{batch}"));
        let tokens = write_case(&folder, blocks, batch) as f64;
        let mut sides = BothSides::start(&[&folder], &mut script(&python, "training.py"));
        let [ours, python] = sides.seconds("round", ROUNDS, same).map(|seconds| tokens / seconds);
        println!(
            "{blocks:>2} blocks, {batch} rows a step ({:.0} tokens): {} {ours:.0}, {} {python:.0}, ratio {:.2} (want >= 1)",
            tokens / STEPS as f64,
            sides.ours.version,
            sides.theirs.version,
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
    let case = json_file(&folder.join("case.json"));
    let number = |field: &str| case[field].as_u64().expect("a number") as usize;
    let (blocks, batch) = (number("blocks"), number("batch"));
    answer_cases("atelier", |_| {
        let mut trainer = begin(blocks, batch);
        let mut loss = |_| trainer.step().expect("a step").loss;
        let (losses, seconds) = timed(|| (0..STEPS).map(&mut loss).collect::<Vec<f64>>());
        json!({ "seconds": seconds, "losses": losses })
    });
}
