//! What benches share: a model of random weights, and times.

// Not every bench uses all of it.
#![allow(dead_code)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use atelier::model::{BlockWeights, ModelConfig, Prompt, Weights};

/// A Llama `config.json` of this shape.
pub fn config(v: usize, d: usize, f: usize, blocks: usize, heads: usize, kv: usize) -> String {
    format!(
        r#"{{"model_type":"llama","vocab_size":{v},"hidden_size":{d},"intermediate_size":{f},
        "num_hidden_layers":{blocks},"num_attention_heads":{heads},"num_key_value_heads":{kv},
        "max_position_embeddings":512,"rms_norm_eps":1e-5,"rope_theta":10000.0,
        "tie_word_embeddings":true,"bos_token_id":1,"eos_token_id":2}}"#
    )
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

pub fn random_weights(config: &ModelConfig) -> Weights {
    let mut noise = rand_mt::Mt::new(1);
    let mut random = |n: usize, scale: f32| -> Vec<f32> {
        (0..n)
            .map(|_| (noise.next_u32() as f32 / u32::MAX as f32 - 0.5) * scale)
            .collect()
    };
    let (d, f, kv) = (
        config.width,
        config.mlp_width,
        config.kv_heads * config.head_width,
    );
    Weights {
        embedding: random(config.vocabulary * d, 2.0),
        output: None,
        final_norm: vec![1.0; d],
        blocks: (0..config.blocks)
            .map(|_| BlockWeights {
                attention_norm: vec![1.0; d],
                qkv: random((d + 2 * kv) * d, 0.2),
                o: random(d * d, 0.2),
                mlp_norm: vec![1.0; d],
                gate_up: random(2 * f * d, 0.2),
                down: random(d * f, 0.2),
            })
            .collect(),
    }
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

pub fn time<T>(f: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}
