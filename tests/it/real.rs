//! The real model, SmolLM2-135M-Instruct, as people use it: texts, what it writes, and a long text, against
//! what transformers says in float64 (`tests/golden/text/make.py`); and the memory of the command.

use atelier::engine::Decoder;
use atelier::model::{Passage, Prompt};
use atelier::study::LoadedModel;
use serde_json::{Value, json};

use crate::common::{TOLERANCE, assert_close_to, load, model_folder, u32s};

fn golden() -> Value {
    let text = std::fs::read("tests/golden/text/smollm2.json").expect("a golden");
    serde_json::from_slice(&text).expect("JSON")
}

fn model(golden: &Value) -> LoadedModel {
    load(&model_folder(golden["model"].as_str().expect("a model")).expect("the real model"))
}

#[test]
fn fifty_texts_are_cut_into_the_published_tokenizers_ids() {
    let golden = golden();
    let model = model(&golden);
    let tokenizer = model.tokenizer().expect("a vocabulary");

    let texts = golden["texts"].as_array().expect("texts");
    assert_eq!(texts.len(), 50);
    for text in texts {
        let (text, ids) = (text["text"].as_str().expect("a text"), u32s(&text["ids"]));
        assert_eq!(tokenizer.encode(text).expect("tokens"), ids, "{text:?}");
    }
}

#[test]
fn it_writes_what_transformers_writes() {
    let golden = golden();
    let model = model(&golden);
    let tokenizer = model.tokenizer().expect("a vocabulary");
    let plan = model.plan(None).expect("its own order");

    let runs = golden["greedy"].as_array().expect("runs");
    assert_eq!(runs.len(), 4);
    for run in runs {
        let prompt = run["prompt"].as_str().expect("a prompt");
        let ids = u32s(&run["token_ids"]);
        assert_eq!(tokenizer.encode(prompt).expect("tokens"), ids, "{prompt:?}");
        let text = run["text"].as_str().expect("a text");
        let tokens = u32s(&run["ids"]).len();
        let found = model.greedy(prompt, tokens, &plan).expect("a text");
        assert_eq!(found, format!("{prompt}{text}"), "{prompt:?}");
    }
}

#[test]
fn six_hundred_tokens_in_two_chunks_and_at_once() {
    let golden = golden();
    let model = model(&golden);
    let plan = model.plan(None).expect("its own order");
    let long = &golden["long"];
    let ids = u32s(&long["ids"]);
    let chunk = long["chunk"].as_u64().expect("a length") as usize;
    assert_eq!(ids.len(), 600);

    // In two chunks: the second reads the keys and values of the first.
    let mut decoder = model.engine.decoder(vec![ids[..chunk].to_vec()], &plan).expect("room");
    assert!(decoder.is_cached());
    reading_holds(&last_logits(&mut decoder), &long["after_first"], "the first chunk");
    for &id in &ids[chunk..] {
        decoder.push(0, id).expect("room");
    }
    reading_holds(&last_logits(&mut decoder), &long["after_second"], "the second chunk");

    // At once: the last token's logits, and the log-probability of every token but the first.
    let prompt = Prompt { token_ids: ids.clone(), option_ids: Vec::new() };
    let run = model.engine.next([prompt].into(), [plan.clone()].into());
    let logits = run.expect("a run").complete().expect("logits").concat().concat();
    reading_holds(&logits, &long["after_second"], "at once");
    let passage = Passage { token_ids: ids.clone(), scored: ids.len() - 1 };
    let run = model.engine.score([passage].into(), [plan].into());
    let scores = run.expect("a run").complete().expect("scores").concat().remove(0);
    let expected = &long["log_probabilities"];
    assert_eq!(expected.as_array().map(Vec::len), Some(ids.len() - 1));
    assert_close_to(&json!(scores.log_probability), expected, "scores", TOLERANCE);
}

/// Logits of the next token of the only sequence. [V]
fn last_logits(decoder: &mut Decoder) -> Vec<f32> {
    decoder.ask(&[0]).expect("a step");
    loop {
        if let Some(mut logits) = decoder.advance().expect("a block") {
            return logits.remove(0);
        }
    }
}

fn reading_holds(logits: &[f32], expected: &Value, at: &str) {
    let largest = logits.iter().fold(f32::NEG_INFINITY, |largest, &x| largest.max(x));
    let sum: f64 = logits.iter().map(|x| f64::from(x - largest).exp()).sum();
    let log_z = f64::from(largest) + sum.ln();
    assert_close_to(&json!(log_z), &expected["log_z"], &format!("{at}: log Z"), TOLERANCE);

    let ids = u32s(&expected["ids"]);
    let found: Vec<f32> = ids.iter().map(|&id| logits[id as usize]).collect();
    assert_close_to(&json!(found), &expected["logits"], at, TOLERANCE);
    let is_first = |&logit: &f32| logit == largest;
    let first = logits.iter().position(is_first).expect("a largest logit");
    assert_eq!(first, ids[0] as usize, "{at}: the likeliest token");
}

/// Peak memory of the whole command, pages of the mapped file among it.
#[cfg(target_os = "linux")]
#[test]
fn six_hundred_tokens_take_at_most_1_6_times_the_file() {
    let golden = golden();
    let file = model_folder(golden["model"].as_str().expect("a model")).expect("the real model");
    let size = std::fs::metadata(&file).expect("the file").len() as f64;
    let ids: Vec<String> = u32s(&golden["long"]["ids"]).iter().map(u32::to_string).collect();

    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args(["lens", "--answer", "0", "--json", "--rows", "7042,1546", "--ids"]);
    command.arg(ids.join(",")).arg("--model").arg(&file);
    // Threads have memory of their own: a machine with many has more of both.
    command.env("RAYON_NUM_THREADS", "2");
    let output = tempfile::NamedTempFile::new().expect("a file");
    command.stdout(output.reopen().expect("a file"));
    let peak = peak_of(&mut command);

    let report: Value = serde_json::from_reader(output).expect("a report");
    let lens = &report["lens"];
    assert_eq!(lens["token_ids"].as_array().map(Vec::len), Some(600));
    let log_z = &golden["long"]["after_second"]["log_z"];
    assert_close_to(&lens["vocabulary"]["log_z"], log_z, "log Z", TOLERANCE);
    println!("{:.0} MB, {:.2} of the file", peak / 1e6, peak / size);
    assert!(peak <= 1.6 * size, "{peak} bytes of {size}");
}

/// Runs a command to its good end: its peak of resident memory, bytes.
#[cfg(target_os = "linux")]
fn peak_of(command: &mut std::process::Command) -> f64 {
    let child = command.spawn().expect("it starts");
    let mut status = 0;
    // SAFETY: an `rusage` is plain numbers, for which zeros are valid; `wait4` writes to it and to
    // the status alone, and the id is of a child of this process that nobody else waits for.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, &raw mut usage), usage)
    };
    assert!(waited > 0 && status == 0, "{command:?} failed");
    usage.ru_maxrss as f64 * 1024.0
}
