//! `atelier lens --json` against `tests/golden`: the reference implementation's numbers in float64,
//! for the model's own order and for every named plan.

use std::io::Write;

use serde_json::Value;

use super::support::{in_project, model, report};

/// float32 against float64.
const TOLERANCE: f64 = 1e-4;

#[test]
fn random_llama2() {
    by_ids("random-llama2");
}

#[test]
fn random_llama3() {
    by_ids("random-llama3");
}

#[test]
fn random_mistral() {
    by_ids("random-mistral");
}

#[test]
fn random_phi3() {
    by_ids("random-phi3");
}

#[test]
fn random_mobilellm_layer_share() {
    by_ids("random-mobilellm-layer-share");
}

#[test]
fn stories260k_lily_where_shared_models_are() {
    by_text("stories260k-lily");
}

#[test]
fn stories260k_tom_where_shared_models_are() {
    by_text("stories260k-tom");
}

#[test]
fn tinystories_656k_lily_where_shared_models_are() {
    by_text("tinystories-656k-lily");
}

fn by_ids(name: &str) {
    let golden = golden(name);
    let list = |field: &str| {
        let ids: Vec<String> = golden[field]
            .as_array()
            .expect(field)
            .iter()
            .map(Value::to_string)
            .collect();
        ids.join(",")
    };
    let mut args = vec![
        "--model".to_string(),
        model(golden["model"].as_str().expect("a model")),
    ];
    args.extend(["--ids".into(), list("ids"), "--rows".into(), list("rows")]);
    compare_all(name, &golden, args);
}

fn by_text(name: &str) {
    let golden = golden(name);
    let folder = in_project("../shared/models").join(golden["model"].as_str().expect("a model"));
    if !folder.is_dir() {
        // Past the test harness, which keeps what a passing test prints to itself.
        let line = format!("SKIPPED {name}: {} is not there\n", folder.display());
        std::io::stderr()
            .write_all(line.as_bytes())
            .expect("standard error");
        return;
    }
    let text = |value: &Value| value.as_str().expect("text").to_string();
    let mut args = vec![
        "--model".to_string(),
        folder.display().to_string(),
        "--prompt".into(),
        text(&golden["prompt"]),
    ];
    for option in golden["options"].as_array().expect("options") {
        args.extend(["--option".into(), text(option)]);
    }
    compare_all(name, &golden, args);
}

fn golden(name: &str) -> Value {
    let path = in_project(&format!("tests/golden/{name}.json"));
    serde_json::from_slice(&std::fs::read(path).expect(name)).expect("JSON")
}

/// The model's own order, then every plan by its name and by the line that the report gives it.
fn compare_all(name: &str, golden: &Value, mut args: Vec<String>) {
    args.insert(0, "lens".into());
    args.extend([
        "--answer".into(),
        golden["answer"].to_string(),
        "--json".into(),
    ]);
    let mut worst = Worst::default();

    let lens = report(&args)["lens"].take();
    assert_eq!(lens["token_ids"], golden["token_ids"]);
    assert_eq!(lens["option_token_ids"], golden["option_token_ids"]);
    assert_eq!(lens["members"], golden["baseline"]["members"]);
    worst.compare(&format!("{name} baseline"), &golden["baseline"], &lens);

    for plan in golden["plans"].as_array().expect("plans") {
        let named = plan["name"].as_str().expect("a name");
        let with = |line: &str| {
            report(&[&args[..], &["--plan".into(), line.to_string()]].concat())["lens"].take()
        };
        let lens = with(named);
        worst.compare(&format!("{name} {named}"), plan, &lens);
        let line = lens["plan"].as_str().expect("a line");
        if line != named {
            assert_eq!(with(line), lens, "{named} is {line}");
        }
    }
    eprintln!(
        "{name}: {} numbers, largest relative error {:.1e} at {}",
        worst.numbers, worst.error, worst.place
    );
}

#[derive(Default)]
struct Worst {
    numbers: usize,
    error: f64,
    place: String,
}

impl Worst {
    /// Every number of `golden` must be in `found` at the same place. A list's numbers are compared
    /// relative to the largest of them, for one that cancels to nothing has no digits to compare.
    fn compare(&mut self, place: &str, golden: &Value, found: &Value) {
        match golden {
            Value::Object(fields) => {
                for (field, golden) in fields {
                    match field.as_str() {
                        // Not numbers of the run, or of another kind of arithmetic.
                        "name" | "steps" => {}
                        "sum_error" => {
                            let found = found[field].as_f64().expect("sum_error");
                            assert!(
                                (0.0..TOLERANCE).contains(&found),
                                "{place}: sum_error {found}"
                            );
                        }
                        _ => self.compare(&format!("{place}.{field}"), golden, &found[field]),
                    }
                }
            }
            Value::Array(items) if numbers(golden).is_some() => {
                let golden = numbers(golden).expect("numbers");
                let found =
                    numbers(found).unwrap_or_else(|| panic!("{place}: {found} for {items:?}"));
                assert_eq!(found.len(), golden.len(), "{place}");
                let scale = golden.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
                for (golden, found) in golden.iter().zip(found) {
                    self.check(place, *golden, found, scale);
                }
            }
            Value::Array(items) => {
                assert_eq!(found.as_array().map(Vec::len), Some(items.len()), "{place}");
                for (i, golden) in items.iter().enumerate() {
                    self.compare(&format!("{place}[{i}]"), golden, &found[i]);
                }
            }
            Value::Number(golden) => {
                let golden = golden.as_f64().expect("a number");
                let found = found
                    .as_f64()
                    .unwrap_or_else(|| panic!("{place}: {found} for {golden}"));
                self.check(place, golden, found, golden.abs());
            }
            _ => assert_eq!(found, golden, "{place}"),
        }
    }

    fn check(&mut self, place: &str, golden: f64, found: f64, scale: f64) {
        // Below the last digit that the golden files carry.
        let error = (found - golden).abs() / scale.max(1e-6);
        assert!(error <= TOLERANCE, "{place}: {found}, not {golden}");
        self.numbers += 1;
        if error > self.error {
            (self.error, self.place) = (error, place.to_string());
        }
    }
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}
