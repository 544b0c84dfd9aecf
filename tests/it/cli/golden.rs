//! `atelier lens --json` against `tests/golden`: the reference implementation's numbers in float64,
//! for the model's own order and for every named plan.

use std::io::Write;

use serde_json::Value;

use super::support::{in_project, model, report};

/// float32 against float64.
const TOLERANCE: f64 = 1e-4;

/// The logit lens, step by step and member by member, and what is wrong with it.
#[test]
fn the_logit_lens_is_the_goldens() {
    let golden = in_project("tests/golden/lens/random-llama3.json");
    let golden: Value =
        serde_json::from_slice(&std::fs::read(golden).expect("a golden")).expect("JSON");
    let list = |field: &str| {
        let list = golden[field].as_array().expect(field).iter();
        list.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let (model, ids, rows) = (model("random-llama3"), list("ids"), list("rows"));
    let asked = |more: &[&str]| {
        let mut words = vec![
            "lens",
            "--model",
            model.as_str(),
            "--ids",
            &ids,
            "--rows",
            &rows,
            "--answer",
            "0",
        ];
        words.extend(more);
        super::support::atelier(&words)
    };
    let output = asked(&["--lens", "5", "--json"]);
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let lens = &report["lens"];
    assert_eq!(lens["logit_lens_norm"], "recomputed");
    let (found, expected) = (lens["logit_lens"].as_array(), golden["logit_lens"].as_array());
    let (found, expected) = (found.expect("entries"), expected.expect("entries"));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for field in ["kl", "entropy"] {
            let [a, b] = [found, expected].map(|entry| entry[field].as_f64().expect(field));
            assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{field}: {a}, {b}");
        }
        assert_eq!(found["top_ids"][0], expected["top_ids"][0]);
    }
    let members = lens["logit_lens_members"].as_array().expect("entries");
    assert_eq!(members.len(), lens["members"].as_array().expect("members").len());
    assert_eq!(members.last(), found.last());
    let held = asked(&["--lens", "3", "--lens-norm", "held"]);
    let shown = String::from_utf8(held.stdout).expect("text");
    assert!(shown.contains("held at the run's end") && shown.contains("KL to"), "{shown}");

    for (more, says) in [
        (&["--lens", "0"][..], "0 likeliest tokens cannot be read: ask for 1 to 50"),
        (&["--lens", "51"], "ask for 1 to 50"),
        (&["--lens", "2", "--follow", " a"], "--prompt"),
        (&["--plan", "0~h6"], "head 6 of block 0 off, which is not there: heads are 0 to 5"),
    ] {
        let output = asked(more);
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_misuse = why.trim_end().ends_with("--help`");
        assert_eq!(output.status.code(), Some(if is_misuse { 2 } else { 1 }), "{why}");
        assert!(why.contains(says), "{why}");
    }
}

/// Every head's weights from the last token and from another, what it carries, and what is wrong with
/// what was asked.
#[test]
fn the_attention_pattern_is_the_goldens() {
    let golden = in_project("tests/golden/families/random-qwen2.json");
    let golden: Value =
        serde_json::from_slice(&std::fs::read(golden).expect("a golden")).expect("JSON");
    let list = |field: &str| {
        let list = golden[field].as_array().expect(field).iter();
        list.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let (model, ids, rows) = (model("random-qwen2"), list("ids"), list("rows"));
    let words = |more: &[&str]| {
        let words = ["lens", "--model", &model, "--ids", &ids, "--rows", &rows, "--answer", "0"];
        words.iter().chain(more).map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    let lens = |more: &[&str]| report(&words(more))["lens"].clone();
    let numbers = |value: &Value| -> Vec<f64> {
        let runs = value.as_array().expect("runs").iter();
        let rows = runs.flat_map(|run| run.as_array().expect("heads"));
        let all = rows.flat_map(|row| row.as_array().expect("a row"));
        all.map(|x| x.as_f64().expect("a number")).collect()
    };
    let found = lens(&["--attention", "--json"]);
    let (ours, expected) =
        (numbers(&found["attention_pattern"]), numbers(&golden["attention_pattern"]));
    assert_eq!(ours.len(), expected.len());
    assert_eq!(numbers(&found["attention_carried"]).len(), expected.len());
    assert!(ours.iter().zip(&expected).all(|(a, b)| (a - b).abs() < TOLERANCE));
    assert_eq!(found["attention_query"], 23);
    // A token that comes earlier sees less, and a head that is off carries nothing.
    let early = lens(&["--attention", "--query", "1", "--plan", "0~h1,2", "--json"]);
    assert_eq!(early["attention_query"], 1);
    assert_eq!(early["attention_pattern"].as_array().map(Vec::len), Some(2));
    let row = numbers(&Value::from(vec![early["attention_pattern"][0].clone()]));
    assert!(row.chunks(24).all(|row| row[2..].iter().all(|&x| x == 0.0)));
    let off = early["attention_carried"][0][1].as_array().expect("a row");
    assert!(off.iter().all(|x| x.as_f64() == Some(0.0)));
    let table = super::support::printed(&words(&["--attention"]));
    assert!(table.contains("not why the model answers"), "{table}");

    for (more, says) in [
        (
            &["--attention", "--query", "24"][..],
            "there is no position 24: the prompt's 24 tokens are counted 0 to 23",
        ),
        (&["--query", "3"], "--attention"),
        (&["--lens", "3", "--lens-at", "7,99"], "there is no position 99"),
        (&["--attention", "--plan", "1-2~h0"], "range"),
    ] {
        let sentence = super::support::refused(&words(more));
        assert!(sentence.contains(says), "{sentence}");
    }
}

/// A word of several tokens has no row to follow; its pieces are named.
#[test]
fn a_followed_word_is_one_token_from_depth_to_depth() {
    let asked = |word: &str| {
        super::support::atelier(&[
            "lens",
            "--model",
            "scholar-2",
            "--prompt",
            "the ball is",
            "--option",
            " red",
            "--option",
            " blue",
            "--answer",
            "0",
            "--lens",
            "2",
            "--follow",
            word,
            "--json",
        ])
    };
    let output = asked(" red");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let depths = report["lens"]["logit_lens"].as_array().expect("entries");
    assert!(depths.iter().all(|depth| depth["followed"][0]["rank"].as_u64() >= Some(1)));
    let output = asked(" red blue");
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{why}");
    assert!(why.contains("blue"), "{why}");
    // A word that the model reads as any other unknown one is not the word that was asked.
    let output = asked(" zeppelin");
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{why}");
    assert!(why.contains("does not know") && why.contains("zeppelin"), "{why}");
}

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
        let ids: Vec<String> =
            golden[field].as_array().expect(field).iter().map(Value::to_string).collect();
        ids.join(",")
    };
    let mut args = vec!["--model".to_string(), model(golden["model"].as_str().expect("a model"))];
    args.extend(["--ids".into(), list("ids"), "--rows".into(), list("rows")]);
    compare_all(name, &golden, args);
}

fn by_text(name: &str) {
    let golden = golden(name);
    let folder = in_project("../shared/models").join(golden["model"].as_str().expect("a model"));
    if !folder.is_dir() {
        // Past the test harness, which keeps what a passing test prints to itself.
        let line = format!("SKIPPED {name}: {} is not there\n", folder.display());
        std::io::stderr().write_all(line.as_bytes()).expect("standard error");
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
    args.extend(["--answer".into(), golden["answer"].to_string(), "--json".into()]);
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
                let found =
                    found.as_f64().unwrap_or_else(|| panic!("{place}: {found} for {golden}"));
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
