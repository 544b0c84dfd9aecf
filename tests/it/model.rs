//! Checkpoints in every spelling that the wild holds: sharded, half precision, tied by any name.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::common::{in_project, model_folder, skipped};
use crate::snapshot::check_answers;
use atelier::model::shape::RopeScaling;
use atelier::model::{FileBytes, ModelFiles, ModelShape, Prompt};
use atelier::study::LoadedModel;
use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Value, json};

/// Name -> (dtype, shape, bytes).
type Tensors = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

struct Folder {
    config: Value,
    tensors: Tensors,
}

fn folder(name: &str) -> Folder {
    let path = model_folder(name).expect("random models travel with the project");
    let config = std::fs::read_to_string(path.join("config.json")).expect("config.json");
    let weights = std::fs::read(path.join("model.safetensors")).expect("weights");
    let tensors = SafeTensors::deserialize(&weights).expect("safetensors");
    let tensors = tensors.iter().map(|(name, view)| {
        let stored = (view.dtype(), view.shape().to_vec(), view.data().to_vec());
        (name.to_string(), stored)
    });
    Folder { config: serde_json::from_str(&config).expect("JSON"), tensors: tensors.collect() }
}

fn bytes(tensors: &Tensors) -> Vec<u8> {
    let views = tensors.iter().map(|(name, (dtype, shape, data))| {
        let view = TensorView::new(*dtype, shape.clone(), data).expect("a view");
        (name.clone(), view)
    });
    safetensors::serialize(views, None).expect("safetensors")
}

fn files(config: &Value, weights: Vec<(&str, Vec<u8>)>) -> ModelFiles {
    let mut files =
        vec![("config.json".to_string(), FileBytes::Owned(config.to_string().into_bytes()))];
    for (name, bytes) in weights {
        files.push((name.to_string(), FileBytes::Owned(bytes)));
    }
    ModelFiles::from_named("test", files).expect("a folder")
}

fn try_logits(files: &ModelFiles) -> Result<Vec<f32>, String> {
    let model = LoadedModel::from_files(files, &mut |_, _| ()).map_err(|e| e.to_string())?;
    let prompt = [Prompt { token_ids: vec![1, 50, 90, 7], option_ids: vec![17, 230, 3] }];
    let plan = [model.plan(None).expect("its own order")];
    let traces = model.engine.run(&prompt, &plan, &mut |_, _| ControlFlow::Continue(()));
    Ok(traces.expect("a run")[0][0].logits.clone())
}

fn logits(files: &ModelFiles) -> Vec<f32> {
    try_logits(files).expect("a model that loads")
}

#[test]
fn shards_with_an_index_are_one_checkpoint() {
    let Folder { config, tensors } = folder("random-llama2");
    let whole = logits(&files(&config, vec![("model.safetensors", bytes(&tensors))]));
    let (mut shards, mut map) = ([Tensors::new(), Tensors::new()], BTreeMap::new());
    for (i, (name, tensor)) in tensors.into_iter().enumerate() {
        map.insert(name.clone(), format!("model-0000{}-of-00002.safetensors", i % 2 + 1));
        shards[i % 2].insert(name, tensor);
    }
    let index = json!({ "metadata": {}, "weight_map": map }).to_string().into_bytes();
    let parts = |count: usize| {
        let mut parts = vec![("model.safetensors.index.json", index.clone())];
        let names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
        parts.extend(
            names.into_iter().zip(&shards).take(count).map(|(name, shard)| (name, bytes(shard))),
        );
        files(&config, parts)
    };
    assert_eq!(logits(&parts(2)), whole);
    let error = try_logits(&parts(1)).expect_err("a shard is missing");
    assert!(error.contains("model-00002-of-00002.safetensors, which is not there"), "{error}");
}

#[test]
fn a_second_copy_of_the_weights_is_left_alone_and_a_choice_is_not_guessed() {
    let Folder { config, tensors } = folder("random-llama2");
    let alone = logits(&files(&config, vec![("model.safetensors", bytes(&tensors))]));
    let other = b"not even safetensors".to_vec();
    let with = |name, weights| {
        files(&config, vec![(name, weights), ("model.safetensors", bytes(&tensors))])
    };
    assert_eq!(logits(&with("consolidated.safetensors", other)), alone);

    let named = ["a.safetensors", "b.safetensors"]
        .map(|name| (name.to_string(), FileBytes::Owned(Vec::new())));
    let config = ("config.json".to_string(), FileBytes::Owned(config.to_string().into_bytes()));
    let error = ModelFiles::from_named("two", named.into_iter().chain([config]).collect());
    let error = error.err().expect("two files and no index").to_string();
    assert!(
        error.starts_with("two holds several safetensors files (a.safetensors, b.safetensors)"),
        "{error}"
    );
}

#[test]
fn half_precision_is_read_as_the_numbers_it_holds() {
    let Folder { config, tensors } = folder("random-llama3");
    let convert = |to: Dtype, round: fn(f32) -> ([u8; 2], f32)| {
        let (mut stored, mut rounded) = (Tensors::new(), Tensors::new());
        for (name, (_, shape, data)) in &tensors {
            let values = data.as_chunks::<4>().0.iter().map(|b| round(f32::from_le_bytes(*b)));
            let (small, wide): (Vec<_>, Vec<_>) = values.unzip();
            let wide = wide.iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
            stored.insert(name.clone(), (to, shape.clone(), small.concat()));
            rounded.insert(name.clone(), (Dtype::F32, shape.clone(), wide));
        }
        let of = |tensors| logits(&files(&config, vec![("model.safetensors", bytes(tensors))]));
        assert_eq!(of(&stored), of(&rounded), "{to:?}");
    };
    convert(Dtype::F16, |x| (f16::from_f32(x).to_le_bytes(), f16::from_f32(x).to_f32()));
    convert(Dtype::BF16, |x| (bf16::from_f32(x).to_le_bytes(), bf16::from_f32(x).to_f32()));
}

/// A tensor that is added or replaced, by its type and shape, or taken away: `-`.
#[test]
fn no_weight_is_left_out_in_silence_and_none_that_is_promised_is_missing() {
    check_answers("refusals/weights.txt", |line| {
        let [model, tensor, stored @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("no tensor: {line}")
        };
        let Folder { config, mut tensors } = folder(model);
        match stored {
            [dtype, shape] => {
                let dtype: Dtype = serde_json::from_value(json!(dtype)).expect("a type");
                let shape: Vec<usize> = serde_json::from_str(shape).expect("a shape");
                let bytes = if dtype == Dtype::F32 { 4 } else { 1 };
                let zeros = vec![0; bytes * shape.iter().product::<usize>()];
                tensors.insert((*tensor).to_owned(), (dtype, shape, zeros));
            }
            _ => drop(tensors.remove(*tensor).expect("a tensor")),
        }
        let files = files(&config, vec![("model.safetensors", bytes(&tensors))]);
        Some(try_logits(&files).expect_err(line))
    });
}

#[test]
fn tied_output_rows_are_found_under_every_name() {
    let Folder { mut config, mut tensors } = folder("random-llama3");
    let of = |config: &Value, tensors: &Tensors| {
        try_logits(&files(config, vec![("model.safetensors", bytes(tensors))]))
    };
    let expected = of(&config, &tensors).expect("tied, no lm_head");

    config["tie_word_embeddings"] = json!(false);
    let error = of(&config, &tensors).expect_err("untied needs lm_head");
    assert!(error.contains("lm_head.weight is missing"), "{error}");
    config["share_embedding"] = json!(true); // MobileLLM's way
    assert_eq!(of(&config, &tensors).expect("shared"), expected);

    config["tie_word_embeddings"] = json!(true);
    let rows = tensors.remove("model.embed_tokens.weight").expect("an embedding");
    tensors.insert("lm_head.weight".into(), rows); // tinystories-656k's way
    assert_eq!(of(&config, &tensors).expect("only lm_head"), expected);
}

#[test]
fn a_shared_layer_runs_twice_in_a_row() {
    let Folder { config, .. } = folder("random-mobilellm-layer-share");
    let config = ModelShape::from_json(&config.to_string()).expect("a config");
    assert_eq!(config.order, [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(config.family, "MobileLLM");
    assert!(config.head.tied);
}

/// The configs of the papers' models, where they are at hand.
#[test]
fn the_papers_models_have_configs_that_are_understood() {
    let folder = in_project("../shared/configs");
    let read = |name: &str| std::fs::read_to_string(folder.join(format!("{name}.config.json")));
    if read("gpt2").is_err() {
        skipped("the papers' configs are not here (../shared/configs)");
        return;
    }
    let config = |name| ModelShape::from_json(&read(name).expect("a file")).expect(name);
    let llama = config("Llama-3.2-1B");
    let rope = |shape: &ModelShape| shape.rope().expect("rotary positions").clone();
    assert!(
        llama.head.tied
            && matches!(rope(&llama).scaling, Some(RopeScaling::Llama3 { factor: 32.0, .. }))
    );
    let window = |name| config(name).blocks[0].attention.window;
    assert_eq!(window("Mistral-7B-v0.1"), Some(4096));
    assert_eq!(window("Mistral-7B-v0.3"), None);
    assert_eq!(rope(&config("Llama-2-7b-hf")).theta, 10_000.0);
    assert_eq!(config("MobileLLM-125M-layer-share").order.len(), 60);
    assert_eq!(config("phi-4").context, 16384);
    assert!(matches!(
        rope(&config("Phi-3.5-mini-instruct")).scaling,
        Some(RopeScaling::LongRope { ref long, original_context: 4096, .. }) if long.len() == 48
    ));
    let gpt2 = config("gpt2");
    assert_eq!((gpt2.family, gpt2.blocks.len(), gpt2.width), ("GPT-2", 12, 768));
    assert!(gpt2.input.learned_positions && gpt2.rope().is_none());
}
