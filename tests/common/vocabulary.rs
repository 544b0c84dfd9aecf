//! Goldens of `tests/golden/vocabulary`: tied and untied heads, a head with a bias, LayerNorm, parallel steps, and the
//! real model.

mod record;

use std::path::Path;

use serde_json::{Value, json};

use super::parity::{self, Lenses, Load};
use super::{assert_close_to, goldens_in, notation};

/// Every golden run.
pub fn goldens_hold(load: &Load, tolerance: f64) {
    let mut lenses = |path: &Path, golden: &Value, orders: &[Option<&str>]| {
        parity::lenses(&load(path), golden, orders)
    };
    goldens_hold_for(&mut lenses, tolerance);
}

/// Like [`goldens_hold`], for a program that is asked for lenses.
pub fn goldens_hold_for(lenses: &mut Lenses, tolerance: f64) {
    let mut checked = 0;
    for (name, golden) in goldens_in("tests/golden/vocabulary") {
        let plans = golden["plans"].as_array().expect("plans");
        let line = |plan: &Value| plan["steps"].is_array().then(|| notation(&plan["steps"]));
        let orders: Vec<Option<String>> = plans.iter().map(line).collect();
        let found = parity::golden_lenses(lenses, &name, &golden, &orders);
        for ((at, found), expected) in found.iter().zip(plans) {
            options_hold(found, expected, at, tolerance);
            record::record_holds(found, expected, at, tolerance);
            checked += 1;
        }
    }

    println!("{checked} runs of the vocabulary's goldens equal");
    // Fifteen of random models and eight of the real one; the story model's three only where it is.
    assert!(checked >= 15 + 8, "{checked}");
}

/// Holds what a run says among its options: logits, votes, and the logit column, which is the sum of its golden parts.
fn options_hold(found: &Value, expected: &Value, at: &str, tolerance: f64) {
    let logits = json!({ "logits": expected["option_logits"] });
    assert_close_to(found, &logits, at, tolerance);
    // A vote is a share of logits: how far it may be off is measured by the run's largest vote.
    let [votes, golden] = [found, expected].map(|run| json!(flat(&run["member_logits"])));
    assert_close_to(&votes, &golden, &format!("{at}: votes"), tolerance);

    for field in ["mse", "bias", "diversity"] {
        let part = |part: &str| expected[part][field].as_f64().expect(field);
        let sum = json!(part("centred") + part("offset"));
        assert_close_to(&found["logit"][field], &sum, &format!("{at}: logit {field}"), tolerance);
    }
}

/// Numbers of a table, row after row.
fn flat(rows: &Value) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(rows.clone()).expect("rows of numbers");
    rows.concat()
}
