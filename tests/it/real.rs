//! The real model, SmolLM2-135M-Instruct, as people use it: texts, what it writes, and a long text, against
//! what transformers says in float64 (`tests/golden/text/make.py`).

use atelier::engine::Decoder;
use atelier::model::{Passage, Prompt};
use atelier::study::LoadedModel;
use serde_json::{Value, json};

use crate::common::{TOLERANCE, assert_close_to, load, model_of, u32s};

pub fn golden() -> Value {
    let text = std::fs::read("tests/golden/text/smollm2.json").expect("a golden");
    serde_json::from_slice(&text).expect("JSON")
}

/// The golden's model; `None` where `--no-real` leaves it out.
fn model(golden: &Value) -> Option<LoadedModel> {
    let file = model_of(golden)?;
    Some(load(&file))
}

#[test]
fn fifty_texts_are_cut_into_the_published_tokenizers_ids() {
    let golden = golden();
    let Some(model) = model(&golden) else { return };
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
    let Some(model) = model(&golden) else { return };
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
    let Some(model) = model(&golden) else { return };
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

    // At once.
    let prompt = Prompt { token_ids: ids.clone(), option_ids: Vec::new() };
    let run = model.engine.next([prompt].into(), [plan.clone()].into());
    let logits = run.expect("a run").complete().expect("logits").concat().concat();
    reading_holds(&logits, &long["after_second"], "at once");

    // Beginnings of several lengths: the sum of their first tokens' log-probabilities.
    let golden: Vec<f64> =
        serde_json::from_value(long["log_probabilities"].clone()).expect("log-probabilities");
    assert_eq!(golden.len(), ids.len() - 1);
    let beginning = |scored: usize| Passage { token_ids: ids[..=scored].to_vec(), scored };
    let scored = [1, 100, 599];
    let run = model.engine.score(scored.map(beginning).into(), [plan].into());
    let scores = run.expect("a run").complete().expect("scores").concat();
    for (scored, found) in scored.into_iter().zip(scores) {
        let sum: f64 = golden[..scored].iter().sum();
        let label = format!("{scored} scored tokens");
        assert_close_to(&json!(found.log_probability), &json!(sum), &label, TOLERANCE);
    }
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

fn reading_holds(logits: &[f32], expected: &Value, label: &str) {
    let largest = logits.iter().fold(f32::NEG_INFINITY, |largest, &x| largest.max(x));
    let sum: f64 = logits.iter().map(|x| f64::from(x - largest).exp()).sum();
    let log_z = f64::from(largest) + sum.ln();
    assert_close_to(&json!(log_z), &expected["log_z"], &format!("{label}: log Z"), TOLERANCE);

    let ids = u32s(&expected["ids"]);
    let found: Vec<f32> = ids.iter().map(|&id| logits[id as usize]).collect();
    assert_close_to(&json!(found), &expected["logits"], label, TOLERANCE);
    let is_first = |&logit: &f32| logit == largest;
    let first = logits.iter().position(is_first).expect("a largest logit");
    assert_eq!(first, ids[0] as usize, "{label}: the likeliest token");
}
