//! The WGSL engine: goldens, unequal batches and scores, as the CPU engine gives them. Without an
//! adapter these tests fail; Mesa's lavapipe is one for every machine.

use std::path::Path;

use crate::common;
use crate::common::load as on_cpu;
use crate::common::{coupling, parity, tangents, vocabulary};
use atelier::chart;
use atelier::engine::EngineChoice;
use atelier::engine::webgpu::AdapterChoice;
use atelier::model::weights::Weights;
use atelier::model::{DType, ModelFiles};
use atelier::study::coupling::CouplingMethod;
use atelier::study::{self, LoadedModel};

/// Relative agreement asked of the GPU: drivers multiply and sum in their own order.
const TOLERANCE: f64 = 1e-3;

fn open(folder: &Path, adapter: AdapterChoice, dtype: Option<DType>) -> LoadedModel {
    let files = ModelFiles::open(folder).expect("a model folder");
    let choice = EngineChoice::WebGpu { adapter, dtype };
    LoadedModel::from_files_with(&files, &choice, &mut |_, _| ())
        .expect("a model on an adapter: install Mesa's lavapipe")
}

/// Only what browsers have too.
fn strict() -> AdapterChoice {
    AdapterChoice { strict: true, ..AdapterChoice::default() }
}

fn on_gpu(folder: &Path) -> LoadedModel {
    open(folder, strict(), None)
}

#[test]
fn every_golden_run_and_every_plan_of_it() {
    parity::goldens_hold(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_run_of_pytorch_checkpoints() {
    parity::pickled_goldens_hold(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_run_of_the_real_model() {
    parity::real_goldens_hold(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_run_of_the_whole_vocabulary() {
    vocabulary::goldens_hold(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_plan_with_heads_off() {
    parity::head_goldens_hold(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_logit_lens() {
    parity::depth_goldens_hold(&on_gpu, TOLERANCE.max(1e-3));
}

#[test]
fn tokens_one_by_one_equal_the_whole_sequence() {
    let plans = parity::GrowingPlans::OwnAndRichest;
    let is_cached = parity::growing_equals_recomputing(&on_gpu, plans, 1e-5);
    assert!(is_cached, "keys and values are kept");
}

#[test]
fn every_golden_attention_pattern() {
    parity::attention_goldens_hold(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_product_of_derivatives() {
    tangents::products_hold(&on_gpu, 2e-3);
}

#[test]
fn products_of_every_familys_derivatives_are_the_cpu_engines() {
    tangents::engines_agree(&on_gpu, &on_cpu, 2e-3);
}

#[test]
fn a_batch_of_unequal_lengths_equals_its_rows_run_alone() {
    parity::batches_equal_their_rows(&on_gpu, TOLERANCE);
}

#[test]
fn every_golden_coupling() {
    coupling::goldens_hold(&on_gpu, CouplingMethod::Whole, 2e-3, 2e-3);
    coupling::families_hold(&on_gpu, 2e-3);
}

#[test]
fn states_scores_and_next_tokens_are_the_cpu_engines() {
    parity::engines_agree(&on_gpu, &on_cpu, TOLERANCE);
}

#[test]
fn a_run_says_what_it_cost() {
    let folder = common::model_folder("random-llama2").expect("it travels with the project");
    let model = on_gpu(&folder);
    let prompt = model.question_from_ids(&[1, 2, 3], &[4, 5], 0).expect("a question").prompt;
    let plan = [model.plan(None).expect("its own order")];
    for _ in 0..2 {
        parity::run(&model.engine, std::slice::from_ref(&prompt), &plan);
        // Two rows kept, the votes, the vocabulary in three and its last stream; nine a block, six blocks.
        let cost = model.engine.profile().expect("counts");
        assert!(cost.starts_with("61 dispatches"), "{cost}");
    }
}

#[test]
fn a_head_without_room_is_said_and_the_lens_runs() {
    let folder = common::model_folder("random-llama2").expect("it travels with the project");
    let weights = Weights::open(&ModelFiles::open(&folder).expect("a model folder"));
    let needed =
        EngineChoice::WebGpu { adapter: strict(), dtype: None }.memory(&weights.expect("weights"));
    let lens = |room: u64| {
        let model = open(&folder, AdapterChoice { room: Some(room), ..strict() }, None);
        let question = model.question_from_ids(&[1, 2, 3], &[4, 5], 0).expect("a question");
        let plan = model.plan(None).expect("the original order");
        let prompts = std::slice::from_ref(&question.prompt);
        let mut traces = parity::run(&model.engine, prompts, std::slice::from_ref(&plan));
        let trace = traces.remove(0).remove(0);
        study::lens::lens(&model, &question, &plan, trace)
    };
    let with = lens(needed.weights + needed.head);
    let without = lens(needed.weights + needed.head - 1);

    assert!(with.vocabulary.is_some() && with.vocabulary_lacks_bytes.is_none());
    assert!(without.vocabulary.is_none());
    assert_eq!(without.vocabulary_lacks_bytes, Some(needed.head));
    assert_eq!(without.logits, with.logits);
    // What the command line and the page say at the answer.
    let sentence = chart::says_first(&without, true);
    assert_eq!(sentence, "Not known: the whole vocabulary needs 1 MB more.");
}

#[test]
fn the_head_is_uploaded_while_the_model_loads() {
    let folder = common::model_folder("random-llama2").expect("it travels with the project");
    let files = ModelFiles::open(&folder).expect("a model folder");
    let head = Weights::open(&files).expect("weights").head().bytes();
    let last = |choice: EngineChoice| {
        let mut last = (0, 0);
        LoadedModel::from_files_with(&files, &choice, &mut |done, total| last = (done, total))
            .expect("a model");
        last
    };
    let (done, total) = last(EngineChoice::Cpu);
    let on_gpu = last(EngineChoice::WebGpu { adapter: strict(), dtype: None });
    assert_eq!(on_gpu, (done + head, total + head));
}

#[test]
fn an_adapter_that_is_not_there_is_one_sentence() {
    let folder = common::model_folder("random-llama2").expect("it travels with the project");
    let files = ModelFiles::open(&folder).expect("a model folder");
    let choice = EngineChoice::WebGpu {
        adapter: AdapterChoice { name: Some("riva 128".into()), ..AdapterChoice::default() },
        dtype: None,
    };
    let error = LoadedModel::from_files_with(&files, &choice, &mut |_, _| ());
    let sentence = error.err().expect("an error").to_string();
    assert!(sentence.starts_with("no GPU adapter is called 'riva 128'; there are: "), "{sentence}");
}
