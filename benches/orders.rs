//! Measures how much time a sweep saves as one run: all its plans together, sharing prefixes and batches,
//! against the same plans one by one on the same engine, in one run of alternating rounds.

mod common;

use std::ops::ControlFlow;

use atelier::engine::{Engine, EngineChoice};
use atelier::model::Prompt;
use atelier::plan::Plan;
use atelier::study::orders::{Extent, Order, Sweep, block_runs};
use common::random::RandomModel;
use common::{config, load, median, prompts, time};

const PROMPTS: usize = 32;
const TOKENS: usize = 24;

/// A sweep, how many rounds to time it for, and the most its ratio should be.
const CASES: [(&str, &[Sweep], usize, f64); 2] = [
    ("drop sweep", &[Sweep::Drop], 15, 0.60),
    ("the family, loops x1..x8", &Sweep::FAMILY, 3, 0.45),
];

fn run(engine: &Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Vec<f32>>> {
    let traces = engine.run(prompts, plans, &mut |_, _| ControlFlow::Continue(())).expect("a run");
    let logits = |traces: Vec<atelier::engine::Trace>| {
        traces.into_iter().map(|trace| trace.logits).collect()
    };
    traces.into_iter().map(logits).collect()
}

fn alone(engine: &Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Vec<f32>>> {
    plans.iter().flat_map(|plan| run(engine, prompts, std::slice::from_ref(plan))).collect()
}

fn main() {
    let model = RandomModel::new(&config(360, 64, 176, 12, 4, 2));
    let engine = load(&model, &EngineChoice::Cpu).engine;
    let order = engine.shape().order.clone();
    let prompts = prompts(engine.shape().vocabulary, PROMPTS, TOKENS);
    println!(
        "scholar-12's shape, {PROMPTS} prompts of {TOKENS} tokens; medians of alternating rounds\n\
         sweep                       plans   block runs a prompt       together     one by one   ratio"
    );
    for (name, sweeps, rounds, want) in CASES {
        let orders = Order::all(sweeps, Extent::default(), &order).expect("orders");
        let own = Plan::whole(&order).expect("a plan");
        let plans: Vec<Plan> =
            std::iter::once(own).chain(orders.into_iter().map(|order| order.plan)).collect();
        // The comparison means nothing unless both compute the same thing.
        let pairs =
            run(&engine, &prompts, &plans).into_iter().zip(alone(&engine, &prompts, &plans));
        for (together, alone) in pairs.flat_map(|(a, b)| a.into_iter().zip(b)) {
            for (a, b) in together.iter().zip(&alone) {
                assert!((a - b).abs() < 1e-3 * (1.0 + b.abs()), "{a}, {b}");
            }
        }
        let (together, one_by_one): (Vec<_>, Vec<_>) = (0..rounds)
            .map(|_| {
                (time(|| run(&engine, &prompts, &plans)), time(|| alone(&engine, &prompts, &plans)))
            })
            .unzip();
        let (together, one_by_one) = (median(together), median(one_by_one));
        let (made, of) = block_runs(&plans);
        println!(
            "{name:<26} {:>6}   {made:>5} of {of:<5} {:>4.2}   {together:>12.2?}   {one_by_one:>12.2?} {:>7.2} (want <= {want:.2})",
            plans.len(),
            made as f64 / of as f64,
            together.as_secs_f64() / one_by_one.as_secs_f64()
        );
    }
}
