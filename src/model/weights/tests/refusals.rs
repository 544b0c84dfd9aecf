//! No weight is left out in silence, and none that is promised is missing.

use super::*;
use crate::tables::table;

/// A model, a tensor that it has no place for, that tensor's shape, the model's family, and a piece of the refusal.
/// The last is a mask of GPT-2's, and a weight's name elsewhere.
const STRAYS: &str = "
random-llama2 | model.layers.0.self_attn.q_proj.bias | [48] | Llama | no bias there
random-qwen2 | model.layers.0.self_attn.o_proj.bias | [48] | Qwen2 | no bias there
random-falcon | transformer.h.0.mlp.dense_h_to_4h.bias | [160] | Falcon | no bias there
random-llama2 | lm_head.bias | [512] | Llama | no bias there
random-llama2 | model.layers.6.input_layernorm.weight | [48] | Llama | num_hidden_layers is 6
random-gpt2 | h.4.ln_1.weight | [32] | GPT-2 | n_layer is 4
random-gpt2 | score.weight | [2, 32] | GPT-2 | does not run
random-llama2 | model.layers.0.self_attn.q_norm.weight | [8] | Llama | another model
random-gemma | model.layers.0.pre_feedforward_layernorm.weight | [32] | Gemma | another model
random-llama2 | model.layers.0.attn.bias | [48] | Llama | no bias there
";

#[test]
fn no_weight_is_left_out_in_silence() {
    let with = |name: &str, tensor: &str, shape: &[usize]| {
        let mut tensors = stored(name);
        let data = vec![0; shape.iter().product::<usize>() * 4];
        tensors.insert(tensor.into(), (Dtype::F32, shape.to_vec(), data));
        tensors
    };
    for [name, tensor, shape, family, hint] in table(STRAYS) {
        let shape: Vec<usize> = serde_json::from_str(shape).expect(shape);
        let sentence = refused(name, &with(name, tensor, &shape));
        let begins =
            format!("tensor {tensor} in model.safetensors has no place in this {family} model");
        assert!(sentence.starts_with(&begins) && sentence.contains(hint), "{sentence}");
    }
    for (name, tensor) in [
        ("random-llama2", "model.layers.0.self_attn.rotary_emb.inv_freq"),
        ("random-llama2", "model.rotary_emb.inv_freq"),
        ("random-mobilellm-layer-share", "lm_head.weight"),
        ("random-gpt2-prefixed", "transformer.h.1.attn.bias"),
        ("random-gpt2-prefixed", "transformer.h.1.attn.masked_bias"),
        ("random-pythia", "gpt_neox.position_ids"),
    ] {
        let opened = opened(name, &with(name, tensor, &[4]));
        assert!(opened.is_ok(), "{name} with {tensor}: {:?}", opened.err());
    }
}

#[test]
fn a_bias_or_a_norm_that_the_config_promises_must_be_there() {
    let mut tensors = stored("random-qwen2");
    tensors.remove("model.layers.2.self_attn.k_proj.bias");
    let sentence = refused("random-qwen2", &tensors);
    assert!(
        sentence.starts_with("tensor model.layers.2.self_attn.k_proj.bias is missing"),
        "{sentence}"
    );
    assert!(sentence.contains("num_hidden_layers is 4"), "{sentence}");
    let mut tensors = stored("random-phi2");
    tensors.remove("lm_head.bias");
    assert!(refused("random-phi2", &tensors).starts_with("tensor lm_head.bias is missing"));
    let mut tensors = stored("random-llama2");
    tensors.remove("lm_head.weight");
    assert!(refused("random-llama2", &tensors).contains("tie_word_embeddings is not true"));
    let mut tensors = stored("random-gpt2");
    // As if it were stored as published elsewhere, [out, in].
    let (_, shape, _) = tensors.get_mut("h.0.mlp.c_fc.weight").expect("a tensor");
    shape.reverse();
    let sentence = refused("random-gpt2", &tensors);
    assert!(
        sentence.contains("has shape [128, 32], but config.json asks for [32, 128]"),
        "{sentence}"
    );
    let mut tensors = stored("random-llama2");
    let data = vec![0; 48 * 48];
    let name = "model.layers.0.self_attn.o_proj.weight";
    tensors.insert(name.into(), (Dtype::F8_E4M3, vec![48, 48], data));
    let sentence = refused("random-llama2", &tensors);
    assert!(
        sentence.contains("is stored as F8_E4M3; atelier reads F32, F16, BF16 and, in GGUF files,"),
        "{sentence}"
    );
}
