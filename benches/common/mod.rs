//! Shared parts of the benches: a model of random weights, and times.

// Not every bench uses all of it.
#![allow(dead_code)]

pub mod random;

use std::hint::black_box;
use std::time::{Duration, Instant};

use atelier::engine::EngineChoice;
use atelier::model::Prompt;
use atelier::study::LoadedModel;

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

pub fn median<T: PartialOrd + Copy>(mut times: Vec<T>) -> T {
    times.sort_by(|a, b| a.partial_cmp(b).expect("times are numbers"));
    times[times.len() / 2]
}

pub fn time<T>(f: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}
