//! The page's engines against onnxruntime-web, in headless Chromium, on one thread each, or, with the
//! argument `gpu`, on Chromium's software adapter for WebGPU: 6 blocks
//! of MobileLLM-125M's shape with random weights, 8 prompts of 64 tokens, one pass.
//!
//! `cargo xtask peers` builds what it needs and starts it. Ours records every member; theirs runs a
//! graph of the fused operators its own model builder writes (`onnx_model.py`). Rounds alternate.

#[path = "../common/mod.rs"]
mod common;
mod page;

use std::path::PathBuf;

use common::medians;
use common::random::{RandomModel, Stored};
use common::setting::{here, mobile, python, run, scratch, script, variable};
use serde_json::{Value, json};

const PROMPTS: usize = 8;
const TOKENS: usize = 64;
const ROUNDS: usize = 9;

fn main() {
    let model = scratch("browser-model");
    let random = RandomModel::new(&mobile(6));
    random.write(&model, Stored::F32);
    let config: Value = serde_json::from_str(&random.config).expect("a config");
    let number = |field: &str| config[field].as_u64().expect("a number of the config") as usize;
    let width = number("hidden_size");
    run(script(&python(), "onnx_model.py").arg(&model));
    let prompts = common::prompts(number("vocab_size"), PROMPTS, TOKENS);
    let ids: Vec<u32> = prompts.iter().flat_map(|p| p.token_ids.clone()).collect();
    let options = prompts[0].option_ids.clone();
    let case = json!({ "ids": ids, "prompts": PROMPTS, "tokens": TOKENS, "options": options });
    let write = |name: &str, value: Value| {
        std::fs::write(model.join(name), value.to_string()).expect("a file of the case");
    };
    write("case.json", case);
    let (heads, kv_heads) = (number("num_attention_heads"), number("num_key_value_heads"));
    write("heads.json", json!([kv_heads, width / heads]));

    let folders = vec![
        ("/model/", model),
        ("/pkg/", PathBuf::from(variable("ATELIER_PEER"))),
        ("/ort/", here().join("node_modules/onnxruntime-web/dist")),
        ("/", here().join("browser")),
    ];
    let gpu = std::env::args().any(|argument| argument == "gpu");
    let browser = page::open(folders, gpu, if gpu { "#webgpu" } else { "" });
    let round = |side: &str| -> (f64, Vec<f64>) {
        let answer = page::answer(&browser, &format!("window.round('{side}')"));
        let seconds = answer["seconds"].as_f64();
        let seconds = seconds.unwrap_or_else(|| panic!("{side}: {answer}"));
        let numbers = serde_json::from_value(answer["numbers"].clone());
        (seconds, numbers.expect("numbers"))
    };

    // The comparison means nothing unless both compute the same thing: the first prompt's logits.
    let (ours, theirs) = (round("atelier").1, round("theirs").1);
    let embedding = random.numbers("model.embed_tokens.weight");
    for (&id, ours) in options.iter().zip(ours) {
        let row = &embedding[id as usize * width..][..width];
        let products = row.iter().zip(&theirs).map(|(w, x)| f64::from(*w) * x);
        let theirs = products.sum::<f64>();
        let agrees = (ours - theirs).abs() < 2e-3 * (1.0 + theirs.abs());
        assert!(agrees || gpu, "{ours}, {theirs}");
        if !agrees {
            // Seen on a software adapter, where ours is what both sides' CPU engines say.
            println!("onnxruntime-web's WebGPU computes something else: {theirs}, ours {ours}");
        }
    }
    let rounds = if gpu { 1 } else { ROUNDS };
    let [ours, theirs] = medians((0..rounds).map(|_| (round("atelier").0, round("theirs").0)));
    let versions = browser.run("return [versions.atelier, versions.theirs]");
    println!("{} against {}", versions[0], versions[1]);
    println!("medians of {rounds} alternating rounds   atelier   onnxruntime   ratio (want < 1)");
    println!(
        "6 blocks, {PROMPTS} x {TOKENS} tokens      {ours:>8.3} s {theirs:>10.3} s {:>8.2}",
        ours / theirs
    );
}
