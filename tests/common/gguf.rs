//! A model folder written as a GGUF file in F32, with the changes that the format's own writers make.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

/// A stored tensor, as f32.
struct Stored {
    shape: Vec<usize>,
    numbers: Vec<f32>,
}

/// Writes `folder` to `to/model.gguf`, beside its tokenizer if it has one.
pub fn write(folder: &Path, to: &Path) -> PathBuf {
    let text = std::fs::read_to_string(folder.join("config.json")).expect("a config");
    let config: Value = serde_json::from_str(&text).expect("JSON");
    let bytes = std::fs::read(folder.join("model.safetensors")).expect("weights");
    let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
    let tensors = tensors.tensors().into_iter();
    let tensors = tensors.map(|(name, view)| (name, numbers(&view)));
    let written = GgufFile::of(&config, tensors.collect()).bytes();
    let path = to.join("model.gguf");
    std::fs::write(&path, written).expect("written");
    if folder.join("tokenizer.json").exists() {
        let tokenizer = std::fs::copy(folder.join("tokenizer.json"), to.join("tokenizer.json"));
        tokenizer.expect("copied");
    }
    path
}

fn numbers(view: &safetensors::tensor::TensorView) -> Stored {
    let data = view.data();
    let halves = data.as_chunks::<2>().0.iter();
    let numbers = match view.dtype() {
        Dtype::F32 => {
            let numbers = data.as_chunks::<4>().0.iter();
            numbers.map(|b| f32::from_le_bytes(*b)).collect()
        }
        Dtype::F16 => halves.map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
        Dtype::BF16 => halves.map(|b| bf16::from_le_bytes(*b).to_f32()).collect(),
        _ => Vec::new(), // masks
    };
    let shape = view.shape().to_vec();
    Stored { shape, numbers }
}

struct GgufFile {
    pairs: BTreeMap<String, Pair>,
    tensors: BTreeMap<String, Stored>,
}

enum Pair {
    Text(String),
    Size(u32),
    Number(f32),
    Flag(bool),
}

/// Names of a GGUF file's tensors, each with the families' names for it, without the prefix before a block's own.
const NAMES: &[(&str, &[&str])] = &[
    ("token_embd", &["embed_tokens", "wte", "embed_in", "word_embeddings"]),
    ("position_embd", &["wpe"]),
    ("output_norm", &["norm", "ln_f", "final_layer_norm", "final_layernorm"]),
    ("output", &["lm_head", "embed_out"]),
    ("attn_norm", &["input_layernorm", "ln_1"]),
    ("attn_q", &["self_attn.q_proj"]),
    ("attn_k", &["self_attn.k_proj"]),
    ("attn_v", &["self_attn.v_proj"]),
    (
        "attn_qkv",
        &[
            "self_attn.qkv_proj",
            "attn.c_attn",
            "attention.query_key_value",
            "self_attention.query_key_value",
        ],
    ),
    (
        "attn_output",
        &[
            "self_attn.o_proj",
            "self_attn.dense",
            "attn.c_proj",
            "attention.dense",
            "self_attention.dense",
        ],
    ),
    ("attn_q_norm", &["self_attn.q_norm"]),
    ("attn_k_norm", &["self_attn.k_norm"]),
    ("ffn_norm", &["post_attention_layernorm", "ln_2"]),
    ("post_ffw_norm", &["post_feedforward_layernorm"]),
    ("ffn_gate", &["mlp.gate_proj"]),
    ("ffn_up", &["mlp.up_proj", "mlp.gate_up_proj", "mlp.c_fc", "mlp.dense_h_to_4h", "mlp.fc1"]),
    ("ffn_down", &["mlp.down_proj", "mlp.c_proj", "mlp.dense_4h_to_h", "mlp.fc2"]),
];

impl GgufFile {
    fn of(config: &Value, tensors: BTreeMap<String, Stored>) -> Self {
        let size = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| config[*name].as_u64());
            found.next()
        };
        let number = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| config[*name].as_f64());
            found.next()
        };
        let model = config["model_type"].as_str().expect("a model type");
        let arch = match model {
            "mistral" => "llama",
            "gpt_neox" => "gptneox",
            "phi" => "phi2",
            other => other,
        };
        let width = size(&["hidden_size", "n_embd"]).expect("a width");
        let heads = size(&["num_attention_heads", "n_head"]).expect("heads");
        let head = size(&["head_dim"]).unwrap_or(width / heads);
        let part = number(&["partial_rotary_factor", "rotary_pct"]).unwrap_or(1.0);
        let kv_heads = match config["multi_query"].as_bool() {
            Some(true) => 1,
            _ => size(&["num_key_value_heads"]).unwrap_or(heads),
        };
        let mut file = Self { pairs: BTreeMap::new(), tensors: BTreeMap::new() };
        let mut put = |key: &str, pair: Pair| {
            file.pairs.insert(format!("{arch}.{key}"), pair);
        };
        put("embedding_length", Pair::Size(width as u32));
        put("attention.head_count", Pair::Size(heads as u32));
        put("attention.head_count_kv", Pair::Size(kv_heads as u32));
        if size(&["head_dim"]).is_some() {
            put("attention.key_length", Pair::Size(head as u32));
            put("attention.value_length", Pair::Size(head as u32));
        }
        put("rope.dimension_count", Pair::Size((head as f64 * part) as u32));
        for (key, names, absent) in [
            ("block_count", &["num_hidden_layers", "n_layer"][..], 0),
            ("feed_forward_length", &["intermediate_size", "n_inner"], 4 * width),
            ("context_length", &["max_position_embeddings", "n_positions"], 2048),
        ] {
            put(key, Pair::Size(size(names).unwrap_or(absent) as u32));
        }
        if let Some(window) = size(&["sliding_window"]).filter(|_| model == "mistral") {
            put("attention.sliding_window", Pair::Size(window as u32));
        }
        if let Some(eps) = number(&["rms_norm_eps"]) {
            put("attention.layer_norm_rms_epsilon", Pair::Number(eps as f32));
        }
        if let Some(eps) = number(&["layer_norm_eps", "layer_norm_epsilon"]) {
            put("attention.layer_norm_epsilon", Pair::Number(eps as f32));
        }
        let theta = number(&["rope_theta", "rotary_emb_base"]);
        if let Some(theta) = theta {
            put("rope.freq_base", Pair::Number(theta as f32));
        }
        if let Some(parallel) = config["use_parallel_residual"].as_bool() {
            put("use_parallel_residual", Pair::Flag(parallel));
        }
        file.pairs.insert("general.architecture".into(), Pair::Text(arch.into()));
        let tied = config["tie_word_embeddings"].as_bool().unwrap_or(false);
        let has_embedding =
            tensors.keys().any(|name| renamed(name, model).as_deref() == Some("token_embd.weight"));
        for (name, mut tensor) in tensors {
            let Some(mut own) = renamed(&name, model) else { continue };
            if own == "output.weight" && tied {
                if has_embedding {
                    continue;
                }
                own = "token_embd.weight".into();
            }
            if arch == "llama" {
                for (name, heads) in [("attn_q", heads), ("attn_k", kv_heads)] {
                    if own.ends_with(&format!("{name}.weight")) {
                        tensor.in_pairs(heads as usize);
                    }
                }
            }
            if model == "gpt2" && tensor.shape.len() == 2 && own.starts_with("blk.") {
                tensor.transpose();
            }
            if model == "gpt_neox" && own.contains("attn_qkv") {
                tensor.apart(heads as usize);
            }
            if model == "gemma" && own.ends_with("norm.weight") {
                tensor.numbers.iter_mut().for_each(|number| *number += 1.0);
            }
            if model == "olmo2" {
                own = own.replace("ffn_norm", "post_attention_norm");
            }
            file.tensors.insert(own, tensor);
        }
        if let Some(factors) = llama3_factors(config, head as usize, theta) {
            let shape = vec![factors.len()];
            let table = Stored { shape, numbers: factors };
            file.tensors.insert("rope_freqs.weight".into(), table);
        }
        file
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.pairs.len() as u64).to_le_bytes());
        let text = |out: &mut Vec<u8>, text: &str| {
            out.extend((text.len() as u64).to_le_bytes());
            out.extend(text.as_bytes());
        };
        for (key, pair) in &self.pairs {
            text(&mut out, key);
            let (kind, value): (u32, Vec<u8>) = match pair {
                Pair::Size(size) => (4, size.to_le_bytes().to_vec()),
                Pair::Number(number) => (6, number.to_le_bytes().to_vec()),
                Pair::Flag(flag) => (7, vec![u8::from(*flag)]),
                Pair::Text(value) => {
                    let mut bytes = Vec::new();
                    text(&mut bytes, value);
                    (8, bytes)
                }
            };
            out.extend(kind.to_le_bytes());
            out.extend(value);
        }
        let mut offset = 0u64;
        for (name, tensor) in &self.tensors {
            text(&mut out, name);
            out.extend((tensor.shape.len() as u32).to_le_bytes());
            for side in tensor.shape.iter().rev() {
                out.extend((*side as u64).to_le_bytes());
            }
            out.extend(0u32.to_le_bytes());
            out.extend(offset.to_le_bytes());
            offset += (tensor.numbers.len() as u64 * 4).next_multiple_of(32);
        }
        for tensor in self.tensors.values() {
            out.resize(out.len().next_multiple_of(32), 0);
            out.extend(tensor.numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        out.resize(out.len().next_multiple_of(32), 0);
        out
    }
}

/// Returns a tensor's name in the file; `None` for one that is no weight.
fn renamed(name: &str, model: &str) -> Option<String> {
    let needless = ["masked_bias", "rotary_emb.inv_freq"];
    let is_mask = model == "gpt2" && name.ends_with(".attn.bias")
        || model == "gpt_neox" && name.ends_with(".attention.bias");
    if is_mask || needless.iter().any(|end| name.ends_with(end)) {
        return None;
    }
    let prefixes = ["model.", "transformer.", "gpt_neox."];
    let bare = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    let mut own = bare.unwrap_or(name);
    let mut before = String::new();
    if let Some(rest) = own.strip_prefix("layers.").or(own.strip_prefix("h.")) {
        let (number, rest) = rest.split_once('.')?;
        before = format!("blk.{number}.");
        own = rest;
    }
    let (own, end) = own.rsplit_once('.')?;
    let (to, _) = NAMES.iter().find(|(_, from)| from.contains(&own))?;
    Some(format!("{before}{to}.{end}"))
}

/// Llama 3's stretched frequencies, as divisors.
fn llama3_factors(config: &Value, head: usize, theta: Option<f64>) -> Option<Vec<f32>> {
    let scaling = &config["rope_scaling"];
    if scaling["rope_type"] != "llama3" {
        return None;
    }
    let number = |name: &str| scaling[name].as_f64().expect("a number");
    let (factor, theta) = (number("factor"), theta.expect("a base"));
    let (low, high) = (number("low_freq_factor"), number("high_freq_factor"));
    let original = number("original_max_position_embeddings");
    let factors = (0..head / 2).map(|i| {
        let frequency = theta.powf(-2.0 * i as f64 / head as f64);
        let wave = 2.0 * std::f64::consts::PI / frequency;
        let divisor = if wave < original / high {
            1.0
        } else if wave > original / low {
            factor
        } else {
            let smooth = (original / wave - low) / (high - low);
            1.0 / ((1.0 - smooth) / factor + smooth)
        };
        divisor as f32
    });
    Some(factors.collect())
}

impl Stored {
    fn row(&self) -> usize {
        self.shape[1..].iter().product()
    }

    fn reordered(&mut self, order: &[usize]) {
        let row = self.row();
        let rows = order.iter().flat_map(|&from| &self.numbers[from * row..][..row]);
        self.numbers = rows.copied().collect();
    }

    /// Rows 2 i and 2 i + 1 of a head are those that turn together.
    fn in_pairs(&mut self, heads: usize) {
        let width = self.shape[0] / heads;
        let half = width / 2;
        let order = (0..self.shape[0]).map(|row| {
            let (head, within) = (row / width, row % width);
            head * width + within % 2 * half + within / 2
        });
        self.reordered(&order.collect::<Vec<_>>());
    }

    /// From each head's query, key and value to all queries, all keys, all values.
    fn apart(&mut self, heads: usize) {
        let width = self.shape[0] / heads / 3;
        let order = (0..3).flat_map(|which| {
            (0..heads).flat_map(move |head| {
                let first = (head * 3 + which) * width;
                first..first + width
            })
        });
        self.reordered(&order.collect::<Vec<_>>());
    }

    fn transpose(&mut self) {
        let (rows, columns) = (self.shape[0], self.shape[1]);
        let at = (0..columns).flat_map(|c| (0..rows).map(move |r| r * columns + c));
        self.numbers = at.map(|at| self.numbers[at]).collect();
        self.shape.reverse();
    }
}
