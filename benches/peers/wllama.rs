//! The page's worker beside wllama, llama.cpp in WebAssembly, in headless Chromium: SmolLM2-135M-Instruct as its file is
//! (Q4_1) and the same weights as Q8_0.
//!
//! `cargo xtask peers wllama` prepares what it needs. Ours reads a prompt with every component recorded and the whole
//! vocabulary after each; theirs until its first token is there. Then both write tokens one by one. Ours has one thread,
//! theirs one and then all. The sides take turns; `-- 1` behind `cargo bench` is for a single round.

#[path = "../common/mod.rs"]
mod common;
mod page;

use std::fs::File;
use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file::{self, Content};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Result};
use common::setting::{here, scratch, variable};
use common::{median, open};
use page::Browser;
use serde_json::json;

/// Tokens of the prompts.
const PROMPTS: [usize; 3] = [12, 64, 600];
/// The first token that is written belongs to the prompt's time, the 40 after it come one by one.
const WRITTEN: usize = 41;
/// Rounds, where the arguments say no other number.
const ROUNDS: usize = 3;
const SIDES: [&str; 3] = ["atelier", "one", "all"];

const STORY: &str = "Once upon a time, there was a small dog who lived in a house by the sea. Every morning the dog \
                     went down to the water, looked for shells in the sand, and carried the best ones home. ";

/// Seconds of a side, round by round, and what it said.
#[derive(Default)]
struct Times {
    read: Vec<f64>,
    write: Vec<f64>,
    first: String,
}

fn main() {
    let q4_1 = PathBuf::from(variable("ATELIER_REAL"));
    let folder = scratch("wllama");
    std::fs::copy(&q4_1, folder.join("q4_1.gguf")).expect("a copy of the model");
    requantise(&q4_1, &folder.join("q8_0.gguf")).expect("the weights as Q8_0");
    let prompts = prompts(&q4_1);

    let folders = vec![
        ("/model/", folder),
        ("/dist/", PathBuf::from(variable("ATELIER_DIST"))),
        ("/wllama/", here().join("node_modules/@wllama/wllama/esm")),
        ("/", here().join("wllama")),
    ];
    let browser = page::open(folders, false, "");
    let versions = browser.run("return window.versions");

    println!(
        "atelier's page against wllama 3.13.0 (llama.cpp {})",
        versions["llama"].as_str().unwrap_or("?")
    );
    let rounds = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(ROUNDS);
    println!("one thread each, then {} of wllama; medians of {rounds} rounds", versions["threads"]);
    for name in ["q4_1.gguf", "q8_0.gguf"] {
        println!(
            "\n{name:<22}  atelier   wllama    ratio   wllama, all threads    ratio   load {}",
            load()
        );
        page::answer(&browser, &format!("open_model('{name}')"));
        for prompt in &prompts {
            table(&browser, prompt, rounds);
        }
    }
}

/// A prompt and its number of tokens.
struct BenchPrompt {
    text: String,
    tokens: usize,
}

/// Beginnings of a long text, of so many tokens each.
fn prompts(model: &Path) -> Vec<BenchPrompt> {
    let model = open(model);
    let tokenizer = model.tokenizer().expect("its vocabulary");
    let ids = tokenizer.encode(&STORY.repeat(20)).expect("tokens");
    let beginning = |tokens: usize| {
        let text = tokenizer.decode(&ids[..tokens]).expect("a text");
        assert_eq!(tokenizer.encode(&text).expect("tokens"), ids[..tokens], "{text:?}");
        BenchPrompt { text, tokens }
    };
    PROMPTS.map(beginning).into()
}

/// Writes the model's file with every Q4_1 matrix as Q8_0.
fn requantise(from: &Path, to: &Path) -> Result<()> {
    let mut file = File::open(from)?;
    let content = Content::read(&mut file)?;
    let mut tensors = Vec::new();
    for name in content.tensor_infos.keys() {
        let tensor = content.tensor(&mut file, name, &Device::Cpu)?;
        let tensor = match tensor.dtype() {
            GgmlDType::Q4_1 => {
                QTensor::quantize(&tensor.dequantize(&Device::Cpu)?, GgmlDType::Q8_0)?
            }
            _ => tensor,
        };
        tensors.push((name.as_str(), tensor));
    }

    let metadata: Vec<_> =
        content.metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
    gguf_file::write(&mut File::create(to)?, &metadata, &tensors)
}

/// Runs the sides by turns and prints a prompt's two lines.
fn table(browser: &Browser, prompt: &BenchPrompt, rounds: usize) {
    let mut sides: [Times; 3] = Default::default();
    for _ in 0..rounds {
        for (side, times) in SIDES.iter().zip(&mut sides) {
            let asked = json!([side, prompt.text, [" the", " a"], WRITTEN]);
            let answer = page::answer(browser, &format!("run_side(...{asked})"));
            assert_eq!(answer["prompt"], prompt.tokens, "{side}: {answer}");
            let number = |field: &str| answer[field].as_f64().expect("seconds");
            times.read.push(number("read"));
            times.write.push(number("write"));
            times.first = answer["first"].as_str().expect("a token").to_owned();
        }
    }

    // llama.cpp rounds activations to eight bits beside blocks: where two words are nearly as likely, another leads.
    let [ours, one, all] = sides;
    if ours.first != one.first || ours.first != all.first {
        println!("first words differ: {:?}, {:?} and {:?}", ours.first, one.first, all.first);
    }
    line(&format!("{} tokens read", prompt.tokens), [ours.read, one.read, all.read]);
    line(&format!("{} more one by one", WRITTEN - 1), [ours.write, one.write, all.write]);
}

fn line(what: &str, times: [Vec<f64>; 3]) {
    let [ours, one, all] = times.map(median);
    println!(
        "{what:<22} {ours:>6.2} s {one:>6.2} s {:>8.2} {all:>19.2} s {:>8.2}",
        ours / one,
        ours / all
    );
}

/// The system's load, as `uptime` says it.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}
