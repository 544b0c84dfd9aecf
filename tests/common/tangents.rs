//! Checks of derivatives that every engine must pass.

use std::rc::Rc;

use atelier::engine::{TangentPoint, TangentProduct};
use atelier::plan::Plan;
use atelier::study::LoadedModel;
use serde_json::{Value, json};

use super::parity::{GROWING, Load};
use super::{assert_close_to, goldens_in, model_folder, model_of, u32s};

/// `[S + 1]` of `[T, D]`
pub fn streams(model: &LoadedModel, ids: Vec<u32>, plan: &Plan) -> Vec<Rc<[f32]>> {
    let run = model.engine.streams([ids].into(), [plan.clone()].into()).expect("a run");
    run.complete().expect("streams").remove(0).remove(0)
}

fn position(product: &Value, which: &str) -> usize {
    product[which].as_u64().expect("a number") as usize
}

/// The goldens' products of Jacobians with z = (sin 1, ..., sin D), to `tolerance` of their largest number.
pub fn products_hold(load: &Load, tolerance: f64) {
    let mut checked = 0;
    for (name, golden) in goldens_in("tests/golden/coupling") {
        let Some(folder) = model_of(&golden) else { continue };
        let model = load(&folder);
        let plan = model.plan(None).expect("its own order");
        let streams = streams(&model, u32s(&golden["token_ids"]), &plan);
        let probes: Vec<f32> = (1..=model.shape().width).map(|i| (i as f64).sin() as f32).collect();
        for product in golden["products"].as_array().expect("products") {
            let step = position(product, "step");
            let run = plan.steps()[step].block_runs()[0];
            let point = TangentPoint::of(run, streams[step].clone());
            let mut tangents = model.engine.tangents(point).expect("a point");
            let asked = [false, true].map(|transposed| TangentProduct {
                t_in: position(product, "t_in"),
                t_out: position(product, "t_out"),
                transposed,
                probes: probes.clone(),
            });
            let found = tangents.products(asked.to_vec()).expect("products");
            let again = tangents.products(asked.to_vec()).expect("products");
            assert_eq!(found, again, "what is kept stays");
            for (found, field) in found.iter().zip(["jvp", "vjp"]) {
                let at = format!("{name} step {step} {field}");
                assert_close_to(&json!(found), &product[field], &at, tolerance);
                checked += 1;
            }
        }
    }
    println!("{checked} golden products equal");
    assert!(checked >= 12, "{checked}");
}

/// Files of further types of weights.
const GGUFS: [&str; 5] = [
    "gguf/random-llama3-wide-q6_k.gguf",
    "gguf/stories260k-q4_1.gguf",
    "gguf/stories260k-q5_0.gguf",
    "gguf/tinystories-656k-q5_1.gguf",
    "gguf/stories260k-f16.gguf",
];

/// Two engines' products: every step of a plan with halves, heads that are off and blocks side by side,
/// several pairs and numbers of probes in one question.
pub fn engines_agree(load: &Load, reference: &Load, tolerance: f64) {
    for name in GROWING.into_iter().chain(GGUFS) {
        let Some(folder) = model_folder(name) else { continue };
        let (model, reference) = (load(&folder), reference(&folder));
        let d = model.shape().width;
        let tokens = 21;
        let ids: Vec<u32> = (0..tokens).map(|t| (t * 37 + 11) % 90).collect();
        let last = tokens as usize - 1;
        let plan = model.plan(Some("0,(0a~h1,1),1m,1~h0.1")).expect("a plan");
        let streams = streams(&reference, ids, &plan);
        let probe = |n: usize, seed: usize| -> Vec<f32> {
            let number = |i: usize| ((i * (seed + 3) + 7) as f32 * 0.61).sin();
            (0..n * d).map(number).collect()
        };
        let mut asked = Vec::new();
        for (n, (t_in, t_out)) in
            [(last, last), (0, 0), (last - 2, last), (3, 9), (0, last), (9, 3)]
                .into_iter()
                .enumerate()
        {
            for (rows, transposed) in [(1 + 5 * (n % 3), false), (1 + 3 * (n % 4), true)] {
                asked.push(TangentProduct { t_in, t_out, transposed, probes: probe(rows, n) });
            }
        }
        for (step, stream) in plan.steps().iter().zip(&streams) {
            for &run in step.block_runs() {
                let products = |model: &LoadedModel| {
                    let point = TangentPoint::of(run, stream.clone());
                    let mut tangents = model.engine.tangents(point).expect("a point");
                    // More positions are asked for, one after the other.
                    let first = tangents.products(asked[..4].to_vec()).expect("products");
                    let all = tangents.products(asked.clone()).expect("products");
                    // A GPU shares a product out by its rows, and so rounds otherwise.
                    assert_close_to(&json!(first), &json!(all[..4]), name, tolerance);
                    assert!(tangents.products(Vec::new()).expect("nothing").is_empty());
                    let unseen = tangents.products(vec![asked[11].clone()]);
                    let unseen = unseen.expect("zeros").remove(0);
                    assert!(unseen.len() == asked[11].probes.len());
                    assert!(unseen.iter().all(|&x| x == 0.0), "{name}");
                    all
                };
                let (found, expected) = (products(&model), products(&reference));
                for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let at = format!("{name} {run:?} product {n}");
                    assert_close_to(&json!(found), &json!(expected), &at, tolerance);
                }
            }
        }
    }
}
