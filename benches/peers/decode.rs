//! Tokens one by one: atelier beside Hugging Face transformers in bf16 (`decode.py`), Llama-3.2-1B's
//! shape with random weights, greedily, as many threads.
//!
//! `cargo bench -p atelier-benches --features peers --bench decode`. Either side is a process of its own
//! that loads the same folder (2.5 GB below the target folder, removed in the end); rounds alternate.

use std::path::Path;
use std::time::Instant;

#[path = "../common/mod.rs"]
mod common;

use atelier::study::{Generation, Wrote};
use common::random::{RandomModel, Stored};
use common::setting::{python, run_apart, scratch, script};
use common::side::{BothSides, answer_cases, assert_close, largest, paths_of_ours, threads};
use common::{median, open, own_plan, prompts};
use serde_json::{Value, json};

const SHAPE: &str = include_str!("shapes/llama-3.2-1b.json");
const PROMPT: usize = 12;
const TOKENS: usize = 210;
/// Places in the text whose times are compared, and how many tokens around each.
const PLACES: [usize; 2] = [20, 200];
const AROUND: usize = 10;
const ROUNDS: usize = 2;

fn main() {
    if let Some(paths) = paths_of_ours() {
        return ours(&paths[0]);
    }
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, side, folder] = &arguments[..]
        && side == "write"
    {
        return RandomModel::new(SHAPE).write(Path::new(folder), Stored::Bf16);
    }
    let folder = tempfile::tempdir_in(scratch("decode")).expect("a folder");
    run_apart(&["write"], folder.path());

    let mut sides = BothSides::start(&[folder.path()], &mut script(&python(), "decode.py"));
    println!("{} against {}, {} threads", sides.ours.version, sides.theirs.version, threads());
    sides.rounds(&format!("{PROMPT} 1"), 0, same);
    let rounds = sides.rounds(&format!("{PROMPT} {TOKENS}"), ROUNDS, |_, _| ());
    let [ours, python] = rounds.map(|answers| answers.iter().map(each).collect::<Vec<_>>());
    let rate = |rounds: &[Vec<f64>]| {
        let seconds = rounds.iter().map(|each| each.iter().sum::<f64>());
        TOKENS as f64 / median(seconds.collect())
    };
    let (a, b) = (rate(&ours), rate(&python));
    println!("{TOKENS} tokens: {a:.2} tokens/s, Python {b:.2}: {:.2}", a / b);
    for (name, rounds) in [("ours", &ours), ("Python", &python)] {
        let at = PLACES.map(|place| {
            let around = place - AROUND..place + AROUND;
            median(rounds.iter().flat_map(|each| each[around.clone()].to_vec()).collect())
        });
        println!(
            "{name}: {:.1} ms at {}, {:.1} ms at {}: {:.2} (want <= 1.2)",
            1e3 * at[0],
            PLACES[0],
            1e3 * at[1],
            PLACES[1],
            at[1] / at[0]
        );
    }
    let [ours, python] = sides.peaks();
    println!("peak memory: {ours:.0} MB, Python {python:.0} MB");
}

/// Seconds of every token.
fn each(answer: &Value) -> Vec<f64> {
    serde_json::from_value(answer["each"].clone()).expect("seconds")
}

/// Python rounds to bf16 at every step.
fn same(ours: &Value, theirs: &Value) {
    let largest = largest(&ours["logits"]);
    assert_close(&ours["logits"], &theirs["logits"], 0.1, |_| largest);
}

/// Our side: the same protocol as `decode.py`.
fn ours(folder: &Path) {
    let model = open(folder);
    let plan = own_plan(&model.engine);
    answer_cases(&model.engine.describe(), |case| {
        let numbers: Vec<usize> =
            case.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let prompt = prompts(model.shape().vocabulary, 1, numbers[0]).remove(0);
        let logits = model.engine.next([prompt.clone()].into(), [plan.clone()].into());
        let logits = logits.expect("a run").complete().expect("logits").concat().concat();
        // The first token is what the prompt takes.
        let writing = Generation::new(&model, prompt.token_ids, &plan, numbers[1] + 1);
        let mut writing = writing.expect("a text");
        let (mut each, mut start) = (Vec::new(), Instant::now());
        loop {
            match writing.advance().expect("a block") {
                Wrote::Nothing => {}
                Wrote::Token { .. } => {
                    each.push(start.elapsed().as_secs_f64());
                    start = Instant::now();
                }
                Wrote::End(_) => break,
            }
        }
        let each = &each[1.min(each.len())..];
        json!({ "seconds": each.iter().sum::<f64>(), "each": each, "logits": logits[..64] })
    });
}
