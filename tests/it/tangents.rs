//! Derivatives of blocks on the CPU engine against the golden products, and what is refused.

use crate::common::{load, model_folder, tangents};
use atelier::engine::{TangentPoint, TangentProduct};
use atelier::plan::{BlockRun, Half, HeadsOff};

#[test]
fn every_golden_product() {
    tangents::products_hold(&load, 1e-5);
}

#[test]
fn what_the_model_has_not_is_refused() {
    let folder = model_folder("random-llama2").expect("random models travel with the project");
    let model = load(&folder);
    let d = model.shape().width;
    let refused = |block: usize, heads_off: HeadsOff, tokens: usize| {
        let point = TangentPoint {
            block,
            half: Half::Both,
            heads_off,
            stream: vec![0.5; tokens * d].into(),
        };
        let refused = model.engine.tangents(point).err().expect("a refusal");
        refused.to_string()
    };
    let sentence = refused(99, HeadsOff::NONE, 3);
    assert!(sentence.contains("asks for block 99"), "{sentence}");
    let off = HeadsOff::NONE.and(100).expect("a head");
    assert!(refused(0, off, 3).contains("100"));
    let context = model.shape().context;
    let sentence = refused(0, HeadsOff::NONE, context + 1);
    assert!(sentence.contains("takes 1 to"), "{sentence}");
    assert!(refused(0, HeadsOff::NONE, 0).contains("takes 1 to"));

    let point = TangentPoint::of(BlockRun::whole(0), vec![0.5; 3 * d].into());
    let mut tangents = model.engine.tangents(point).expect("a point");
    let product = |t_out: usize, probe: f32| TangentProduct {
        t_in: 0,
        t_out,
        transposed: false,
        probes: vec![probe; d],
    };
    let past = tangents.products(vec![product(3, 1.0)]).err();
    let sentence = past.expect("a refusal").to_string();
    assert!(sentence.starts_with("there is no position 3"), "{sentence}");
    let past = tangents.products(vec![product(0, f32::MAX)]).err();
    let sentence = past.expect("a refusal").to_string();
    assert!(sentence.contains("a derivative of block 0"), "{sentence}");
    // And goes on.
    assert_eq!(tangents.products(vec![product(0, 1.0)]).expect("one").len(), 1);
    assert!(tangents.products(Vec::new()).expect("none").is_empty());
}
