//! Measures how much the WGSL engine's kernels and batches save, as ratios in one run on one adapter
//! (`ATELIER_ADAPTER` names another than the system's choice).

mod common;

use std::ops::ControlFlow;
use std::time::Duration;

use atelier::engine::webgpu::AdapterChoice;
use atelier::engine::webgpu::yardstick::Yardstick;
use atelier::engine::{Engine, EngineChoice, Trace};
use atelier::model::shape::AttentionShape;
use atelier::model::{DType, Prompt};
use atelier::plan::Plan;
use atelier::study::orders::{Extent, Order, Sweep, block_runs};
use common::random::RandomModel;
use common::{config, load, median, prompts, time};

const ROUNDS: usize = 5;

fn run(engine: &Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Trace>> {
    engine.run(prompts, plans, &mut |_, _| ControlFlow::Continue(())).expect("a run")
}

/// The comparison means nothing unless both compute the same thing.
fn check(a: &[Vec<Trace>], b: &[Vec<Trace>]) {
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        let scale = b.logits.iter().fold(1e-6f32, |max, x| max.max(x.abs()));
        for (x, y) in a.logits.iter().zip(&b.logits) {
            assert!((x - y).abs() < 1e-3 * scale, "{x}, {y}");
        }
    }
}

fn line(name: &str, ours: Duration, theirs: Duration, want: &str) {
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!("{name:<46} {ours:>11.2?} {theirs:>11.2?} {ratio:>7.2}x  ({want})");
}

fn medians(times: Vec<(Duration, Duration)>) -> (Duration, Duration) {
    let (a, b): (Vec<_>, Vec<_>) = times.into_iter().unzip();
    (median(a), median(b))
}

fn kernels(adapter: &AdapterChoice, heads: &AttentionShape) {
    let mut yardstick = Yardstick::open(adapter).expect("an adapter");
    println!("{}; medians of {ROUNDS} alternating rounds", yardstick.name());
    println!("{:<46} {:>11} {:>11}", "", "ours", "naive");
    for dtype in DType::PLAIN {
        let times = yardstick.gemm([128, 2048, 2048], dtype, ROUNDS).expect("times");
        let (ours, naive) = medians(times);
        let name = format!("gemm 128 x 2048 x 2048, {} weights", dtype.name());
        line(&name, ours, naive, "want >= 4x");
        let gflops = 2.0 * 128.0 * 2048.0 * 2048.0 / ours.as_secs_f64() / 1e9;
        println!("{:<46} {gflops:>9.1} GFLOP/s", "");
    }
    for dtype in [DType::Q8_0, DType::Q4_0] {
        for m in [1, 8, 32, 128] {
            let times = yardstick.gemm_of([m, 2048, 2048], [dtype, DType::F16], ROUNDS);
            let (blocks, halves) = medians(times.expect("times"));
            println!(
                "{:<46} {blocks:>11.2?} {halves:>11.2?} {:>7.2} (f16's time = 1)",
                format!("gemm {m} x 2048 x 2048, {} beside f16", dtype.name()),
                blocks.as_secs_f64() / halves.as_secs_f64()
            );
        }
    }
    let times = yardstick.attention(heads, 128, ROUNDS).expect("times");
    let (ours, naive) = medians(times);
    line("attention, 128 tokens, 9 heads of 64", ours, naive, "want >= 2x");
}

fn sweep(engine: &Engine) {
    let order = engine.shape().order.clone();
    let prompts = prompts(engine.shape().vocabulary, 8, 20);
    let orders = Order::all(&[Sweep::Drop], Extent::default(), &order).expect("orders");
    let own = Plan::whole(&order).expect("a plan");
    let plans: Vec<Plan> =
        std::iter::once(own).chain(orders.into_iter().map(|order| order.plan)).collect();
    let alone = |plans: &[Plan]| -> Vec<Vec<Trace>> {
        plans.iter().flat_map(|plan| run(engine, &prompts, std::slice::from_ref(plan))).collect()
    };
    // Drivers compile and buffers grow at the first run.
    run(engine, &prompts, &plans[..1]);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    // Once each: on a software adapter this takes minutes.
    let together = time(|| a = run(engine, &prompts, &plans));
    let one_by_one = time(|| b = alone(&plans));
    check(&a, &b);
    let (made, of) = block_runs(&plans);
    println!(
        "drop sweep, 30 blocks, D 576, 8 x 20: {} plans, {made} of {of} block runs: {together:.2?} together, \
         {one_by_one:.2?} one by one: {:.2} (want <= 0.60; on a GPU <= 0.25)",
        plans.len(),
        together.as_secs_f64() / one_by_one.as_secs_f64()
    );
}

fn main() {
    let adapter =
        AdapterChoice { name: std::env::var("ATELIER_ADAPTER").ok(), ..AdapterChoice::default() };
    let model = RandomModel::new(&config(32000, 576, 1536, 30, 9, 3));
    let cpu = load(&model, &EngineChoice::Cpu).engine;
    kernels(&adapter, &cpu.shape().blocks[0].attention);

    let choice = EngineChoice::WebGpu { adapter, dtype: None };
    let engine = load(&model, &choice).engine;
    let prompts = prompts(engine.shape().vocabulary, 8, 64);
    let plan = [Plan::whole(&engine.shape().order).expect("a plan")];
    check(&run(&engine, &prompts, &plan), &run(&cpu, &prompts, &plan));
    engine.profile(); // of the runs from here on
    let times = (0..3)
        .map(|_| (time(|| run(&engine, &prompts, &plan)), time(|| run(&cpu, &prompts, &plan))));
    let (gpu, processor) = medians(times.collect());
    println!(
        "the 125M shape, 8 x 64: {gpu:.2?} on {}, {processor:.2?} on the CPU engine",
        engine.describe()
    );
    println!("  three runs: {}", engine.profile().unwrap_or_default());
    drop(cpu);
    sweep(&engine);
}
