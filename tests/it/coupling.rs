//! The coupling of blocks: goldens, and searches beside whole Jacobians on trained models; plans of every kind
//! and what has no coupling; rows and models.

mod plans;
mod rows;

use crate::common::coupling::{families_hold, goldens_hold, run, wish};
use crate::common::{load, random};
use atelier::model::catalogue;
use atelier::study::LoadedModel;
use atelier::study::coupling::{
    Coupling, CouplingMethod, CouplingPrompt, CouplingWish, MisCoupling,
};
use atelier::study::report::Report;

fn scholar(name: &str) -> LoadedModel {
    let known = catalogue::find(name).expect("it is shipped");
    LoadedModel::from_files(&known.open().expect("its files"), &mut |_, _| ()).expect("it loads")
}

fn ids(count: u32) -> Vec<u32> {
    (0..count).map(|n| (n * 37 + 5) % 200 + 1).collect()
}

/// Returns the report of a coupling, as it is saved.
fn written(model: &LoadedModel, coupling: Coupling) -> String {
    let report = Report { coupling: Some(Box::new(coupling)), ..Report::of(model) };
    serde_json::to_string(&report).expect("JSON")
}

#[test]
fn every_golden_from_whole_jacobians() {
    goldens_hold(&load, CouplingMethod::Whole, 1e-4, 1e-5);
}

#[test]
fn every_golden_by_searches() {
    goldens_hold(&load, CouplingMethod::Lanczos, 1e-3, 1e-5);
}

#[test]
fn every_familys_golden() {
    families_hold(&load, 1e-4);
}

/// The largest difference of two maps that are defined alike.
fn apart(a: &MisCoupling, b: &MisCoupling) -> f64 {
    assert_eq!((&a.why_row, &a.why_column), (&b.why_row, &b.why_column));
    let mut worst: f64 = 0.0;
    for (a, b) in [(&a.off_diagonal, &b.off_diagonal), (&a.singular, &b.singular)] {
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            match (a, b) {
                (Some(a), Some(b)) => worst = worst.max((a - b).abs()),
                (a, b) => assert_eq!(a, b),
            }
        }
    }
    worst
}

/// From many starts, each within 1e-3 in both metrics, wherever no gap is too small to say.
#[test]
fn searches_on_trained_blocks_find_what_whole_jacobians_have() {
    let model = scholar("scholar-4");
    let prompt = CouplingPrompt::of_text(&model, "Ann says that the soup is not awful. So it is")
        .expect("a prompt");
    let of = |method, seed| {
        let wish = CouplingWish { seed, ..wish(&model, &[4, 8, 16], method) };
        run(&model, &prompt.token_ids, wish).expect("a coupling")
    };
    let whole = of(CouplingMethod::Whole, 0);
    for seed in 0..10 {
        let searched = of(CouplingMethod::Lanczos, seed);
        for (k, one) in &whole.depth_wise {
            let off = apart(&one.map, &searched.depth_wise[k].map);
            assert!(off < 1e-3, "K {k}, start {seed}: {off}");
        }
        assert_eq!(searched.spectrum[0].entropy, None);
        assert_eq!((whole.seed, searched.seed), (None, Some(seed)));
        let pairs = whole.linearised.cosine.iter().zip(&searched.linearised.cosine);
        for (a, b) in pairs {
            assert!((a.expect("a path") - b.expect("a path")).abs() < 1e-4);
        }
        assert!(searched.products.jvp > 0 && searched.products.vjp > 0);
    }
    assert_eq!(whole.products.vjp, 0);
}

/// The control that the map must pass: a block that runs twice in a row is most like itself.
#[test]
fn twins_are_bright() {
    let model = scholar("scholar-12-shared");
    let prompt = CouplingPrompt::of_text(&model, "Ann says that the soup is not awful. So it is")
        .expect("a prompt");
    let wish = wish(&model, &[8], CouplingMethod::Whole);
    let found = run(&model, &prompt.token_ids, wish).expect("a coupling");
    assert_eq!(found.steps[..4], ["0", "0", "1", "1"]);
    let map = &found.depth_wise[&8].map.off_diagonal;
    let pair = |i: usize, j: usize| 1.0 - map[i][j].expect("a pair");
    let mean = |pairs: &[(usize, usize)]| {
        pairs.iter().map(|&(i, j)| pair(i, j)).sum::<f64>() / pairs.len() as f64
    };
    let twins: Vec<_> = (0..6).flat_map(|n| [(2 * n, 2 * n + 1), (2 * n + 1, 2 * n)]).collect();
    let others: Vec<_> =
        (0..5).flat_map(|n| [(2 * n + 1, 2 * n + 2), (2 * n + 2, 2 * n + 1)]).collect();
    let (twins, others) = (mean(&twins), mean(&others));
    println!("twins {twins:.2}, other neighbours {others:.2}");
    assert!(twins > 0.5 && twins > 2.0 * others, "{twins}, {others}");
}
