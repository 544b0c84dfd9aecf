//! Measures the cost of recording members: this engine, with every member of every prompt recorded, against
//! `candle_transformers::models::llama` on the same weights and the same batch, in one run.
//!
//! The rounds of the ratio alternate between the two, so that a machine that slows down slows both.

use std::ops::ControlFlow;

mod common;

use atelier::engine::{Engine, EngineChoice};
use atelier::model::Prompt;
use atelier::plan::Plan;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Llama, LlamaConfig};
use common::random::{RandomModel, Stored};
use common::{config, load, median, prompts, time};

/// A model shape and the batch that both sides run.
struct Case {
    name: &'static str,
    config: String,
    prompts: usize,
    tokens: usize,
}

fn cases() -> Vec<Case> {
    let mobile = config(32000, 576, 1536, 6, 9, 3);
    vec![
        Case {
            name: "scholar-12's shape",
            config: config(320, 64, 176, 12, 4, 2),
            prompts: 32,
            tokens: 24,
        },
        Case { name: "6 blocks of MobileLLM-125M", config: mobile.clone(), prompts: 8, tokens: 64 },
        Case { name: "the same, one prompt", config: mobile, prompts: 1, tokens: 64 },
    ]
}

/// Both engines on the same random weights.
struct Pair {
    ours: Engine,
    theirs: Llama,
    cache: Cache,
    prompts: Vec<Prompt>,
    plan: [Plan; 1],
    batch: Tensor,
}

impl Pair {
    fn new(case: &Case) -> Self {
        let model = RandomModel::new(&case.config);
        let (theirs, cache) = theirs(&model).expect("candle's Llama");
        let ours = load(&model, &EngineChoice::Cpu).engine;
        let prompts = prompts(ours.shape().vocabulary, case.prompts, case.tokens);
        let ids: Vec<u32> = prompts.iter().flat_map(|p| p.token_ids.clone()).collect();
        let shape = (case.prompts, case.tokens);
        let batch = Tensor::from_vec(ids, shape, &Device::Cpu).expect("a batch");
        let plan = [Plan::whole(&ours.shape().order).expect("a plan")];
        Self { ours, theirs, cache, prompts, plan, batch }
    }

    fn record(&self) -> Vec<f32> {
        let go_on = &mut |_, _| ControlFlow::Continue(());
        let traces = self.ours.run(&self.prompts, &self.plan, go_on).expect("a run");
        traces[0].iter().flat_map(|trace| trace.logits.clone()).collect() // [P K]
    }

    fn forward(&mut self) -> Tensor {
        self.theirs.forward(&self.batch, 0, &mut self.cache).expect("a forward pass") // [P, V]
    }

    /// The comparison means nothing unless both compute the same thing.
    fn check(&mut self) {
        let theirs = self.forward().to_vec2::<f32>().expect("logits");
        let options = self.prompts.iter().zip(&theirs);
        let theirs = options.flat_map(|(p, row)| p.option_ids.iter().map(|&id| row[id as usize]));
        for (ours, theirs) in self.record().into_iter().zip(theirs) {
            assert!((ours - theirs).abs() < 1e-3 * (1.0 + theirs.abs()), "{ours}, {theirs}");
        }
    }
}

fn theirs(model: &RandomModel) -> candle_core::Result<(Llama, Cache)> {
    let file: LlamaConfig =
        serde_json::from_str(&model.config).map_err(candle_core::Error::wrap)?;
    let file = file.into_config(false);
    let (bytes, device) = (model.safetensors(Stored::F32), Device::Cpu);
    let vars = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &device)?;
    Ok((Llama::load(vars, &file)?, Cache::new(false, DType::F32, &file, &device)?))
}

fn main() {
    let mut lines = Vec::new();
    for case in cases() {
        let mut pair = Pair::new(&case);
        pair.check();
        let (ours, theirs): (Vec<_>, Vec<_>) =
            (0..40).map(|_| (time(|| pair.record()), time(|| pair.forward()))).unzip();
        let (ours, theirs) = (median(ours), median(theirs));
        lines.push(format!(
            "{:<28} {:>2} x {:<3} {ours:>11.2?} {theirs:>11.2?} {:>7.2}",
            case.name,
            case.prompts,
            case.tokens,
            ours.as_secs_f64() / theirs.as_secs_f64()
        ));
    }
    println!(
        "medians of 40 alternating rounds       recording   candle-tr.   ratio (want <= 1.10)"
    );
    for line in lines {
        println!("{line}");
    }
}
