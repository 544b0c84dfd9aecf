//! The CPU engine against the golden values: float64 runs of an independent implementation.

use std::ops::ControlFlow;

use crate::common;
use crate::common::parity::{self, run};
use crate::common::{TOLERANCE, assert_close, copy_folder, load, model_folder, random, vocabulary};
use atelier::model::Prompt;
use serde_json::json;

#[test]
fn every_golden_run_and_every_plan_of_it() {
    parity::goldens_hold(&load, TOLERANCE);
}

#[test]
fn every_golden_run_of_pytorch_checkpoints() {
    parity::pickled_goldens_hold(&load, TOLERANCE);
}

#[test]
fn every_golden_run_of_the_real_model() {
    parity::real_goldens_hold(&load, TOLERANCE);
}

#[test]
fn every_golden_run_of_the_whole_vocabulary() {
    vocabulary::goldens_hold(&load, TOLERANCE);
}

#[test]
fn every_golden_plan_with_heads_off() {
    parity::head_goldens_hold(&load, TOLERANCE);
}

#[test]
fn every_golden_logit_lens() {
    parity::depth_goldens_hold(&load, TOLERANCE.max(1e-3));
}

#[test]
fn tokens_one_by_one_equal_the_whole_sequence() {
    let is_cached = parity::growing_equals_recomputing(&load, parity::GrowingPlans::All, 1e-5);
    assert!(is_cached, "keys and values are kept");
}

#[test]
fn growing_past_longropes_original_context_turns_every_key_anew() {
    let folder = model_folder("random-phi3").expect("random models travel with the project");
    let copy = tempfile::tempdir().expect("a folder");
    copy_folder(&folder, copy.path());
    let config = copy.path().join("config.json");
    let text = std::fs::read_to_string(&config).expect("a config");
    let mut fields: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let angles = fields["head_dim"].as_u64().unwrap_or_else(|| {
        let number = |field: &str| fields[field].as_u64().expect("a number");
        number("hidden_size") / number("num_attention_heads")
    }) / 2;
    let (short, long) = (vec![1.0; angles as usize], vec![3.0; angles as usize]);
    fields["rope_scaling"] =
        json!({ "type": "longrope", "short_factor": short, "long_factor": long });
    fields["original_max_position_embeddings"] = json!(12);
    std::fs::write(&config, fields.to_string()).expect("a config");
    let model = load(copy.path());
    let plan = model.plan(None).expect("its own order");
    let mut decoder = model.engine.decoder(vec![vec![3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], &plan);
    let decoder = decoder.as_mut().expect("a decoder");
    for id in [5, 8, 9, 7, 9] {
        decoder.ask(&[0]).expect("a step");
        let found = loop {
            if let Some(found) = decoder.advance().expect("a block") {
                break found.concat();
            }
        };
        let prompt = Prompt { token_ids: decoder.ids(0).to_vec(), option_ids: Vec::new() };
        let run = model.engine.next([prompt].into(), [plan.clone()].into());
        let anew = run.expect("a run").complete().expect("logits").concat().concat();
        let at = format!("{} tokens", decoder.ids(0).len());
        common::assert_close_to(&json!(found), &json!(anew), &at, 1e-5);
        decoder.push(0, id).expect("room");
    }
}

#[test]
fn every_golden_attention_pattern() {
    parity::attention_goldens_hold(&load, TOLERANCE);
}

#[test]
fn a_batch_of_unequal_lengths_equals_its_rows_run_alone() {
    parity::batches_equal_their_rows(&load, TOLERANCE);
}

#[test]
fn more_tokens_than_one_pack_holds_come_back_in_order() {
    let model = random("random-llama2");
    let prompts: Vec<Prompt> = (0..40)
        .map(|i| Prompt {
            token_ids: (0..150 + i).map(|t| (t * 11 + i) % 512).collect(),
            option_ids: vec![i, i + 1],
        })
        .collect();
    let plan = [model.plan(None).expect("its own order")];
    let together = run(&model.engine, &prompts, &plan);
    for i in [0, 20, 39] {
        let alone = run(&model.engine, &prompts[i..=i], &plan);
        assert_close(
            &json!(together[0][i].logits),
            &json!(alone[0][0].logits),
            &format!("prompt {i}"),
        );
    }
}

#[test]
fn a_run_tells_its_progress_and_can_be_cancelled() {
    let model = random("random-llama2");
    let prompt = [Prompt { token_ids: vec![1, 2, 3], option_ids: vec![4, 5] }];
    let plans =
        [model.plan(None).expect("its own order"), model.plan(Some("0-2")).expect("a plan")];
    let mut seen = Vec::new();
    let traces = model.engine.run(&prompt, &plans, &mut |done, of| {
        seen.push((done, of));
        ControlFlow::Continue(())
    });
    assert!(traces.is_ok());
    assert_eq!(seen.last(), Some(&(6, 6)), "the shorter plan is a prefix of the longer");
    let stopped = model.engine.run(&prompt, &plans, &mut |done, _| {
        if done >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.expect_err("cancelled").to_string(), "the run was cancelled");
}

#[test]
fn the_story_model_tells_its_story() {
    let Some(folder) = model_folder("stories260k") else { return };
    let model = load(&folder);
    let text = model.greedy("", 200, &model.plan(None).expect("its own order")).expect("a story");
    let story = "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. \
                 One day, she saw a big, red ball.";
    assert!(text.trim_start().starts_with(story), "{text}");
}
