//! Configs that are refused, and the field that the error names.

use serde_json::json;

use super::*;

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
    let long = edited("random-llama2", &[("hidden_act", json!("x\n".repeat(1000)))]);
    refused(&long, &["hidden_act is x\\nx", "…", "silu"]);
}
