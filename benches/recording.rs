//! Measures the cost of recording members: this engine, with every member of every prompt recorded, against
//! `candle_transformers::models::llama` on the same weights and the same batch, in one run.
//!
//! The rounds of the ratio alternate between the two, so that a machine that slows down slows both.

mod common;

use atelier::engine::{Engine, EngineChoice};
use atelier::model::Prompt;
use atelier::plan::Plan;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Llama, LlamaConfig};
use common::random::{RandomModel, Stored};
use common::{by_turns, config, load, logits, own_plan, prompts, ratio};

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

/// Our engine and its batch.
struct Ours {
    engine: Engine,
    prompts: Vec<Prompt>,
    plan: Plan,
}

impl Ours {
    fn new(model: &RandomModel, case: &Case) -> Self {
        let engine = load(model, &EngineChoice::Cpu).engine;
        let prompts = prompts(engine.shape().vocabulary, case.prompts, case.tokens);
        Self { plan: own_plan(&engine), engine, prompts }
    }

    fn record(&self) -> Vec<f32> {
        logits(&self.engine, &self.prompts, &self.plan) // [P K]
    }
}

/// candle's Llama with the same weights and batch.
struct Theirs {
    llama: Llama,
    cache: Cache,
    batch: Tensor,
}

impl Theirs {
    fn new(model: &RandomModel, prompts: &[Prompt]) -> candle_core::Result<Self> {
        let file: LlamaConfig =
            serde_json::from_str(&model.config).map_err(candle_core::Error::wrap)?;
        let file = file.into_config(false);
        let (bytes, device) = (model.safetensors(Stored::F32), Device::Cpu);
        let vars = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &device)?;
        let rows: Vec<&[u32]> = prompts.iter().map(|prompt| &prompt.token_ids[..]).collect();
        Ok(Self {
            llama: Llama::load(vars, &file)?,
            cache: Cache::new(false, DType::F32, &file, &device)?,
            batch: Tensor::new(rows, &device)?,
        })
    }

    fn forward(&mut self) -> Tensor {
        self.llama.forward(&self.batch, 0, &mut self.cache).expect("a forward pass") // [P, V]
    }
}

/// The comparison means nothing unless both compute the same thing.
fn check(ours: &Ours, theirs: &mut Theirs) {
    let theirs = theirs.forward().to_vec2::<f32>().expect("logits");
    let options = ours.prompts.iter().zip(&theirs);
    let theirs = options.flat_map(|(p, row)| p.option_ids.iter().map(|&id| row[id as usize]));
    for (ours, theirs) in ours.record().into_iter().zip(theirs) {
        assert!((ours - theirs).abs() < 1e-3 * (1.0 + theirs.abs()), "{ours}, {theirs}");
    }
}

fn main() {
    let mut lines = Vec::new();
    for case in cases() {
        let model = RandomModel::new(&case.config);
        let ours = Ours::new(&model, &case);
        let mut theirs = Theirs::new(&model, &ours.prompts).expect("candle's Llama");
        check(&ours, &mut theirs);
        let median_times = by_turns(40, || ours.record(), || theirs.forward());
        lines.push(format!(
            "{:<28} {:>2} x {:<3} {:>11.2?} {:>11.2?} {:>7.2}",
            case.name,
            case.prompts,
            case.tokens,
            median_times[0],
            median_times[1],
            ratio(median_times)
        ));
    }
    println!(
        "medians of 40 alternating rounds       recording   candle-tr.   ratio (want <= 1.10)"
    );
    for line in lines {
        println!("{line}");
    }
}
