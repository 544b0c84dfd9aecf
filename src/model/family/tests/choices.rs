//! Fields that a config may leave out, and their choices.

use serde_json::{Value, json};

use super::*;
use crate::model::shape::{Activation, Residual};

#[test]
fn what_is_absent_or_null_has_the_familys_own_default() {
    for (name, field) in [
        ("random-phi2", "num_key_value_heads"),
        ("random-gpt2", "n_ctx"),
        ("random-gemma", "rope_theta"),
        ("random-gemma", "hidden_activation"),
        ("random-gemma", "hidden_act"),
        ("random-falcon", "multi_query"),
        ("random-falcon", "alibi"),
        ("random-pythia", "use_parallel_residual"),
        ("random-pythia", "rotary_pct"),
        ("random-llama2", "num_key_value_heads"),
        ("random-llama2", "head_dim"),
        ("random-llama2", "hidden_act"),
        ("random-qwen2", "sliding_window"),
    ] {
        assert_eq!(shape_of(&without(name, field)), shape(name), "{name}: {field}");
        let null = edited(name, &[(field, Value::Null)]);
        assert_eq!(shape_of(&null), shape(name), "{name}: {field}");
    }
    let wide = shape_of(&without("random-qwen3", "head_dim"));
    assert_eq!(wide.blocks[0].attention.head_width, 128);
    let ids = edited("random-llama2", &[("eos_token_id", json!([2, 7]))]);
    assert_eq!(shape_of(&ids).eos_token_ids, [2, 7]);
    let unnamed = without("random-pythia", "model_type");
    assert_eq!(shape_of(&unnamed), shape("random-pythia"));
    assert_eq!(shape_of(&without("random-gpt2", "model_type")), shape("random-gpt2"));
    assert_eq!(shape_of(&without("random-olmo2", "model_type")), shape("random-olmo2"));
}

#[test]
fn choices_within_a_family() {
    let sequential = shape_of(&edited("random-pythia", &[("use_parallel_residual", json!(false))]));
    assert_eq!(sequential.blocks[0].residual, Residual::Sequential);
    let bare = shape_of(&edited("random-pythia", &[("attention_bias", json!(false))]));
    assert!(!bare.blocks[0].attention.qkv_bias && bare.blocks[0].mlp.has_bias);
    let biased = shape_of(&edited("random-llama2", &[("attention_bias", json!(true))]));
    let attention = &biased.blocks[0].attention;
    assert!(attention.qkv_bias && attention.out_bias);
    let heads = shape_of(&edited("random-falcon", &[("multi_query", json!(false))]));
    assert_eq!(heads.blocks[0].attention.kv_heads, 5);
    let erf = edited("random-gemma", &[("hidden_activation", json!("gelu"))]);
    assert_eq!(shape_of(&erf).blocks[0].mlp.activation, Activation::GeluErf);
}

fn windows(config: &Value) -> Vec<Option<usize>> {
    let blocks = shape_of(config).blocks;
    blocks.iter().map(|block| block.attention.window).collect()
}

/// Long enough for the window that transformers takes where a config is silent.
fn long(name: &str, edits: &[(&str, Value)]) -> Value {
    let mut config = edited(name, edits);
    config["max_position_embeddings"] = json!(8192);
    config
}

#[test]
fn qwens_windows_count_where_they_are_used() {
    let used = edited("random-qwen2", &[("use_sliding_window", json!(true))]);
    assert_eq!(windows(&used), [None, None, Some(8), Some(8)]);
    let mut listed = used.clone();
    let (full, sliding) = ("full_attention", "sliding_attention");
    listed["layer_types"] = json!([sliding, full, full, sliding]);
    assert_eq!(windows(&listed), [Some(8), None, None, Some(8)]);
    listed["layer_types"] = json!([sliding, full]);
    refused(&listed, &["layer_types", "4 blocks"]);
    listed["layer_types"] = json!([sliding, full, full, "chunked_attention"]);
    refused(&listed, &["layer_types", "chunked_attention", full]);
    let mut all = used.clone();
    all["max_window_layers"] = json!(0);
    assert_eq!(windows(&all), [Some(8); 4]);
    // Absent: the first 28 blocks see all. Null is no window, absent is 4096.
    all.as_object_mut().expect("an object").remove("max_window_layers");
    assert_eq!(windows(&all), [None; 4]);
    let mut silent = long(
        "random-qwen2",
        &[
            ("use_sliding_window", json!(true)),
            ("max_window_layers", json!(0)),
            ("sliding_window", Value::Null),
        ],
    );
    assert_eq!(windows(&silent), [None; 4]);
    silent.as_object_mut().expect("an object").remove("sliding_window");
    assert_eq!(windows(&silent), [Some(4096); 4]);
}

#[test]
fn a_window_is_the_familys_that_has_one() {
    let mut mistral = long("random-mistral", &[]);
    assert_eq!(windows(&mistral)[0], Some(8));
    mistral["sliding_window"] = Value::Null;
    assert_eq!(windows(&mistral)[0], None);
    mistral.as_object_mut().expect("an object").remove("sliding_window");
    assert_eq!(windows(&mistral)[0], Some(4096), "as transformers has it");
    // Llama has none, whatever its config says; nor has MobileLLM.
    for name in ["random-llama2", "random-mobilellm-layer-share"] {
        let llama = edited(name, &[("sliding_window", json!(8))]);
        assert_eq!(windows(&llama)[0], None, "{name}");
    }
    let phi3 = long("random-phi3", &[]);
    assert_eq!(windows(&phi3)[0], None, "absent is none");
}
