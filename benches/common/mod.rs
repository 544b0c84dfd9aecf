//! Shared parts of the benches: models, runs, and times by turns.

// Not every bench uses all of it.
#![allow(dead_code)]

pub mod random;
pub mod setting;
pub mod side;
pub mod site;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use atelier::engine::{Engine, EngineChoice, Trace};
use atelier::model::{ModelFiles, Prompt};
use atelier::plan::Plan;
use atelier::study::LoadedModel;
use atelier::study::orders::{Extent, Order, Sweep};

use self::random::{RandomModel, Stored};

/// A Llama `config.json` of this shape.
pub fn config(v: usize, d: usize, f: usize, blocks: usize, heads: usize, kv: usize) -> String {
    format!(
        r#"{{"model_type":"llama","vocab_size":{v},"hidden_size":{d},"intermediate_size":{f},
        "num_hidden_layers":{blocks},"num_attention_heads":{heads},"num_key_value_heads":{kv},
        "max_position_embeddings":512,"rms_norm_eps":1e-5,"rope_theta":10000.0,
        "tie_word_embeddings":true,"bos_token_id":1,"eos_token_id":2}}"#
    )
}

/// Random weights in an engine, stored in f32.
pub fn load(model: &RandomModel, engine: &EngineChoice) -> LoadedModel {
    let files = model.files(Stored::F32);
    LoadedModel::from_files_with(&files, engine, &mut |_, _| ()).expect("a model that loads")
}

/// Opens a model's folder or file.
pub fn open(path: &Path) -> LoadedModel {
    let files = ModelFiles::open(path).expect("a model's files");
    LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model that loads")
}

/// `count` prompts of `tokens` tokens, four options each.
pub fn prompts(vocabulary: usize, count: usize, tokens: usize) -> Vec<Prompt> {
    let id = |i: usize| ((i * 7919 + 13) % vocabulary) as u32;
    (0..count)
        .map(|p| Prompt {
            token_ids: (0..tokens).map(|t| id(p * tokens + t)).collect(),
            option_ids: vec![id(p), id(p + 1), id(p + 2), id(p + 3)],
        })
        .collect()
}

/// The model's own order.
pub fn own_plan(engine: &Engine) -> Plan {
    Plan::whole(&engine.shape().order).expect("a plan")
}

/// The model's own order, and all plans of these sweeps.
pub fn plans(engine: &Engine, sweeps: &[Sweep]) -> Vec<Plan> {
    let orders = Order::all(sweeps, Extent::default(), &engine.shape().order).expect("orders");
    let swept = orders.into_iter().map(|order| order.plan);
    std::iter::once(own_plan(engine)).chain(swept).collect()
}

/// Runs all plans on all prompts together.
pub fn traces(engine: &Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Trace>> {
    engine.run(prompts, plans, &mut |_, _| ControlFlow::Continue(())).expect("a run")
}

/// Runs the plans one by one.
pub fn traces_alone(engine: &Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Trace>> {
    plans.iter().flat_map(|plan| traces(engine, prompts, std::slice::from_ref(plan))).collect()
}

/// The options' logits of every prompt under a plan. `[P K]`
pub fn logits(engine: &Engine, prompts: &[Prompt], plan: &Plan) -> Vec<f32> {
    let traces = traces(engine, prompts, std::slice::from_ref(plan));
    traces.into_iter().flatten().flat_map(|trace| trace.logits).collect()
}

/// The comparison means nothing unless both sides compute the same thing.
pub fn assert_same(ours: &[Vec<Trace>], theirs: &[Vec<Trace>]) {
    for (a, b) in ours.iter().flatten().zip(theirs.iter().flatten()) {
        let scale = b.logits.iter().fold(1e-6f32, |largest, x| x.abs().max(largest));
        for (x, y) in a.logits.iter().zip(&b.logits) {
            assert!((x - y).abs() < 1e-3 * scale, "{x}, {y}");
        }
    }
}

/// The stream that enters the first block, of a prompt in the model's own order. [T, D]
pub fn first_stream(model: &LoadedModel, ids: &[u32]) -> Rc<[f32]> {
    let plan = own_plan(&model.engine);
    let run = model.engine.streams([ids.to_vec()].into(), [plan].into());
    run.expect("a run").complete().expect("streams")[0][0][0].clone()
}

/// Whether the argument `quick` asks for the smallest shape alone.
pub fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "quick")
}

pub fn median<T: PartialOrd + Copy>(mut times: Vec<T>) -> T {
    times.sort_by(|a, b| a.partial_cmp(b).expect("times are numbers"));
    times[times.len() / 2]
}

pub fn time<T>(f: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}

/// Runs two sides by turns, so that a machine that slows down slows both; returns the median of each.
pub fn by_turns<A, B>(
    rounds: usize,
    mut ours: impl FnMut() -> A,
    mut theirs: impl FnMut() -> B,
) -> [Duration; 2] {
    medians((0..rounds).map(|_| (time(&mut ours), time(&mut theirs))))
}

/// The medians of two sides' times.
pub fn medians<T: PartialOrd + Copy>(rounds: impl IntoIterator<Item = (T, T)>) -> [T; 2] {
    let (ours, theirs) = rounds.into_iter().unzip();
    [median(ours), median(theirs)]
}

pub fn ratio([ours, theirs]: [Duration; 2]) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}
