//! Measures how much time a sweep saves as one run: all its plans together, sharing prefixes and batches,
//! against the same plans one by one on the same engine, in one run of alternating rounds.

mod common;

use atelier::engine::EngineChoice;
use atelier::study::orders::{Sweep, block_runs};
use common::random::RandomModel;
use common::{assert_same, by_turns, config, load, plans, prompts, ratio, traces, traces_alone};

const PROMPTS: usize = 32;
const TOKENS: usize = 24;

/// A sweep, how many rounds to time it for, and the most its ratio should be.
const CASES: [(&str, &[Sweep], usize, f64); 2] = [
    ("drop sweep", &[Sweep::Drop], 15, 0.60),
    ("the family, loops x1..x8", &Sweep::FAMILY, 3, 0.45),
];

fn main() {
    let model = RandomModel::new(&config(360, 64, 176, 12, 4, 2));
    let engine = load(&model, &EngineChoice::Cpu).engine;
    let prompts = prompts(engine.shape().vocabulary, PROMPTS, TOKENS);
    println!(
        "scholar-12's shape, {PROMPTS} prompts of {TOKENS} tokens; medians of alternating rounds\n\
         sweep                       plans   block runs a prompt       together     one by one   ratio"
    );
    for (name, sweeps, rounds, want) in CASES {
        let plans = plans(&engine, sweeps);
        let together = || traces(&engine, &prompts, &plans);
        let one_by_one = || traces_alone(&engine, &prompts, &plans);
        assert_same(&together(), &one_by_one());
        let median_times = by_turns(rounds, together, one_by_one);
        let (made, of_runs) = block_runs(&plans);
        println!(
            "{name:<26} {:>6}   {made:>5} of {of_runs:<5} {:>4.2}   {:>12.2?}   {:>12.2?} {:>7.2} (want <= {want:.2})",
            plans.len(),
            made as f64 / of_runs as f64,
            median_times[0],
            median_times[1],
            ratio(median_times)
        );
    }
}
