//! The WGSL engine: goldens, unequal batches and scores, as the CPU engine gives them. Without an
//! adapter these tests fail; Mesa's lavapipe is one for every machine.

use std::path::Path;

use crate::common;
use crate::common::load as on_cpu;
use crate::common::{coupling, parity, tangents, vocabulary};
use atelier::engine::EngineChoice;
use atelier::engine::webgpu::AdapterChoice;
use atelier::model::{DType, ModelFiles};
use atelier::study::LoadedModel;
use atelier::study::coupling::CouplingMethod;

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
