//! Checkpoints that travel with the project, and what is made of them here to be read or refused.

mod dtypes;
mod expected;
mod families;
mod headers;
mod imagined;
mod refusals;
mod shards;
mod slices;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::safetensors::tensor::{Dtype, SafeTensors, TensorView};
use half::{bf16, f16};

use super::*;
use crate::model::FileBytes;

/// Name -> (type, shape, bytes).
type Stored = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// Rows of f32.
type PlainRows = Vec<Vec<f32>>;

const FOLDERS: [&str; 14] = [
    "random-llama2",
    "random-llama3",
    "random-mistral",
    "random-phi3",
    "random-mobilellm-layer-share",
    "random-gpt2",
    "random-gpt2-prefixed",
    "random-pythia",
    "random-qwen2",
    "random-qwen3",
    "random-gemma",
    "random-phi2",
    "random-falcon",
    "random-olmo2",
];

fn folder(name: &str) -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    models.join(name)
}

fn stored(name: &str) -> Stored {
    let bytes = std::fs::read(folder(name).join("model.safetensors")).expect("weights");
    let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
    let each = tensors.iter().map(|(name, view)| {
        let data = view.data().to_vec();
        (name.to_string(), (view.dtype(), view.shape().to_vec(), data))
    });
    each.collect()
}

fn written(tensors: &Stored) -> Vec<u8> {
    let views = tensors.iter().map(|(name, (dtype, shape, data))| {
        let view = TensorView::new(*dtype, shape.clone(), data).expect("a view");
        (name.clone(), view)
    });
    ::safetensors::serialize(views, None).expect("safetensors")
}

fn files(config: Vec<u8>, weights: Vec<(&str, Vec<u8>)>) -> ModelFiles {
    let mut files = vec![("config.json".to_string(), FileBytes::Owned(config))];
    for (name, bytes) in weights {
        files.push((name.to_string(), FileBytes::Owned(bytes)));
    }
    ModelFiles::from_named("test", files).expect("a folder")
}

fn config(name: &str) -> Vec<u8> {
    std::fs::read(folder(name).join("config.json")).expect("config.json")
}

/// The folder's config with these tensors.
fn opened(name: &str, tensors: &Stored) -> Result<Weights, ModelError> {
    let weights = vec![("model.safetensors", written(tensors))];
    Weights::open(&files(config(name), weights))
}

fn numbers(dtype: Dtype, data: &[u8]) -> Vec<f32> {
    let halves = data.as_chunks::<2>().0.iter();
    match dtype {
        Dtype::F32 => {
            let words = data.as_chunks::<4>().0.iter();
            words.map(|b| f32::from_le_bytes(*b)).collect()
        }
        Dtype::F16 => halves.map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
        Dtype::BF16 => halves.map(|b| bf16::from_le_bytes(*b).to_f32()).collect(),
        other => panic!("{other:?}"),
    }
}

/// A stored tensor as rows; a vector has rows of one.
fn plain(tensors: &Stored, name: &str) -> PlainRows {
    let (dtype, shape, data) = tensors.get(name).unwrap_or_else(|| panic!("no {name}"));
    let columns = if shape.len() == 2 { shape[1] } else { 1 };
    let numbers = numbers(*dtype, data);
    numbers.chunks(columns).map(<[f32]>::to_vec).collect()
}

fn matrix(weights: &Weights, matrix: &Matrix) -> PlainRows {
    let all = weights.rows(matrix, 0..matrix.rows).expect("rows");
    assert_eq!((all.rows, all.columns), (matrix.rows, matrix.columns));
    let numbers = all.to_f32();
    numbers.chunks(matrix.columns).map(<[f32]>::to_vec).collect()
}

/// A model's parts by what they are, as [`Weights`] reads them: a block's vectors by role.
fn read(weights: &Weights) -> BTreeMap<String, PlainRows> {
    let mut read = BTreeMap::new();
    let column = |vector: &Vector| -> PlainRows {
        let numbers = weights.vector(vector).expect("a vector");
        assert_eq!(numbers.len(), vector.length);
        numbers.into_iter().map(|number| vec![number]).collect()
    };
    read.insert("embedding".into(), matrix(weights, &weights.embedding));
    for (name, part) in [("positions", &weights.positions), ("head", &weights.head)] {
        if let Some(part) = part {
            read.insert(name.into(), matrix(weights, part));
        }
    }
    read.insert("norm".into(), column(&weights.final_norm));
    let ends = [("norm bias", &weights.final_norm_bias), ("head bias", &weights.head_bias)];
    for (name, part) in ends {
        if let Some(part) = part {
            read.insert(name.into(), column(part));
        }
    }
    for (at, block) in weights.blocks.iter().enumerate() {
        for (role, part) in MatrixRole::ALL.iter().zip(&block.matrices) {
            read.insert(format!("{at} {role:?}"), matrix(weights, part));
        }
        for (role, part) in &block.vectors {
            read.insert(format!("{at} {role:?}"), column(part));
        }
    }
    read
}

/// The f32 numbers of a tensor as another type's.
fn convert(tensors: &mut Stored, name: &str, to: Dtype) {
    let (dtype, _, data) = tensors.get_mut(name).expect("a tensor");
    let read = numbers(*dtype, data).into_iter();
    *data = match to {
        Dtype::F32 => read.flat_map(f32::to_le_bytes).collect(),
        Dtype::F16 => read.flat_map(|x| f16::from_f32(x).to_le_bytes()).collect(),
        Dtype::BF16 => read.flat_map(|x| bf16::from_f32(x).to_le_bytes()).collect(),
        other => panic!("{other:?}"),
    };
    *dtype = to;
}
