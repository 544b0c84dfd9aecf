//! A Llama of random weights, as a model folder's files: the same numbers in whatever type they are
//! stored, made when they are asked for, so that nobody holds a large model to write it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use atelier::model::{FileBytes, ModelFiles};
use half::bf16;
use safetensors::tensor::{Dtype, View};
use serde_json::Value;

pub struct RandomModel {
    /// `config.json`
    pub config: String,
    tensors: Vec<RandomTensor>,
}

/// The dtype of the stored weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    F32,
    Bf16,
}

#[derive(Clone)]
struct RandomTensor {
    name: String,
    shape: Vec<usize>,
    /// Numbers lie between plus and minus half of this; `None`: all are 1.
    scale: Option<f32>,
    seed: u32,
}

/// A tensor in the type in which it is to be stored.
struct AsStored<'a>(&'a RandomTensor, Stored);

impl RandomModel {
    /// Makes the model of a Llama `config.json`.
    pub fn new(config: &str) -> Self {
        let json: Value = serde_json::from_str(config).expect("a config");
        let optional = |field: &str| json[field].as_u64().map(|n| n as usize);
        let number = |field: &str| optional(field).unwrap_or_else(|| panic!("no {field}"));
        let (v, d, f) = (number("vocab_size"), number("hidden_size"), number("intermediate_size"));
        let heads = number("num_attention_heads");
        let width = optional("head_dim").unwrap_or(d / heads);
        let (q, kv) = (heads * width, number("num_key_value_heads") * width);
        // The standard deviation from which transformers would draw them, where the config has one.
        let range = json["initializer_range"].as_f64();
        let range = range.map(|range| range as f32 * 12f32.sqrt());
        let (embedding, matrix) = (range.or(Some(2.0)), range.or(Some(0.2)));
        let mut tensors = Vec::new();
        let mut add = |name: String, shape: &[usize], scale: Option<f32>| {
            tensors.push(RandomTensor {
                name,
                shape: shape.to_vec(),
                scale,
                seed: tensors.len() as u32 + 1,
            });
        };
        add("model.embed_tokens.weight".into(), &[v, d], embedding);
        for i in 0..number("num_hidden_layers") {
            let name = |part: &str| format!("model.layers.{i}.{part}.weight");
            add(name("input_layernorm"), &[d], None);
            add(name("self_attn.q_proj"), &[q, d], matrix);
            add(name("self_attn.k_proj"), &[kv, d], matrix);
            add(name("self_attn.v_proj"), &[kv, d], matrix);
            add(name("self_attn.o_proj"), &[d, q], matrix);
            add(name("post_attention_layernorm"), &[d], None);
            add(name("mlp.gate_proj"), &[f, d], matrix);
            add(name("mlp.up_proj"), &[f, d], matrix);
            add(name("mlp.down_proj"), &[d, f], matrix);
        }
        add("model.norm.weight".into(), &[d], None);
        if json["tie_word_embeddings"].as_bool() != Some(true) {
            add("lm_head.weight".into(), &[v, d], embedding);
        }
        Self { config: config.to_string(), tensors }
    }

    /// A tensor's numbers, as f32.
    pub fn numbers(&self, name: &str) -> Vec<f32> {
        let tensor = self.tensors.iter().find(|tensor| tensor.name == name);
        tensor.unwrap_or_else(|| panic!("no {name}")).numbers()
    }

    /// `model.safetensors`
    pub fn safetensors(&self, stored: Stored) -> Vec<u8> {
        safetensors::serialize(self.views(stored), metadata()).expect("a checkpoint")
    }

    /// A model folder in memory.
    pub fn files(&self, stored: Stored) -> ModelFiles {
        let config = self.config.clone().into_bytes();
        let files = vec![
            ("config.json".to_string(), FileBytes::Owned(config)),
            ("model.safetensors".to_string(), FileBytes::Owned(self.safetensors(stored))),
        ];
        ModelFiles::from_named("random", files).expect("a model folder")
    }

    /// A model folder on disk.
    pub fn write(&self, folder: &Path, stored: Stored) {
        std::fs::write(folder.join("config.json"), &self.config).expect("config.json");
        let path = folder.join("model.safetensors");
        safetensors::serialize_to_file(self.views(stored), metadata(), &path)
            .expect("model.safetensors");
    }

    fn views(&self, stored: Stored) -> impl Iterator<Item = (&str, AsStored<'_>)> {
        let tensors = self.tensors.iter();
        tensors.map(move |tensor| (tensor.name.as_str(), AsStored(tensor, stored)))
    }
}

/// transformers wants to know where a file comes from.
fn metadata() -> Option<HashMap<String, String>> {
    Some([("format".to_string(), "pt".to_string())].into())
}

impl RandomTensor {
    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// All of them are bf16 numbers, so that no type in which they are stored changes them.
    fn numbers(&self) -> Vec<f32> {
        let Some(scale) = self.scale else {
            return vec![1.0; self.count()];
        };
        let mut noise = rand_mt::Mt::new(self.seed);
        let mut next = || (noise.next_u32() as f32 / u32::MAX as f32 - 0.5) * scale;
        (0..self.count()).map(|_| bf16::from_f32(next()).to_f32()).collect()
    }
}

impl View for AsStored<'_> {
    fn dtype(&self) -> Dtype {
        match self.1 {
            Stored::F32 => Dtype::F32,
            Stored::Bf16 => Dtype::BF16,
        }
    }

    fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let numbers = self.0.numbers();
        let mut bytes = Vec::with_capacity(self.data_len());
        match self.1 {
            Stored::F32 => bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes())),
            Stored::Bf16 => {
                let halves = numbers.iter().map(|x| bf16::from_f32(*x));
                bytes.extend(halves.flat_map(bf16::to_le_bytes));
            }
        }
        bytes.into()
    }

    fn data_len(&self) -> usize {
        let a_number = match self.1 {
            Stored::F32 => 4,
            Stored::Bf16 => 2,
        };
        self.0.count() * a_number
    }
}
