//! The page's engines against onnxruntime-web, in headless Chromium, on one thread each, or, with the
//! argument `gpu`, on Chromium's software adapter for WebGPU: 6 blocks
//! of MobileLLM-125M's shape with random weights, 8 prompts of 64 tokens, one pass.
//!
//! `cargo xtask peers` builds what it needs and starts it. Ours records every member; theirs runs a
//! graph of the fused operators its own model builder writes (`onnx_model.py`). Rounds alternate.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../tests/page/driver.rs"]
#[allow(dead_code)]
mod driver;
mod setting;
mod site;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use common::median;
use common::random::{RandomModel, Stored};
use driver::Browser;
use serde_json::{Value, json};
use setting::{here, mobile, python, run, scratch};

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
    run(Command::new(python()).arg(here().join("onnx_model.py")).arg(&model));
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

    let set = |name: &str| {
        std::env::var(name).unwrap_or_else(|_| panic!("{name}: run this by `cargo xtask peers`"))
    };
    let folders = vec![
        ("/model/", model),
        ("/pkg/", PathBuf::from(set("ATELIER_PEER"))),
        ("/ort/", here().join("node_modules/onnxruntime-web/dist")),
        ("/", here().join("browser")),
    ];
    let port = site::serve(folders);
    let gpu = std::env::args().any(|argument| argument == "gpu");
    let (chrome, driver) = (set("ATELIER_CHROME"), set("ATELIER_CHROMEDRIVER"));
    let browser = Browser::open(&chrome, &driver, 800, 600, gpu, &[]);
    let side = if gpu { "#webgpu" } else { "" };
    browser.go(&format!("http://127.0.0.1:{port}/index.html{side}"));
    browser.until("both sides have loaded", "window.versions");
    let round = |side: &str| -> (f64, Vec<f64>) {
        // Polled: a software GPU takes longer than the driver waits for one script.
        browser.run(&format!(
            "window.answer = null; window.round('{side}').then(a => window.answer = a, e => window.answer = {{ failed: String(e) }})"
        ));
        browser.until_within(Duration::from_secs(600), "a round is over", "window.answer !== null");
        let answer = browser.run("return window.answer");
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
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(round("atelier").0);
        theirs.push(round("theirs").0);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let versions = browser.run("return [versions.atelier, versions.theirs]");
    println!("{} against {}", versions[0], versions[1]);
    println!("medians of {rounds} alternating rounds   atelier   onnxruntime   ratio (want < 1)");
    println!(
        "6 blocks, {PROMPTS} x {TOKENS} tokens      {ours:>8.3} s {theirs:>10.3} s {:>8.2}",
        ours / theirs
    );
}
