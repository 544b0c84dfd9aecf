//! The theorems' numbers against known answers from an independent implementation in float64.

use atelier::measure::information::votes::{self, Correction};
use atelier::measure::information::{Bounds, Terms, copula};
use atelier::measure::tradeoff::Tradeoff;
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/information/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a golden file");
    serde_json::from_str(&text).expect("golden JSON")
}

fn of<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("a golden value")
}

fn close(found: f64, expected: &Value, at: &str) {
    let expected = expected.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-9, "{at}: {found}, expected {expected}");
}

fn check(found: &Terms, expected: &Value, at: &str) {
    let relevancy = expected["relevancy"].as_array().expect("one a member");
    assert_eq!(found.relevancies.len(), relevancy.len(), "{at}");
    for (found, expected) in found.relevancies.iter().zip(relevancy) {
        close(*found, expected, at);
    }
    close(found.redundancy, &expected["redundancy"], at);
    close(found.conditional_redundancy, &expected["conditional_redundancy"], at);
    close(found.joint, &expected["joint"], at);
    if !expected["diversity"].is_null() {
        close(found.diversity(), &expected["diversity"], at);
    }
    assert!(found.residue().abs() < 1e-9, "{at}: the terms add up");
}

#[test]
fn the_tradeoff() {
    let golden = golden("tradeoff");
    let members: Vec<Vec<f64>> = of(&golden["members"]);
    let target: Vec<f64> = of(&golden["target"]);
    let terms = Tradeoff::of(&members, &target);
    let mut found = serde_json::to_value(terms).expect("JSON");
    found["paper_bias"] = terms.paper_bias().into();
    for (name, expected) in golden["expected"].as_object().expect("fields") {
        close(found[name].as_f64().expect(name), expected, name);
    }
}

#[test]
fn votes_of_an_exclusive_or_and_of_noisy_members() {
    for (name, options) in [("xor", 2), ("votes", 3)] {
        let golden = golden(name);
        let votes: Vec<Vec<usize>> = of(&golden["votes"]);
        let answers: Vec<usize> = of(&golden["y"]);
        for (correction, key) in [
            (Correction::None, "expected_plug_in"),
            (Correction::MillerMadow, "expected_miller_madow"),
        ] {
            let found = votes::estimate(&votes, &answers, options, correction);
            check(&found, &golden[key], name);
        }
        let entropy = votes::entropy_of(&answers, options).expect("classes");
        close(entropy, &golden["expected_miller_madow"]["entropy_y"], name);
    }
}

#[test]
fn gaussian_copulas_and_their_bounds() {
    let golden = golden("gaussian");
    let logits: Vec<Vec<Vec<f32>>> = of(&golden["logits"]);
    let answers: Vec<usize> = of(&golden["y"]);
    let expected = &golden["expected"];
    let at = |member: usize, row: usize| &logits[row][member][..];
    let curve = copula::curve(4, &at, &answers, 3).expect("enough rows");
    assert_eq!(curve.stopped, None);
    let last = curve.points.last().expect("four points");
    check(last, expected, "gaussian");
    let entropy = votes::entropy_of(&answers, 3).expect("classes");
    close(entropy, &expected["entropy_y"], "entropy");
    let bounds = Bounds::of(entropy, last.joint, 3);
    close(bounds.lower, &expected["lower"], "lower");
    close(bounds.upper, &expected["upper"], "upper");
    for point in &curve.points {
        assert!(point.residue().abs() < 1e-9);
    }
}
