//! A trained model as a folder in Hugging Face layout: `config.json`, `tokenizer.json`,
//! `model.safetensors` in half precision. The embedding is also the output, so no `lm_head`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use half::f16;
use safetensors::{Dtype, tensor::TensorView};
use serde_json::json;

use super::TrainError;
use super::shape::{RMS_NORM_EPS, ROPE_THETA, Shape};
use crate::task::minilang::{self, words};
use crate::unfinished::Unfinished;

/// `config.json`: a Llama, or MobileLLM where blocks are shared.
pub fn config(shape: &Shape) -> serde_json::Value {
    let shared = shape.repeats > 1;
    let mut config = json!({
        "architectures": [if shared { "MobileLLMForCausalLM" } else { "LlamaForCausalLM" }],
        "model_type": if shared { "mobilellm" } else { "llama" },
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "intermediate_size": shape.mlp_width,
        "num_hidden_layers": shape.blocks,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_width(),
        "max_position_embeddings": shape.context,
        // Through f64's shortest form of the f32, so that the file says 1e-5 and not 9.99…e-6.
        "rms_norm_eps": RMS_NORM_EPS.to_string().parse::<f64>().unwrap_or(f64::from(RMS_NORM_EPS)),
        "rope_theta": ROPE_THETA,
        "rope_scaling": null,
        "hidden_act": "silu",
        "tie_word_embeddings": !shared,
        "attention_bias": false,
        "mlp_bias": false,
        "bos_token_id": words::BOS,
        "eos_token_id": words::EOS,
        "torch_dtype": "float16",
    });
    if shared {
        config["share_embedding"] = true.into();
        config["layer_sharing"] = true.into();
    }
    config
}

/// Tensors by their Hugging Face names, as half-precision bytes.
fn tensors(shape: &Shape, parameters: &[f32]) -> BTreeMap<String, (Vec<usize>, Vec<u8>)> {
    let layout = shape.layout();
    let (d, f, e) = (shape.width, shape.mlp_width, shape.head_width());
    let mut tensors = BTreeMap::new();
    let mut put = |name: String, dimensions: Vec<usize>, values: &[f32]| {
        let bytes = values
            .iter()
            .flat_map(|&value| f16::from_f32(value).to_le_bytes())
            .collect();
        tensors.insert(name, (dimensions, bytes));
    };
    put(
        "model.embed_tokens.weight".into(),
        vec![shape.vocabulary, d],
        &parameters[layout.embedding.clone()],
    );
    put(
        "model.norm.weight".into(),
        vec![d],
        &parameters[layout.final_norm.clone()],
    );
    for (index, block) in layout.blocks.iter().enumerate() {
        let name = |tensor: &str| format!("model.layers.{index}.{tensor}.weight");
        let qkv = &parameters[block.qkv.clone()];
        let (queries, keys_values) = qkv.split_at(shape.heads * e * d);
        let (keys, values) = keys_values.split_at(shape.kv_heads * e * d);
        put(name("self_attn.q_proj"), vec![shape.heads * e, d], queries);
        put(name("self_attn.k_proj"), vec![shape.kv_heads * e, d], keys);
        put(
            name("self_attn.v_proj"),
            vec![shape.kv_heads * e, d],
            values,
        );
        put(
            name("self_attn.o_proj"),
            vec![d, shape.heads * e],
            &parameters[block.attention_out.clone()],
        );
        let (gate, up) = parameters[block.gate_up.clone()].split_at(f * d);
        put(name("mlp.gate_proj"), vec![f, d], gate);
        put(name("mlp.up_proj"), vec![f, d], up);
        put(
            name("mlp.down_proj"),
            vec![d, f],
            &parameters[block.down.clone()],
        );
        put(
            name("input_layernorm"),
            vec![d],
            &parameters[block.attention_norm.clone()],
        );
        put(
            name("post_attention_layernorm"),
            vec![d],
            &parameters[block.mlp_norm.clone()],
        );
    }
    tensors
}

/// Writes the three files into `folder`, which is made if need be.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write(folder: &Path, shape: &Shape, parameters: &[f32]) -> Result<(), TrainError> {
    let failed = |reason: String| TrainError::Write {
        path: folder.to_path_buf(),
        reason,
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
    let tensors = tensors(shape, parameters);
    let views = tensors
        .iter()
        .map(|(name, (dimensions, bytes))| {
            Ok((
                name,
                TensorView::new(Dtype::F16, dimensions.clone(), bytes)?,
            ))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|error| failed(error.to_string()))?;
    let weights = safetensors::serialize(views, None).map_err(|error| failed(error.to_string()))?;
    write_whole(
        &folder.join("config.json"),
        pretty(&config(shape)).as_bytes(),
    )?;
    write_whole(
        &folder.join("tokenizer.json"),
        pretty(&minilang::tokenizer_json()).as_bytes(),
    )?;
    write_whole(&folder.join("model.safetensors"), &weights)
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// Writes a file so that whoever reads it, whenever this program is stopped, finds all of the old
/// one or all of the new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let failed = |error: std::io::Error| TrainError::Write {
        path: path.to_path_buf(),
        reason: error.to_string(),
    };
    let written = Unfinished::begin(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.finish()
    });
    written.map(drop).map_err(failed)
}
