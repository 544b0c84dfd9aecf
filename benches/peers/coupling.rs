//! The coupling of all blocks: atelier against the paper's way, rows of every Jacobian by automatic
//! differentiation and its full SVD in PyTorch, f32, MobileLLM-125M's shape with random weights, 32 tokens,
//! K 8, as many threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench coupling-peer`; the first time it sets up a Python
//! environment with PyTorch (gigabytes) in the target folder. Either side is a process of its own that
//! loads the same model folder; their rounds alternate. A round of theirs over all blocks takes about a
//! minute.

use std::path::Path;

#[path = "../common/mod.rs"]
mod common;

use atelier::study::coupling::{Coupling, CouplingWish, Linearising};
use atelier::study::{LoadedModel, Running};
use common::random::{RandomModel, Stored};
use common::setting::{json_file, mobile, python, scratch, script};
use common::side::{BothSides, answer_cases, assert_close, paths_of_ours, threads, timed};
use common::{open, prompts};
use serde_json::{Value, json};

/// Number of blocks of MobileLLM-125M.
const BLOCKS: usize = 30;
const TOKENS: usize = 32;
const K: usize = 8;
/// The first block alone, whose stream is the embedding's on both sides.
const ONE: &str = "one block";
const ALL: &str = "all pairs";

fn main() {
    if let Some(paths) = paths_of_ours() {
        return ours(&paths[0], &paths[1]);
    }
    let folder = scratch("coupling");
    RandomModel::new(&mobile(BLOCKS)).write(&folder, Stored::F32);
    let case = folder.join("case.json");
    let ids = prompts(32000, 1, TOKENS).remove(0).token_ids;
    let text = json!({ "ids": ids, "k": K }).to_string();
    std::fs::write(&case, text).expect("a file of the case");

    let mut sides = BothSides::start(&[&folder, &case], &mut script(&python(), "coupling.py"));
    let BothSides { ours, theirs } = &sides;
    println!("{} against {}, {} threads\n", ours.version, theirs.version, threads());
    println!("medians of alternating rounds    atelier      Python      ratio");
    for (name, rounds) in [(ONE, 5), (ALL, 1)] {
        let [ours, python] = sides.seconds(name, rounds, same);
        println!("{name:<28} {ours:>9.3} s {python:>9.3} s {:>10.3} (want <= 0.05)", ours / python);
    }
    let [ours, python] = sides.peaks();
    println!("{:<28} {ours:>8.0} MB {python:>8.0} MB", "peak memory");
}

/// The comparison means nothing unless both find the same singular values and, over all blocks, the same
/// map.
fn same(ours: &Value, theirs: &Value) {
    for (field, tolerance) in [("singular_values", 1e-3), ("off_diagonal", 5e-3)] {
        assert_close(&ours[field], &theirs[field], tolerance, |x| 1.0 + x.abs());
    }
}

/// Our side: the same protocol as `coupling.py`.
fn ours(folder: &Path, case: &Path) {
    let case = json_file(case);
    let ids: Vec<u32> = serde_json::from_value(case["ids"].clone()).expect("token ids");
    let model = open(folder);
    answer_cases(&format!("atelier, {}", model.engine.describe()), |name| {
        let line = (name == ONE).then_some("0");
        let (found, seconds) = timed(|| coupling(&model, &ids, line));
        let values = found.spectrum.iter().map(|spectrum| &spectrum.singular_values[..K]);
        json!({
            "seconds": seconds,
            "singular_values": values.collect::<Vec<_>>(),
            "off_diagonal": found.depth_wise[&K].map.off_diagonal,
        })
    });
}

fn coupling(model: &LoadedModel, ids: &[u32], line: Option<&str>) -> Coupling {
    let plan = model.plan(line).expect("a plan");
    let wish = CouplingWish::of(plan, vec![K]);
    let mut run = Linearising::start(model, ids, wish).expect("a run");
    while run.advance().expect("a step").is_some() {}
    run.coupling(None).expect("a coupling")
}
