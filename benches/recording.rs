//! What recording members costs: this engine, with every member of every prompt recorded, against
//! `candle_transformers::models::llama` on the same weights and the same batch, in one run.
//!
//! The rounds of the ratio alternate between the two, so that a machine that slows down slows both.

use std::collections::HashMap;
use std::hint::black_box;
use std::ops::ControlFlow;

mod common;

use atelier::engine::Engine;
use atelier::engine::candle::CandleEngine;
use atelier::model::{ModelConfig, Prompt, Weights};
use atelier::plan::Plan;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Llama, LlamaConfig};
use common::{config, median, prompts, random_weights, time};
use criterion::Criterion;

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
            name: "apprentice-12's shape",
            config: config(320, 64, 176, 12, 4, 2),
            prompts: 32,
            tokens: 24,
        },
        Case {
            name: "6 blocks of MobileLLM-125M",
            config: mobile.clone(),
            prompts: 8,
            tokens: 64,
        },
        Case {
            name: "the same, one prompt",
            config: mobile,
            prompts: 1,
            tokens: 64,
        },
    ]
}

/// Both engines on the same random weights.
struct Pair {
    ours: CandleEngine,
    theirs: Llama,
    cache: Cache,
    prompts: Vec<Prompt>,
    plan: [Plan; 1],
    batch: Tensor,
}

impl Pair {
    fn new(case: &Case) -> Self {
        let config = ModelConfig::from_json(&case.config).expect("a config");
        let weights = random_weights(&config);
        let (theirs, cache) = theirs(&case.config, &config, &weights).expect("candle's Llama");
        let prompts = prompts(config.vocabulary, case.prompts, case.tokens);
        let ids: Vec<u32> = prompts.iter().flat_map(|p| p.token_ids.clone()).collect();
        let shape = (case.prompts, case.tokens);
        let batch = Tensor::from_vec(ids, shape, &Device::Cpu).expect("a batch");
        let plan = [Plan::whole(&config.order).expect("a plan")];
        let ours = CandleEngine::new(config, weights, Device::Cpu).expect("an engine");
        Self {
            ours,
            theirs,
            cache,
            prompts,
            plan,
            batch,
        }
    }

    fn record(&self) -> Vec<f32> {
        let go_on = &mut |_, _| ControlFlow::Continue(());
        let traces = self
            .ours
            .run(&self.prompts, &self.plan, go_on)
            .expect("a run");
        traces[0]
            .iter()
            .flat_map(|trace| trace.logits.clone())
            .collect() // [P K]
    }

    fn forward(&mut self) -> Tensor {
        self.theirs
            .forward(&self.batch, 0, &mut self.cache)
            .expect("a forward pass") // [P, V]
    }

    /// The comparison means nothing unless both compute the same thing.
    fn check(&mut self) {
        let theirs = self.forward().to_vec2::<f32>().expect("logits");
        let options = self.prompts.iter().zip(&theirs);
        let theirs = options.flat_map(|(p, row)| p.option_ids.iter().map(|&id| row[id as usize]));
        for (ours, theirs) in self.record().into_iter().zip(theirs) {
            assert!(
                (ours - theirs).abs() < 1e-3 * (1.0 + theirs.abs()),
                "{ours}, {theirs}"
            );
        }
    }
}

fn theirs(
    text: &str,
    config: &ModelConfig,
    weights: &Weights,
) -> candle_core::Result<(Llama, Cache)> {
    let file: LlamaConfig = serde_json::from_str(text).map_err(candle_core::Error::wrap)?;
    let file = file.into_config(false);
    let (d, f) = (config.width, config.mlp_width);
    let kv = config.kv_heads * config.head_width;
    let mut tensors = HashMap::new();
    let mut add = |name: String, data: &[f32], shape: &[usize]| {
        let tensor = Tensor::from_slice(data, shape, &Device::Cpu)?;
        tensors.insert(name, tensor);
        candle_core::Result::Ok(())
    };
    add(
        "model.embed_tokens.weight".into(),
        &weights.embedding,
        &[config.vocabulary, d],
    )?;
    add("model.norm.weight".into(), &weights.final_norm, &[d])?;
    for (i, block) in weights.blocks.iter().enumerate() {
        let name = |part: &str| format!("model.layers.{i}.{part}.weight");
        let (q, rest) = block.qkv.split_at(d * d);
        let (k, v) = rest.split_at(kv * d);
        let (gate, up) = block.gate_up.split_at(f * d);
        add(name("input_layernorm"), &block.attention_norm, &[d])?;
        add(name("self_attn.q_proj"), q, &[d, d])?;
        add(name("self_attn.k_proj"), k, &[kv, d])?;
        add(name("self_attn.v_proj"), v, &[kv, d])?;
        add(name("self_attn.o_proj"), &block.o, &[d, d])?;
        add(name("post_attention_layernorm"), &block.mlp_norm, &[d])?;
        add(name("mlp.gate_proj"), gate, &[f, d])?;
        add(name("mlp.up_proj"), up, &[f, d])?;
        add(name("mlp.down_proj"), &block.down, &[d, f])?;
    }
    let vars = VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu);
    Ok((
        Llama::load(vars, &file)?,
        Cache::new(false, DType::F32, &file, &Device::Cpu)?,
    ))
}

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let mut lines = Vec::new();
    for case in cases() {
        let mut pair = Pair::new(&case);
        pair.check();
        let mut group = criterion.benchmark_group(case.name);
        group.bench_function("atelier, members recorded", |b| {
            b.iter(|| black_box(pair.record()))
        });
        group.bench_function("candle-transformers", |b| {
            b.iter(|| black_box(pair.forward()))
        });
        group.finish();
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..40)
            .map(|_| (time(|| pair.record()), time(|| pair.forward())))
            .unzip();
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
        "\nmedians of 40 alternating rounds       recording   candle-tr.   ratio (want <= 1.10)"
    );
    for line in lines {
        println!("{line}");
    }
    criterion.final_summary();
}
