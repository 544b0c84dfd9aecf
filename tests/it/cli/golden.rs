//! `atelier lens --json` against `tests/golden`: the reference implementation's numbers in float64,
//! for the model's own order and for every plan.

use std::path::Path;

use serde_json::Value;

use super::support::{in_project, model, printed, report, words};
use crate::common::{TOLERANCE, parity, strings, u32s};

fn golden(name: &str) -> Value {
    let path = in_project(&format!("tests/golden/{name}.json"));
    serde_json::from_slice(&std::fs::read(path).expect(name)).expect("JSON")
}

/// The logit lens, step by step and member by member, and what is wrong with it.
#[test]
fn the_logit_lens_is_the_goldens() {
    let golden = golden("lens/random-llama3");
    let (model, ids, rows) = (model("random-llama3"), list(&golden, "ids"), list(&golden, "rows"));
    let words = ["lens", "--model", &model, "--ids", &ids, "--rows", &rows, "--answer", "0"];
    let lens = &report(&[&words[..], &["--lens", "5", "--json"]].concat())["lens"];
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
    let shown = printed(&[&words[..], &["--lens", "3", "--lens-norm", "held"]].concat());
    assert!(shown.contains("held at the run's end") && shown.contains("KL to"), "{shown}");
}

/// Every head's weights from the last token and from another, what it carries, and what is wrong with
/// what was asked.
#[test]
fn the_attention_pattern_is_the_goldens() {
    let golden = golden("families/random-qwen2");
    let (model, ids, rows) = (model("random-qwen2"), list(&golden, "ids"), list(&golden, "rows"));
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
    let table = printed(&words(&["--attention"]));
    assert!(table.contains("not why the model answers"), "{table}");
}

/// A word of several tokens has no row to follow; its pieces are named.
#[test]
fn a_followed_word_is_one_token_from_depth_to_depth() {
    let asked = |word: &str| {
        words(&format!(
            "lens --model scholar-2 --prompt 'the ball is' --option ' red' --option ' blue' --answer 0 \
             --lens 2 --follow '{word}' --json"
        ))
    };
    let found = report(&asked(" red"));
    let depths = found["lens"]["logit_lens"].as_array().expect("entries");
    assert!(depths.iter().all(|depth| depth["followed"][0]["rank"].as_u64() >= Some(1)));
}

/// The numbers of the command line are the goldens', for each model's own order and for every plan of it.
#[test]
fn every_golden_run_and_every_plan_of_it() {
    parity::goldens_hold_for(&mut lenses, TOLERANCE);
}

/// Asks the command line a golden's question under each order.
fn lenses(model: &Path, golden: &Value, orders: &[Option<&str>]) -> Vec<Value> {
    let mut words = ["lens", "--json", "--model"].map(str::to_owned).to_vec();
    words.push(model.display().to_string());
    match golden["prompt"].as_str() {
        Some(prompt) => {
            let options = strings(&golden["options"]).into_iter();
            words.extend(["--prompt".into(), prompt.to_owned()]);
            words.extend(options.flat_map(|option| ["--option".into(), option]));
        }
        None => {
            words.extend(["--ids".into(), list(golden, "ids")]);
            words.extend(["--rows".into(), list(golden, "rows")]);
        }
    }
    words.extend(["--answer".into(), golden["answer"].to_string()]);

    let lens = |order: &Option<&str>| {
        let plan = order.iter().flat_map(|line| ["--plan".to_owned(), (*line).to_owned()]);
        report(&words.iter().cloned().chain(plan).collect::<Vec<_>>())["lens"].take()
    };
    orders.iter().map(lens).collect()
}

/// Ids as the command line takes them.
fn list(golden: &Value, field: &str) -> String {
    let ids: Vec<String> = u32s(&golden[field]).iter().map(u32::to_string).collect();
    ids.join(",")
}
