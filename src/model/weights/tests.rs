//! Every matrix and vector of the models that travel with the project, against a plain reading of
//! their files: names and rows written out here by hand, by another crate's reader.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::safetensors::tensor::{Dtype, SafeTensors, TensorView};
use half::{bf16, f16};

use super::*;
use crate::model::Bytes;

/// Name -> (type, shape, bytes).
type Stored = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// Rows of f32.
type Plain = Vec<Vec<f32>>;

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
        (
            name.to_string(),
            (view.dtype(), view.shape().to_vec(), data),
        )
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
    let mut files = vec![("config.json".to_string(), Bytes::Owned(config))];
    for (name, bytes) in weights {
        files.push((name.to_string(), Bytes::Owned(bytes)));
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

fn refused(name: &str, tensors: &Stored) -> String {
    match opened(name, tensors) {
        Ok(_) => panic!("{name} should have been refused"),
        Err(error) => error.to_string(),
    }
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
fn plain(tensors: &Stored, name: &str) -> Plain {
    let (dtype, shape, data) = tensors.get(name).unwrap_or_else(|| panic!("no {name}"));
    let columns = if shape.len() == 2 { shape[1] } else { 1 };
    let numbers = numbers(*dtype, data);
    numbers.chunks(columns).map(<[f32]>::to_vec).collect()
}

fn transposed(rows: &Plain) -> Plain {
    let columns = rows[0].len();
    let column = |c: usize| rows.iter().map(|row| row[c]).collect();
    (0..columns).map(column).collect()
}

/// Rows `[head, (q, k, v), width]`, or `[query heads, k, v, width]` of one group, in the order q, k, v.
fn regrouped(rows: &Plain, groups: usize, queries: usize, width: usize) -> Plain {
    let mut out = Vec::new();
    let a_group = (queries + 2) * width;
    for part in [0..queries, queries..queries + 1, queries + 1..queries + 2] {
        for group in 0..groups {
            for head in part.clone() {
                let first = group * a_group + head * width;
                out.extend_from_slice(&rows[first..first + width]);
            }
        }
    }
    out
}

fn matrix(weights: &Weights, matrix: &Matrix) -> Plain {
    let all = weights.rows(matrix, 0..matrix.rows).expect("rows");
    assert_eq!((all.rows, all.columns), (matrix.rows, matrix.columns));
    let numbers = all.to_f32();
    numbers
        .chunks(matrix.columns)
        .map(<[f32]>::to_vec)
        .collect()
}

/// A model's parts by what they are, as [`Weights`] reads them: a block's vectors by role.
fn read(weights: &Weights) -> BTreeMap<String, Plain> {
    let mut read = BTreeMap::new();
    let column = |vector: &Vector| -> Plain {
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
    let ends = [
        ("norm bias", &weights.final_norm_bias),
        ("head bias", &weights.head_bias),
    ];
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

/// The same parts, by the names and layouts that docs/definitions.md gives each family.
fn expected(name: &str, tensors: &Stored, blocks: usize) -> BTreeMap<String, Plain> {
    let of = |tensor: &str| plain(tensors, tensor);
    let fused = |names: &[&str]| -> Plain { names.iter().flat_map(|name| of(name)).collect() };
    let mut parts: Vec<(String, Plain)> = Vec::new();
    let family = name.trim_start_matches("random-");
    match family {
        "gpt2" | "gpt2-prefixed" => {
            let before = if family == "gpt2" { "" } else { "transformer." };
            let of = |name: &str| of(&format!("{before}{name}"));
            parts.push(("embedding".into(), of("wte.weight")));
            parts.push(("positions".into(), of("wpe.weight")));
            parts.push(("norm".into(), of("ln_f.weight")));
            parts.push(("norm bias".into(), of("ln_f.bias")));
            for at in 0..blocks {
                let matrices = [
                    ("Qkv", "attn.c_attn"),
                    ("Out", "attn.c_proj"),
                    ("Up", "mlp.c_fc"),
                    ("Down", "mlp.c_proj"),
                ];
                for (role, name) in matrices {
                    let name = format!("h.{at}.{name}");
                    let weight = transposed(&of(&format!("{name}.weight")));
                    parts.push((format!("{at} {role}"), weight));
                    parts.push((format!("{at} {role}Bias"), of(&format!("{name}.bias"))));
                }
                for (role, name) in [("Attention", "ln_1"), ("Mlp", "ln_2")] {
                    let part = |end: &str| of(&format!("h.{at}.{name}.{end}"));
                    parts.push((format!("{at} {role}Norm"), part("weight")));
                    parts.push((format!("{at} {role}NormBias"), part("bias")));
                }
            }
        }
        "pythia" | "falcon" => {
            let (groups, queries, width) = if family == "pythia" {
                (3, 1, 16)
            } else {
                (1, 5, 8)
            };
            let (model, layers, attention) = if family == "pythia" {
                ("gpt_neox", "layers", "attention")
            } else {
                ("transformer", "h", "self_attention")
            };
            let ends: &[(&str, &str)] = if family == "pythia" {
                &[
                    ("embedding", "gpt_neox.embed_in.weight"),
                    ("head", "embed_out.weight"),
                    ("norm", "gpt_neox.final_layer_norm.weight"),
                    ("norm bias", "gpt_neox.final_layer_norm.bias"),
                ]
            } else {
                &[
                    ("embedding", "transformer.word_embeddings.weight"),
                    ("norm", "transformer.ln_f.weight"),
                    ("norm bias", "transformer.ln_f.bias"),
                ]
            };
            parts.extend(ends.iter().map(|(part, name)| (part.to_string(), of(name))));
            for at in 0..blocks {
                let of = |name: String| of(&format!("{model}.{layers}.{at}.{name}"));
                let kinds: &[(&str, &str)] = if family == "pythia" {
                    &[("", "weight"), ("Bias", "bias")]
                } else {
                    &[("", "weight")]
                };
                for (kind, end) in kinds {
                    let qkv = of(format!("{attention}.query_key_value.{end}"));
                    let qkv = regrouped(&qkv, groups, queries, width);
                    parts.push((format!("{at} Qkv{kind}"), qkv));
                    let out = of(format!("{attention}.dense.{end}"));
                    parts.push((format!("{at} Out{kind}"), out));
                    let up = of(format!("mlp.dense_h_to_4h.{end}"));
                    parts.push((format!("{at} Up{kind}"), up));
                    let down = of(format!("mlp.dense_4h_to_h.{end}"));
                    parts.push((format!("{at} Down{kind}"), down));
                }
                for (kind, end) in [("", "weight"), ("Bias", "bias")] {
                    let norm = of(format!("input_layernorm.{end}"));
                    parts.push((format!("{at} AttentionNorm{kind}"), norm));
                    if family == "pythia" {
                        let norm = of(format!("post_attention_layernorm.{end}"));
                        parts.push((format!("{at} MlpNorm{kind}"), norm));
                    }
                }
            }
        }
        "phi2" => {
            parts.push(("embedding".into(), of("model.embed_tokens.weight")));
            parts.push(("head".into(), of("lm_head.weight")));
            parts.push(("head bias".into(), of("lm_head.bias")));
            parts.push(("norm".into(), of("model.final_layernorm.weight")));
            parts.push(("norm bias".into(), of("model.final_layernorm.bias")));
            for at in 0..blocks {
                let full = |name: &str, end: &str| format!("model.layers.{at}.{name}.{end}");
                for (kind, end) in [("", "weight"), ("Bias", "bias")] {
                    let qkv = ["q", "k", "v"].map(|p| full(&format!("self_attn.{p}_proj"), end));
                    let qkv = fused(&qkv.each_ref().map(String::as_str));
                    parts.push((format!("{at} Qkv{kind}"), qkv));
                    let out = of(&full("self_attn.dense", end));
                    parts.push((format!("{at} Out{kind}"), out));
                    parts.push((format!("{at} Up{kind}"), of(&full("mlp.fc1", end))));
                    parts.push((format!("{at} Down{kind}"), of(&full("mlp.fc2", end))));
                    let norm = of(&full("input_layernorm", end));
                    parts.push((format!("{at} AttentionNorm{kind}"), norm));
                }
            }
        }
        _ => {
            let gain = |name: &str| {
                let plus = if family == "gemma" { 1.0 } else { 0.0 };
                let rows = of(name).into_iter();
                rows.map(|row| vec![row[0] + plus]).collect::<Plain>()
            };
            parts.push(("embedding".into(), of("model.embed_tokens.weight")));
            parts.push(("norm".into(), gain("model.norm.weight")));
            if ["llama2", "mistral", "phi3", "olmo2"].contains(&family) {
                parts.push(("head".into(), of("lm_head.weight")));
            }
            let norms = if family == "olmo2" {
                ["post_attention_layernorm", "post_feedforward_layernorm"]
            } else {
                ["input_layernorm", "post_attention_layernorm"]
            };
            for at in 0..blocks {
                let full = |name: &str, end: &str| format!("model.layers.{at}.{name}.{end}");
                let weight = |name: &str| full(name, "weight");
                let several = |names: &[&str], end: &str| {
                    let names: Vec<String> = names.iter().map(|name| full(name, end)).collect();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    fused(&names)
                };
                let qkv = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"];
                let (qkv, up): (&[&str], &[&str]) = if family == "phi3" {
                    (&["self_attn.qkv_proj"], &["mlp.gate_up_proj"])
                } else {
                    (&qkv, &["mlp.gate_proj", "mlp.up_proj"])
                };
                parts.push((format!("{at} Qkv"), several(qkv, "weight")));
                if family == "qwen2" {
                    parts.push((format!("{at} QkvBias"), several(qkv, "bias")));
                }
                parts.push((format!("{at} Out"), of(&weight("self_attn.o_proj"))));
                parts.push((format!("{at} Up"), several(up, "weight")));
                parts.push((format!("{at} Down"), of(&weight("mlp.down_proj"))));
                if ["qwen3", "olmo2"].contains(&family) {
                    parts.push((format!("{at} QueryNorm"), of(&weight("self_attn.q_norm"))));
                    parts.push((format!("{at} KeyNorm"), of(&weight("self_attn.k_norm"))));
                }
                parts.push((format!("{at} AttentionNorm"), gain(&weight(norms[0]))));
                parts.push((format!("{at} MlpNorm"), gain(&weight(norms[1]))));
            }
        }
    }
    parts.into_iter().collect()
}

#[test]
fn every_part_of_every_family_is_what_its_file_holds() {
    for name in FOLDERS {
        let tensors = stored(name);
        let weights = opened(name, &tensors).unwrap_or_else(|error| panic!("{name}: {error}"));
        let read = read(&weights);
        let expected = expected(name, &tensors, weights.blocks.len());
        let keys = |parts: &BTreeMap<String, Plain>| parts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&read), keys(&expected), "{name}");
        for (part, rows) in &expected {
            assert!(read[part] == *rows, "{name}: {part}");
        }
        let numbers = expected.values().flatten().map(|row| row.len() as u64);
        assert_eq!(weights.parameters(), numbers.sum::<u64>(), "{name}");
    }
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

#[test]
fn every_matrix_keeps_its_own_type_and_a_mixed_one_is_f32() {
    let mut tensors = stored("random-llama3");
    let names: Vec<String> = tensors.keys().cloned().collect();
    for name in &names {
        convert(&mut tensors, name, Dtype::BF16);
    }
    convert(
        &mut tensors,
        "model.layers.1.self_attn.k_proj.weight",
        Dtype::F16,
    );
    convert(
        &mut tensors,
        "model.layers.2.mlp.down_proj.weight",
        Dtype::F32,
    );
    let weights = opened("random-llama3", &tensors).expect("a model");
    let expected = expected("random-llama3", &tensors, 6);
    assert!(read(&weights) == expected);
    for (at, block) in weights.blocks.iter().enumerate() {
        for (role, matrix) in MatrixRole::ALL.iter().zip(&block.matrices) {
            let dtype = match (at, role) {
                (1, MatrixRole::Qkv) | (2, MatrixRole::Down) => DType::F32,
                _ => DType::Bf16,
            };
            assert!(matrix.dtypes().eq([dtype]), "{at} {role:?}");
        }
    }
    assert_eq!(weights.embedding.dtype_of(0), DType::Bf16);
}

#[test]
fn memory_is_counted_per_matrix_in_64_bits() {
    // Among its float16 numbers lie rotary tables and masks in f32, which nothing reads.
    let weights = opened("random-pythia", &stored("random-pythia")).expect("a model");
    let bytes = weights.bytes();
    let matrices: u64 = 5 * (144 * 48 + 48 * 48 + 2 * 96 * 48);
    let vectors: u64 = 5 * (4 * 48 + 144 + 48 + 96 + 48) + 2 * 48;
    assert_eq!(bytes.matrices, 2 * matrices);
    assert_eq!(bytes.vectors, 4 * vectors);
    assert_eq!((bytes.embedding, bytes.head), (2 * 320 * 48, 2 * 320 * 48));
    assert_eq!(bytes.total(), 2 * matrices + 4 * vectors + 4 * 320 * 48);
    assert_eq!(weights.parameters(), matrices + vectors + 2 * 320 * 48);
}

#[test]
fn rows_are_the_same_in_any_slice_and_borrowed_where_they_lie_together() {
    for name in FOLDERS {
        let weights = opened(name, &stored(name)).expect("a model");
        let block = &weights.blocks[1];
        let ends = [Some(&weights.embedding), weights.positions.as_ref()];
        for matrix in block.matrices.iter().chain(ends.into_iter().flatten()) {
            let whole = weights.rows(matrix, 0..matrix.rows).expect("rows");
            let a_row = whole.bytes.len() / matrix.rows;
            for (start, end) in [
                (0, 1),
                (3, 11),
                (7, matrix.rows),
                (matrix.rows - 1, matrix.rows),
            ] {
                let slice = weights.rows(matrix, start..end).expect("rows");
                assert!(
                    *slice.bytes == whole.bytes[start * a_row..end * a_row],
                    "{name}"
                );
            }
            let ids = [2, 0, matrix.rows as u32 - 1, 2];
            let gathered = weights.gather(matrix, &ids).expect("rows");
            let numbers = whole.to_f32();
            let expected = ids.iter().flat_map(|&id| {
                let row = id as usize * matrix.columns;
                &numbers[row..row + matrix.columns]
            });
            assert!(gathered.iter().eq(expected), "{name}");
            let error = weights.gather(matrix, &[matrix.rows as u32]);
            assert!(matches!(error, Err(ModelError::TokenId { .. })));
        }
        let is_borrowed = |matrix: &Matrix, rows: Range<usize>| {
            let rows = weights.rows(matrix, rows).expect("rows");
            matches!(rows.bytes, Cow::Borrowed(_))
        };
        assert!(is_borrowed(&weights.embedding, 0..weights.embedding.rows));
        let [qkv, out, _, down] = &block.matrices;
        if !name.contains("gpt2") {
            assert!(
                is_borrowed(out, 0..out.rows) && is_borrowed(down, 0..7),
                "{name}"
            );
            assert!(is_borrowed(qkv, 0..8), "{name}: within the first head");
        }
        // Falcon's rows lie as they are wanted although its layout need not.
        if ["random-phi3", "random-falcon"].contains(&name) {
            assert!(is_borrowed(qkv, 0..qkv.rows), "{name}");
        }
    }
}

#[test]
fn a_number_that_is_none_is_found_in_every_layout() {
    for (name, tensor, at, dtype) in [
        (
            "random-llama2",
            "model.layers.1.mlp.up_proj.weight",
            10,
            Dtype::F32,
        ),
        (
            "random-llama2",
            "model.embed_tokens.weight",
            512 * 48 - 1,
            Dtype::F32,
        ),
        ("random-llama2", "model.norm.weight", 3, Dtype::F32),
        (
            "random-gpt2",
            "h.2.attn.c_attn.weight",
            17 * 96 + 40,
            Dtype::F32,
        ),
        ("random-gpt2", "h.3.mlp.c_proj.bias", 31, Dtype::F32),
        (
            "random-pythia",
            "gpt_neox.layers.0.attention.query_key_value.weight",
            100 * 48 + 7,
            Dtype::F16,
        ),
        (
            "random-pythia",
            "gpt_neox.layers.4.attention.query_key_value.bias",
            143,
            Dtype::F16,
        ),
        (
            "random-falcon",
            "transformer.h.4.self_attention.query_key_value.weight",
            55 * 40,
            Dtype::F32,
        ),
        (
            "random-llama3",
            "model.layers.5.self_attn.v_proj.weight",
            47,
            Dtype::BF16,
        ),
    ] {
        let mut tensors = stored(name);
        convert(&mut tensors, tensor, dtype);
        let (_, _, data) = tensors.get_mut(tensor).expect(tensor);
        match dtype {
            Dtype::F32 => data[at * 4..][..4].copy_from_slice(&f32::NAN.to_le_bytes()),
            Dtype::F16 => data[at * 2..][..2].copy_from_slice(&f16::NAN.to_le_bytes()),
            _ => data[at * 2..][..2].copy_from_slice(&bf16::NAN.to_le_bytes()),
        }
        let weights = opened(name, &tensors).expect("nothing is read yet");
        let ends = [&weights.embedding];
        let matrices = weights.block_matrices().chain(ends);
        let matrices = matrices.map(|matrix| weights.rows(matrix, 1..matrix.rows).err());
        let vectors = weights.vectors().map(|vector| weights.vector(vector).err());
        let errors: Vec<ModelError> = matrices.chain(vectors).flatten().collect();
        let [error] = &errors[..] else {
            panic!("{name}: {errors:?}");
        };
        let sentence = format!("tensor {tensor} in model.safetensors holds NaN at element {at};");
        assert!(error.to_string().starts_with(&sentence), "{error}");
    }
}

#[test]
fn no_weight_is_left_out_in_silence() {
    let with = |name: &str, tensor: &str, shape: &[usize]| {
        let mut tensors = stored(name);
        let data = vec![0; shape.iter().product::<usize>() * 4];
        tensors.insert(tensor.into(), (Dtype::F32, shape.to_vec(), data));
        tensors
    };
    for (name, tensor, shape, family, hint) in [
        (
            "random-llama2",
            "model.layers.0.self_attn.q_proj.bias",
            &[48][..],
            "Llama",
            "no bias there",
        ),
        (
            "random-qwen2",
            "model.layers.0.self_attn.o_proj.bias",
            &[48],
            "Qwen2",
            "no bias there",
        ),
        (
            "random-falcon",
            "transformer.h.0.mlp.dense_h_to_4h.bias",
            &[160],
            "Falcon",
            "no bias there",
        ),
        (
            "random-llama2",
            "lm_head.bias",
            &[512],
            "Llama",
            "no bias there",
        ),
        (
            "random-llama2",
            "model.layers.6.input_layernorm.weight",
            &[48],
            "Llama",
            "num_hidden_layers is 6",
        ),
        (
            "random-gpt2",
            "h.4.ln_1.weight",
            &[32],
            "GPT-2",
            "n_layer is 4",
        ),
        (
            "random-gpt2",
            "score.weight",
            &[2, 32],
            "GPT-2",
            "does not run",
        ),
        (
            "random-llama2",
            "model.layers.0.self_attn.q_norm.weight",
            &[8],
            "Llama",
            "another model",
        ),
        (
            "random-gemma",
            "model.layers.0.pre_feedforward_layernorm.weight",
            &[32],
            "Gemma",
            "another model",
        ),
        // A mask of GPT-2's is a weight's name elsewhere.
        (
            "random-llama2",
            "model.layers.0.attn.bias",
            &[48],
            "Llama",
            "no bias there",
        ),
    ] {
        let sentence = refused(name, &with(name, tensor, shape));
        let begins =
            format!("tensor {tensor} in model.safetensors has no place in this {family} model");
        assert!(
            sentence.starts_with(&begins) && sentence.contains(hint),
            "{sentence}"
        );
    }
    for (name, tensor) in [
        (
            "random-llama2",
            "model.layers.0.self_attn.rotary_emb.inv_freq",
        ),
        ("random-llama2", "model.rotary_emb.inv_freq"),
        ("random-gemma", "lm_head.weight"),
        ("random-falcon", "lm_head.weight"),
        ("random-gpt2", "lm_head.weight"),
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

#[test]
fn tied_rows_are_found_under_either_name() {
    let mut tensors = stored("random-llama3");
    let rows = tensors.remove("model.embed_tokens.weight").expect("rows");
    tensors.insert("lm_head.weight".into(), rows.clone());
    let weights = opened("random-llama3", &tensors).expect("a model");
    assert!(weights.head.is_none());
    assert_eq!(weights.head().rows, 512);
    // A base model's names lack the prefix.
    let bare = stored("random-llama3").into_iter();
    let bare = bare.map(|(name, tensor)| (name.trim_start_matches("model.").to_string(), tensor));
    let bare = opened("random-llama3", &bare.collect()).expect("a model");
    assert!(read(&bare) == read(&weights));
}

/// A file of any size that exists only where it is looked at: a beginning, then zeros.
struct Imagined {
    beginning: Vec<u8>,
    asked: RefCell<Vec<Range<u64>>>,
}

impl Source for Imagined {
    fn read(&self, _: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
        self.asked.borrow_mut().push(range.clone());
        let bytes = range.map(|at| {
            let at = usize::try_from(at).ok();
            at.and_then(|at| self.beginning.get(at))
                .copied()
                .unwrap_or(0)
        });
        Ok(Cow::Owned(bytes.collect()))
    }
}

fn imagined(
    config: Vec<u8>,
    beginning: Vec<u8>,
    size: u64,
) -> (Result<Weights, ModelError>, Rc<Imagined>) {
    let asked = RefCell::default();
    let source = Rc::new(Imagined { beginning, asked });
    let files = files(config, vec![("model.safetensors", Vec::new())]);
    let weights = Weights::from_source(&files, &[size], Rc::clone(&source) as Rc<dyn Source>);
    (weights, source)
}

fn header(json: &str) -> Vec<u8> {
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes
}

/// Tensors past 4 GiB, one of them larger than that: their places are 64-bit numbers all the way.
#[test]
fn places_past_four_gibibytes_are_read_where_they_are() {
    let (rows, width) = (1u64 << 22, 1u64 << 10);
    let config = serde_json::json!({
        "model_type": "llama", "vocab_size": rows, "hidden_size": width, "intermediate_size": 64,
        "num_hidden_layers": 1, "num_attention_heads": 16, "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": true,
    });
    let mut described = serde_json::Map::new();
    let mut end = 0;
    let mut add = |name: &str, shape: &[u64]| {
        let bytes = 2 * shape.iter().product::<u64>();
        let info = serde_json::json!({ "dtype": "BF16", "shape": shape, "data_offsets": [end, end + bytes] });
        described.insert(name.into(), info);
        end += bytes;
    };
    add("model.embed_tokens.weight", &[rows, width]);
    for name in ["input_layernorm", "post_attention_layernorm"] {
        add(&format!("model.layers.0.{name}.weight"), &[width]);
    }
    for name in ["q_proj", "k_proj", "v_proj", "o_proj"] {
        add(
            &format!("model.layers.0.self_attn.{name}.weight"),
            &[width, width],
        );
    }
    for (name, shape) in [
        ("gate_proj", [64, width]),
        ("up_proj", [64, width]),
        ("down_proj", [width, 64]),
    ] {
        add(&format!("model.layers.0.mlp.{name}.weight"), &shape);
    }
    add("model.norm.weight", &[width]);
    let beginning = header(&serde_json::Value::Object(described).to_string());
    let start = beginning.len() as u64;
    let (weights, source) = imagined(config.to_string().into_bytes(), beginning, start + end);
    let weights = weights.expect("a model");
    assert!(
        source.asked.borrow().iter().all(|range| range.end <= start),
        "headers only"
    );
    assert!(weights.bytes().embedding == 8 << 30 && weights.parameters() > 1 << 32);
    source.asked.borrow_mut().clear();
    let last = weights
        .gather(&weights.embedding, &[rows as u32 - 1])
        .expect("a row");
    assert_eq!(last, vec![0.0; width as usize]);
    weights.vector(&weights.final_norm).expect("a vector");
    let row = start + (8 << 30) - 2 * width..start + (8 << 30);
    let norm = start + end - 2 * width..start + end;
    assert_eq!(*source.asked.borrow(), [row, norm]);
}

/// What is no safetensors file is called what it is, and little of it is read.
#[test]
fn other_files_are_named_and_not_read() {
    let config = || config("random-llama2");
    for (beginning, piece) in [
        (
            &b"PK\x03\x04\x00\x00\x08\x08\x00\x00"[..],
            "but a PyTorch checkpoint or another zip archive; renaming",
        ),
        (
            b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j",
            "but a PyTorch checkpoint of the old kind (a pickle);",
        ),
        (
            b"version https://git-lfs",
            "but a Git LFS pointer, a few lines that stand for the weights; fetch",
        ),
        (
            b"GGUF\x03\x00\x00\x00\x10\x00",
            "but a GGUF file; give it back",
        ),
        (
            b"<!DOCTYPE html><html>",
            "but a web page; download it again",
        ),
        (
            b"{\"error\":\"Not Found\"}",
            "but a JSON text; download it again",
        ),
    ] {
        for size in [beginning.len() as u64, 10 << 30] {
            let (opened, source) = imagined(config(), beginning.to_vec(), size);
            let sentence = opened.err().expect("a refusal").to_string();
            let begins = format!("model.safetensors is not a safetensors file {piece}");
            assert!(sentence.starts_with(&begins), "{sentence}");
            assert!(source.asked.borrow().iter().all(|range| range.end <= 64));
        }
    }
    for (length, size, piece) in [
        (
            u64::MAX,
            1000,
            "says its header has 18446744073709551615 bytes, but the whole file has 1000",
        ),
        (
            993,
            1000,
            "says its header has 993 bytes, but the whole file has 1000",
        ),
        (
            100_000_001,
            10 << 30,
            "says its header has 100000001 bytes, but a safetensors header has at most 100000000",
        ),
    ] {
        let (opened, source) = imagined(config(), length.to_le_bytes().to_vec(), size);
        let sentence = opened.err().expect("a refusal").to_string();
        assert!(sentence.contains(piece), "{sentence}");
        assert!(source.asked.borrow().iter().all(|range| range.end <= 64));
    }
    for size in [0, 7] {
        let sentence = imagined(config(), Vec::new(), size)
            .0
            .err()
            .expect("a refusal");
        assert!(
            sentence
                .to_string()
                .contains(&format!("it has only {size} bytes")),
            "{sentence}"
        );
    }
}

#[test]
fn headers_whose_tensors_do_not_lie_end_to_end_are_refused() {
    let a = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    for (rest, size, piece) in [
        (
            r#","b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#,
            8,
            "tensor b does not lie where",
        ),
        (
            r#","b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}"#,
            16,
            "tensor b does not lie where",
        ),
        (
            r#","b":{"dtype":"F32","shape":[2],"data_offsets":[8,12]}}"#,
            12,
            "tensor b does not lie where",
        ),
        (
            r#","b":{"dtype":"F32","shape":[1],"data_offsets":[12,8]}}"#,
            12,
            "tensor b does not lie where",
        ),
        (
            r#","b":{"dtype":"F32","shape":[9223372036854775807,3],"data_offsets":[8,12]}}"#,
            12,
            "tensor b does not lie where",
        ),
        (
            r#","b":{"dtype":"F4","shape":[3],"data_offsets":[8,9]}}"#,
            9,
            "tensor b does not lie where",
        ),
        (
            r#","b":{"dtype":"F32","shape":[1099511627776],"data_offsets":[8,4398046511112]}}"#,
            12,
            "ends too early: its header describes",
        ),
        (
            r#","b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}"#,
            10,
            "ends too early: its header describes",
        ),
        (
            r#","b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}"#,
            20,
            "8 bytes after its last tensor",
        ),
        (
            r#","b":{"dtype":"F33","shape":[1],"data_offsets":[8,12]}}"#,
            12,
            "unknown type \"F33\"",
        ),
        (
            r#","a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#,
            8,
            "tensor \"a\" is there twice",
        ),
        (
            r#","b":{"dtype":"F32","shape":[-1],"data_offsets":[8,12]}}"#,
            12,
            "invalid value",
        ),
        (
            r#","b":{"dtype":"F32","data_offsets":[8,12]}}"#,
            12,
            "missing field `shape`",
        ),
        ("", 8, "EOF"),
    ] {
        let beginning = header(&format!("{a}{rest}"));
        let size = beginning.len() as u64 + size;
        let (opened, _) = imagined(config("random-llama2"), beginning, size);
        let sentence = opened.err().expect("a refusal").to_string();
        assert!(
            sentence.contains(piece) && !sentence.contains('\n'),
            "{rest}: {sentence}"
        );
        assert!(sentence.starts_with("model.safetensors "), "{sentence}");
    }
}

#[test]
fn shards_are_read_beside_their_index_only() {
    let tensors = stored("random-llama2");
    let (mut shards, mut map) = ([Stored::new(), Stored::new()], serde_json::Map::new());
    for (at, (name, tensor)) in tensors.iter().enumerate() {
        let shard = format!("model-0000{}-of-00002.safetensors", at % 2 + 1);
        map.insert(name.clone(), shard.into());
        shards[at % 2].insert(name.clone(), tensor.clone());
    }
    let sharded = |shards: &[Stored; 2], map: &serde_json::Map<String, serde_json::Value>| {
        let index = serde_json::json!({ "metadata": {}, "weight_map": map });
        let files = files(
            config("random-llama2"),
            vec![
                (
                    "model.safetensors.index.json",
                    index.to_string().into_bytes(),
                ),
                // Of a copy in another type; no one asks for it.
                ("model.fp16.safetensors.index.json", b"{".to_vec()),
                ("model-00001-of-00002.safetensors", written(&shards[0])),
                ("model-00002-of-00002.safetensors", written(&shards[1])),
                ("consolidated.safetensors", b"a copy".to_vec()),
            ],
        );
        Weights::open(&files)
    };
    let weights = sharded(&shards, &map).expect("a model");
    assert!(read(&weights) == expected("random-llama2", &tensors, 6));
    for outside in [
        "../x.safetensors",
        "/x.safetensors",
        "sub/x.safetensors",
        "..\\x.safetensors",
    ] {
        let mut map = map.clone();
        map.insert("model.norm.weight".into(), outside.into());
        let sentence = sharded(&shards, &map).err().expect("a refusal").to_string();
        let begins = "model.safetensors.index.json says tensor model.norm.weight is in ";
        assert!(sentence.starts_with(begins), "{sentence}");
        assert!(
            sentence.contains("which is no file beside it"),
            "{sentence}"
        );
    }
    let mut moved = map.clone();
    let shard = moved["model.norm.weight"].as_str().expect("a name");
    let other = if shard.contains("00001-") {
        shard.replace("00001-", "00002-")
    } else {
        shard.replace("00002-", "00001-")
    };
    moved.insert("model.norm.weight".into(), other.into());
    let sentence = sharded(&shards, &moved)
        .err()
        .expect("a refusal")
        .to_string();
    assert!(sentence.contains("which does not hold it"), "{sentence}");
    for shard in &mut shards {
        shard.insert(
            "model.norm.weight".into(),
            tensors["model.norm.weight"].clone(),
        );
    }
    let sentence = sharded(&shards, &map).err().expect("a refusal").to_string();
    assert!(
        sentence.starts_with("tensor model.norm.weight is both in model-00001"),
        "{sentence}"
    );
}
