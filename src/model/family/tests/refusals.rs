//! Configs that are refused, and the field that the error names.

use serde_json::json;

use super::*;
use crate::tables::table;

#[test]
fn families_that_atelier_does_not_run_are_named() {
    let families = "Llama, Mistral, Phi-3, MobileLLM, GPT-2, GPT-NeoX, Qwen2, Qwen3, Gemma, Phi, Falcon and OLMo 2";
    for named in ["bert", "gemma2", "mamba", "smollm3"] {
        let config = edited("random-llama2", &[("model_type", json!(named))]);
        refused(&config, &[&format!("architecture is {named}"), families]);
    }
    let unnamed = json!({ "hidden_size": 4 });
    refused(&unnamed, &["architecture is not given", families]);
    refused(&json!([1]), &["config.json", "JSON"]);
}

#[test]
fn a_missing_or_impossible_number_is_named() {
    for (name, field, family) in [
        ("random-llama2", "hidden_size", "Llama"),
        ("random-mistral", "rms_norm_eps", "Mistral"),
        ("random-gpt2", "n_embd", "GPT-2"),
        ("random-gpt2", "n_layer", "GPT-2"),
        ("random-gpt2", "layer_norm_epsilon", "GPT-2"),
        ("random-pythia", "intermediate_size", "GPT-NeoX"),
        ("random-pythia", "layer_norm_eps", "GPT-NeoX"),
        ("random-qwen2", "num_attention_heads", "Qwen2"),
        ("random-qwen3", "max_position_embeddings", "Qwen3"),
        ("random-gemma", "vocab_size", "Gemma"),
        ("random-phi2", "num_hidden_layers", "Phi"),
        ("random-falcon", "layer_norm_epsilon", "Falcon"),
        ("random-olmo2", "rms_norm_eps", "OLMo 2"),
    ] {
        let sentence = format!("config.json has no {field}, which every {family} model has");
        refused(&without(name, field), &[&sentence]);
        for value in [json!(0), json!(-4), json!("four"), json!([])] {
            let shown = value.as_str().map_or(value.to_string(), str::to_string);
            refused(
                &edited(name, &[(field, value)]),
                &[&format!("config.json: {field} is {shown}, but it must be ")],
            );
        }
    }
    let huge = edited("random-llama2", &[("vocab_size", json!(1u64 << 40))]);
    refused(&huge, &["vocab_size is 1099511627776", "from 1 to 16777216"]);
    let deep = edited("random-gpt2", &[("n_layer", json!(2049))]);
    refused(&deep, &["n_layer is 2049", "from 1 to 2048"]);
    let long = edited("random-llama2", &[("hidden_act", json!("x\n".repeat(1000)))]);
    refused(&long, &["hidden_act is x\\nx", "…", "silu"]);
}

#[test]
fn heads_that_do_not_divide_are_named() {
    let with = |name: &str, field: &str, value: usize| edited(name, &[(field, json!(value))]);
    let mut llama = without("random-llama2", "head_dim");
    llama["num_attention_heads"] = json!(7);
    refused(&llama, &["hidden_size is 48", "multiple of the 7 heads"]);
    refused(&with("random-gpt2", "n_head", 5), &["n_embd is 32", "multiple of the 5 heads"]);
    refused(
        &with("random-qwen2", "num_key_value_heads", 4),
        &["num_key_value_heads is 4", "divide the 6 attention heads"],
    );
    refused(&with("random-qwen3", "head_dim", 15), &["head_dim is 15", "even"]);
    let part = edited("random-pythia", &[("rotary_pct", json!(0.2))]);
    refused(&part, &["rotary_pct is 0.2", "head of 16 numbers", "even"]);
    let part = edited("random-phi2", &[("partial_rotary_factor", json!(1.5))]);
    refused(&part, &["partial_rotary_factor is 1.5"]);
    let part = edited("random-llama2", &[("partial_rotary_factor", json!(0.5))]);
    refused(&part, &["partial_rotary_factor is 0.5", "whole heads"]);
}

/// A model, a field of its config, that field's value, and two pieces of the refusal.
const CHOICES: &str = r#"
random-llama2 | hidden_act | "relu2" | relu2 | silu, gelu and gelu_new
random-gpt2 | activation_function | "relu" | activation_function is relu | gelu
random-gemma | hidden_activation | "quick_gelu" | hidden_activation is quick_gelu | gelu
random-llama2 | mlp_bias | true | mlp_bias is true | without biases
random-mistral | attention_bias | true | attention_bias is true | no biases
random-phi2 | qk_layernorm | true | qk_layernorm is true | without norms
random-falcon | alibi | true | alibi is true | rotary
random-falcon | new_decoder_architecture | true | new_decoder_architecture is true | 7b
random-falcon | parallel_attn | false | parallel_attn is false | side by side
random-gpt2 | scale_attn_weights | false | scale_attn_weights is false | square root
random-gpt2 | scale_attn_by_inverse_layer_idx | true | scale_attn_by_inverse_layer_idx is true | block
random-mistral | sliding_window | 0 | sliding_window is 0 | at least 1, or null
random-gemma | use_bidirectional_attention | true | use_bidirectional_attention is true | before them only
random-qwen2 | is_causal | false | is_causal is false | before them only
random-llama2 | rope_theta | 0.5 | rope_theta is 0.5 | above 1
random-llama3 | rope_scaling | { "rope_type": "yarn", "factor": 2 } | rope_scaling is yarn | llama3
random-llama3 | rope_scaling | { "factor": 2 } | rope_scaling is not given | linear
random-llama3 | rope_scaling | "linear" | rope_scaling is linear | object
random-llama3 | rope_scaling | { "rope_type": "llama3" } | config.json (rope_scaling) | missing field `factor`
random-phi3 | rope_parameters | { "full_attention": { "rope_theta": 1e4 } } | rope_parameters | one kind
random-phi3 | rope_parameters | { "rope_type": "dynamic" } | rope_parameters is dynamic | longrope
random-phi3 | rope_parameters | { "rope_theta": "x" } | rope_theta is x | number
random-llama2 | eos_token_id | [1, -1] | eos_token_id is [1,-1] | token id
"#;

#[test]
fn choices_that_atelier_does_not_run_are_named() {
    for [name, field, value, first, second] in table(CHOICES) {
        let mut config = config(name);
        if field == "rope_parameters" {
            config["rope_scaling"] = Value::Null;
        }
        config[field] = serde_json::from_str(value).expect(value);
        refused(&config, &[first, second]);
    }
}
