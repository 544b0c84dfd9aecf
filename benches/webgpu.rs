//! Measures how much the WGSL engine's kernels and batches save, as ratios in one run on one adapter
//! (`ATELIER_ADAPTER` names another than the system's choice).

mod common;

use std::time::Duration;

use atelier::engine::webgpu::AdapterChoice;
use atelier::engine::webgpu::yardstick::Yardstick;
use atelier::engine::{Engine, EngineChoice};
use atelier::model::DType;
use atelier::model::shape::AttentionShape;
use atelier::study::orders::{Sweep, block_runs};
use common::random::RandomModel;
use common::{
    assert_same, by_turns, config, load, medians, own_plan, plans, prompts, ratio, time, traces,
    traces_alone,
};

const ROUNDS: usize = 5;

fn line(name: &str, [ours, theirs]: [Duration; 2], want: &str) {
    let ratio = ratio([theirs, ours]);
    println!("{name:<46} {ours:>11.2?} {theirs:>11.2?} {ratio:>7.2}x  ({want})");
}

fn kernels(adapter: &AdapterChoice, heads: &AttentionShape) {
    let mut yardstick = Yardstick::open(adapter).expect("an adapter");
    println!("{}; medians of {ROUNDS} alternating rounds", yardstick.name());
    println!("{:<46} {:>11} {:>11}", "", "ours", "naive");
    for dtype in DType::PLAIN {
        let times = yardstick.gemm([128, 2048, 2048], dtype, ROUNDS).expect("times");
        let median_times = medians(times);
        let name = format!("gemm 128 x 2048 x 2048, {} weights", dtype.name());
        line(&name, median_times, "want >= 4x");
        let gflops = 2.0 * 128.0 * 2048.0 * 2048.0 / median_times[0].as_secs_f64() / 1e9;
        println!("{:<46} {gflops:>9.1} GFLOP/s", "");
    }
    for dtype in [DType::Q8_0, DType::Q4_0] {
        for m in [1, 8, 32, 128] {
            let times = yardstick.gemm_of([m, 2048, 2048], [dtype, DType::F16], ROUNDS);
            let median_times = medians(times.expect("times"));
            println!(
                "{:<46} {:>11.2?} {:>11.2?} {:>7.2} (f16's time = 1)",
                format!("gemm {m} x 2048 x 2048, {} beside f16", dtype.name()),
                median_times[0],
                median_times[1],
                ratio(median_times)
            );
        }
    }
    let times = yardstick.attention(heads, 128, ROUNDS).expect("times");
    line("attention, 128 tokens, 9 heads of 64", medians(times), "want >= 2x");
}

fn sweep(engine: &Engine) {
    let prompts = prompts(engine.shape().vocabulary, 8, 20);
    let plans = plans(engine, &[Sweep::Drop]);
    // Drivers compile and buffers grow at the first run.
    traces(engine, &prompts, &plans[..1]);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    // Once each: on a software adapter this takes minutes.
    let together = time(|| a = traces(engine, &prompts, &plans));
    let one_by_one = time(|| b = traces_alone(engine, &prompts, &plans));
    assert_same(&a, &b);
    let (made, of_runs) = block_runs(&plans);
    println!(
        "drop sweep, 30 blocks, D 576, 8 x 20: {} plans, {made} of {of_runs} block runs: {together:.2?} together, \
         {one_by_one:.2?} one by one: {:.2} (want <= 0.60; on a GPU <= 0.25)",
        plans.len(),
        ratio([together, one_by_one])
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
    let plan = [own_plan(&engine)];
    let on = |engine: &Engine| traces(engine, &prompts, &plan);
    assert_same(&on(&engine), &on(&cpu));
    engine.profile(); // of the runs from here on
    let [gpu, processor] = by_turns(3, || on(&engine), || on(&cpu));
    println!(
        "the 125M shape, 8 x 64: {gpu:.2?} on {}, {processor:.2?} on the CPU engine",
        engine.describe()
    );
    println!("  three runs: {}", engine.profile().unwrap_or_default());
    drop(cpu);
    sweep(&engine);
}
