//! A trained model as a folder in Hugging Face layout: `config.json`, `tokenizer.json`,
//! `model.safetensors` in half precision. The embedding is also the output, so no `lm_head`.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::json;

use super::TrainError;
use super::shape::{RMS_NORM_EPS, ROPE_THETA, Shape};
use crate::task::primer::{tokenizer_json, words};
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

/// Every tensor's Hugging Face name, dimensions and place among the parameters.
fn places(shape: &Shape) -> Vec<(String, Vec<usize>, Range<usize>)> {
    let layout = shape.layout();
    let (d, f, e) = (shape.width, shape.mlp_width, shape.head_width());
    let mut places = vec![
        ("model.embed_tokens.weight".to_owned(), vec![shape.vocabulary, d], layout.embedding),
        ("model.norm.weight".to_owned(), vec![d], layout.final_norm),
    ];
    for (index, block) in layout.blocks.into_iter().enumerate() {
        let [q, kv] = [shape.heads * e, shape.kv_heads * e];
        let from = block.qkv.start;
        let middle = block.gate_up.start + f * d;
        let all = [
            ("self_attn.q_proj", vec![q, d], from..from + q * d),
            ("self_attn.k_proj", vec![kv, d], from + q * d..from + (q + kv) * d),
            ("self_attn.v_proj", vec![kv, d], from + (q + kv) * d..block.qkv.end),
            ("self_attn.o_proj", vec![d, q], block.attention_out),
            ("mlp.gate_proj", vec![f, d], block.gate_up.start..middle),
            ("mlp.up_proj", vec![f, d], middle..block.gate_up.end),
            ("mlp.down_proj", vec![d, f], block.down),
            ("input_layernorm", vec![d], block.attention_norm),
            ("post_attention_layernorm", vec![d], block.mlp_norm),
        ];
        places.extend(all.map(|(tensor, dimensions, place)| {
            (format!("model.layers.{index}.{tensor}.weight"), dimensions, place)
        }));
    }
    places
}

/// Writes the three files into `folder`, which is made if need be.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write(folder: &Path, shape: &Shape, parameters: &[f32]) -> Result<(), TrainError> {
    let failed = |reason: String| TrainError::Write { path: folder.to_path_buf(), reason };
    std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
    let halves = parameters.iter().map(|&value| f16::from_f32(value));
    let bytes: Vec<u8> = halves.flat_map(f16::to_le_bytes).collect();
    let tensors: BTreeMap<String, (Vec<usize>, Range<usize>)> = places(shape)
        .into_iter()
        .map(|(name, dimensions, place)| (name, (dimensions, place)))
        .collect();
    let views = tensors
        .iter()
        .map(|(name, (dimensions, place))| {
            let bytes = &bytes[2 * place.start..2 * place.end];
            Ok((name, TensorView::new(Dtype::F16, dimensions.clone(), bytes)?))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|error| failed(error.to_string()))?;
    let weights = safetensors::serialize(views, None).map_err(|error| failed(error.to_string()))?;
    write_whole(&folder.join("config.json"), pretty(&config(shape)).as_bytes())?;
    write_whole(&folder.join("tokenizer.json"), pretty(&tokenizer_json()).as_bytes())?;
    write_whole(&folder.join("model.safetensors"), &weights)
}

/// The parameters of a model of `shape` that [`write()`] wrote into `folder`.
///
/// # Errors
/// No such model there.
pub fn read(folder: &Path, shape: &Shape) -> Result<Vec<f32>, TrainError> {
    let path = folder.join("model.safetensors");
    let failed = |reason: String| TrainError::Model { path: path.clone(), reason };
    let file = std::fs::read(&path).map_err(|error| failed(error.to_string()))?;
    let held = SafeTensors::deserialize(&file).map_err(|error| failed(error.to_string()))?;
    let mut parameters = vec![0f32; shape.layout().len];
    for (name, dimensions, place) in places(shape) {
        let tensor = held.tensor(&name).map_err(|error| failed(error.to_string()))?;
        if tensor.dtype() != Dtype::F16 || tensor.shape() != dimensions {
            return Err(failed(format!("its {name} is not {dimensions:?} in half precision")));
        }
        let (halves, _) = tensor.data().as_chunks::<2>();
        for (parameter, half) in parameters[place].iter_mut().zip(halves) {
            *parameter = f16::from_le_bytes(*half).to_f32();
        }
    }
    Ok(parameters)
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
