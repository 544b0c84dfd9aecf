//! candle's tensors on this processor, the slow and plain reference: the goldens, and that the CPU
//! engine says the same where no golden looks (states, scores, next tokens).

use std::path::Path;

use crate::common::{TOLERANCE, load, parity, vocabulary};
use atelier::engine::EngineChoice;
use atelier::model::ModelFiles;
use atelier::study::LoadedModel;

fn reference(folder: &Path) -> LoadedModel {
    let files = ModelFiles::open(folder).expect("a model folder");
    LoadedModel::from_files_with(&files, &EngineChoice::Reference, &mut |_, _| ())
        .expect("a model that loads")
}

#[test]
fn every_golden_run_and_every_plan_of_it() {
    parity::goldens_hold(&reference, TOLERANCE);
    parity::head_goldens_hold(&reference, TOLERANCE);
    parity::depth_goldens_hold(&reference, TOLERANCE.max(1e-3));
    parity::attention_goldens_hold(&reference, TOLERANCE);
}

#[test]
fn every_golden_run_of_the_whole_vocabulary() {
    vocabulary::goldens_hold(&reference, TOLERANCE);
}

#[test]
fn a_batch_of_unequal_lengths_equals_its_rows_run_alone() {
    parity::batches_equal_their_rows(&reference, TOLERANCE);
}

#[test]
fn states_scores_and_next_tokens_of_the_cpu_engine_are_the_references() {
    parity::engines_agree(&load, &reference, TOLERANCE);
}
