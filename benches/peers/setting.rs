//! What the benches against peers share: folders, a Python environment, a model folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use atelier::model::{ModelConfig, Weights};
use safetensors::tensor::{Dtype, TensorView};

use crate::common::{config, random_weights};

/// MobileLLM-125M's shape with so many blocks, as a Llama `config.json`.
pub fn mobile(blocks: usize) -> String {
    config(32000, 576, 1536, blocks, 9, 3).replace("512", "2048")
}

/// The folder of this file.
pub fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// A folder of the target folder, which cargo cleans and git ignores.
pub fn scratch(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("this program");
    let target = program.ancestors().nth(3); // target/release/deps/program
    let folder = target.expect("the target folder").join("peers").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub fn run(command: &mut Command) {
    let status = command.status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?} failed");
}

/// Python with what `requirements.txt` names.
pub fn python() -> PathBuf {
    let folder = scratch("venv");
    let python = folder.join("bin/python");
    let wanted = here().join("requirements.txt");
    let done = folder.join("requirements.txt");
    let text = std::fs::read_to_string(&wanted).expect("requirements.txt");
    if std::fs::read_to_string(&done).is_ok_and(|have| have == text) {
        return python;
    }
    println!("setting up Python in {}", folder.display());
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    let mut pip = Command::new(&python);
    run(pip
        .args(["-m", "pip", "install", "--quiet", "-r"])
        .arg(&wanted));
    std::fs::write(done, text).expect("a note of what is installed");
    python
}

/// Random weights as a Hugging Face folder, f32.
pub fn write_model(folder: &Path, config_json: &str) -> (ModelConfig, Weights) {
    let config = ModelConfig::from_json(config_json).expect("a config");
    std::fs::write(folder.join("config.json"), config_json).expect("config.json");
    let weights = random_weights(&config);
    let (v, d, f) = (config.vocabulary, config.width, config.mlp_width);
    let kv = config.kv_heads * config.head_width;
    let bytes = |x: &[f32]| -> Vec<u8> { x.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = vec![
        (
            "model.embed_tokens.weight".into(),
            vec![v, d],
            bytes(&weights.embedding),
        ),
        (
            "model.norm.weight".into(),
            vec![d],
            bytes(&weights.final_norm),
        ),
    ];
    for (i, block) in weights.blocks.iter().enumerate() {
        let (q, rest) = block.qkv.split_at(d * d);
        let (k, values) = rest.split_at(kv * d);
        let (gate, up) = block.gate_up.split_at(f * d);
        let mut add = |part: &str, data: &[f32], shape: &[usize]| {
            let name = format!("model.layers.{i}.{part}.weight");
            tensors.push((name, shape.to_vec(), bytes(data)));
        };
        add("input_layernorm", &block.attention_norm, &[d]);
        add("self_attn.q_proj", q, &[d, d]);
        add("self_attn.k_proj", k, &[kv, d]);
        add("self_attn.v_proj", values, &[kv, d]);
        add("self_attn.o_proj", &block.o, &[d, d]);
        add("post_attention_layernorm", &block.mlp_norm, &[d]);
        add("mlp.gate_proj", gate, &[f, d]);
        add("mlp.up_proj", up, &[f, d]);
        add("mlp.down_proj", &block.down, &[d, f]);
    }
    let views = tensors.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).expect("a tensor");
        (name.as_str(), view)
    });
    // transformers wants to know where a file comes from.
    let metadata = [("format".to_string(), "pt".to_string())].into();
    let path = folder.join("model.safetensors");
    safetensors::serialize_to_file(views, Some(metadata), &path).expect("model.safetensors");
    (config, weights)
}

/// The middle one.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
