//! `atelier coupling --models`: several models, or checkpoints of trainings, side by side.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::support::{atelier, folder, line, printed, refuses, report, words};
use crate::common::{copy_folder, succeeded};

const PROMPT: &str = "Ann says that the soup is not awful. So it is";

/// Two models on rows of one task.
const TOPIC: &str = "coupling --models scholar-2,scholar-4 --task topic --top 4";

fn relations<'a>(report: &'a Value, to: &str) -> Vec<&'a Value> {
    let all = report["coupling_models"]["relations"].as_array();
    let all = all.expect("relations").iter();
    all.filter(|relation| relation["to"] == to).collect()
}

/// Rows are read once for all models: standard input cannot be read again.
#[test]
fn rows_come_through_standard_input() {
    let rows = "{\"prompt\": \"The soup is bad. So it is\", \"options\": [\" good\", \" bad\"], \"answer\": 1}\n";
    let words = ["coupling", "--models", "scholar-2,scholar-4", "--prompts", "-", "--top", "4"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args(words).arg("--json").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("atelier starts");
    child.stdin.take().expect("a pipe").write_all(rows.as_bytes()).expect("rows");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let models = report["coupling_models"]["models"].as_array().expect("models");
    let rows = models.iter().map(|model| &model["report"]["task_coupling"][0]["rows"]);
    assert_eq!(rows.collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn models_side_by_side() {
    let folder = folder();
    let out = folder.path().join("models.atelier.json").display().to_string();
    let two = ["coupling", "--models", "scholar-2,scholar-4", "--top", "4"];
    let of = |rest: &[&str]| line(&two, rest);
    let table = printed(&of(&["--prompt", PROMPT]));
    assert!(table.contains("The models at K = 4"), "{table}");
    let table = printed(&of(&["--task", "topic", "--rows", "2", "--out", &out]));
    assert!(table.contains("number of steps, topic"), "{table}");
    let kept = std::fs::read(&out).expect("the report");
    printed(&of(&["--task", "topic", "--rows", "2", "--out", &out, "--resume"]));
    assert_eq!(std::fs::read(&out).expect("the report"), kept);
    let found: Value = serde_json::from_slice(&kept).expect("JSON");
    let models = found["coupling_models"]["models"].as_array().expect("models");
    assert_eq!(models.len(), 2);
}

/// A model's cost under a kind of other orders is the mean of its costs under each of them.
#[test]
fn models_against_what_skipping_and_swapping_cost() {
    let found = report(&words(&format!("{TOPIC} --rows 6 --json")));
    for (to, sweep) in [("mean_swap_margin", "swap:"), ("mean_drop_margin", "drop:")] {
        let relations = relations(&found, to);
        assert_eq!(relations.len(), 2, "one a metric");
        for (n, point) in relations[0]["points"].as_array().expect("points").iter().enumerate() {
            let model = &found["coupling_models"]["models"][n]["report"];
            assert_eq!(point["name"], model["model"]["name"]);
            let costs = model["task_coupling"][0]["costs"].as_array().expect("costs");
            let of = |cost: &&Value| cost["order"].as_str().is_some_and(|of| of.starts_with(sweep));
            let costs = costs.iter().filter(of);
            let costs: Vec<f64> =
                costs.filter_map(|cost| cost["margin"]["mean"].as_f64()).collect();
            let mean = costs.iter().sum::<f64>() / costs.len() as f64;
            let y = point["y"].as_f64().expect("a cost");
            assert!((y - mean).abs() < 1e-12, "{to}: {y}, {mean}");
        }
    }
    let table = printed(&words(&format!("{TOPIC} --rows 2")));
    assert!(table.contains("\nneighbours, mean, topic"), "{table}");
}

/// Steps are the plan's that ran, in the table and in the relation.
#[test]
fn depth_is_of_the_plan() {
    let words = ["coupling", "--models", "scholar-2,scholar-4", "--prompt", PROMPT];
    let of = |rest: &[&str]| line(&words, &[&["--top", "4"], rest].concat());
    let table = printed(&of(&["--plan", "0-1"]));
    let row = table.lines().find(|line| line.starts_with("scholar-4  the prompt"));
    let row = row.unwrap_or_else(|| panic!("no line of it in:\n{table}"));
    let steps = row.split_whitespace().nth(3);
    assert_eq!(steps, Some("2"), "{row}");
    let own = report(&of(&["--json"]));
    assert_eq!(relations(&own, "depth").len(), 2);
    // Both ran two steps: nothing to hold the coupling against.
    let same = report(&of(&["--plan", "0-1", "--json"]));
    assert!(relations(&same, "depth").is_empty());
}

#[test]
fn several_models_as_csv() {
    let csv = printed(&words(&format!("{TOPIC} --rows 2 --csv")));
    let lines: Vec<&str> = csv.lines().collect();
    let columns = lines[0].split(',').count();
    assert_eq!(lines.len(), 1 + 2 * 2 + 4 * 4);
    assert!(lines[1..].iter().all(|line| line.split(',').count() == columns));
    let of = |name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!((of("scholar-2,topic,2,4,"), of("scholar-4,topic,2,4,")), (4, 16));
}

/// A tiny training; its checkpoints say their steps, and another training's are called alike.
#[test]
fn checkpoints_of_trainings_side_by_side() {
    let folder = folder();
    let place = |path: &str| folder.path().join(path).display().to_string();
    let train = "train --blocks 2 --width 32 --tokens 20000 --batch 8 --snapshots --out";
    let output = atelier(&words(&format!("{train} '{}'", place("first"))));
    succeeded(&output);
    for step in ["step-000000", "step-000058"] {
        assert!(Path::new(&place("first")).join(step).is_dir(), "{step}");
    }
    let asked = ["--task", "topic", "--rows", "2", "--top", "4"];
    let of = |models: &[&str], rest: &[&str]| {
        let models: Vec<String> = models.iter().map(|model| place(model)).collect();
        line(&["coupling", "--models", &models.join(",")], &[&asked[..], rest].concat())
    };
    let found = report(&of(&["first/step-000000", "first/step-000058"], &["--json"]));
    let models = found["coupling_models"]["models"].as_array().expect("models");
    let steps: Vec<_> = models.iter().map(|model| model["training_step"].as_u64()).collect();
    assert_eq!(steps, [Some(0), Some(58)]);
    let training = relations(&found, "training");
    assert_eq!(training.len(), 2, "one a metric");
    for relation in training {
        let points = relation["points"].as_array().expect("points");
        let at: Vec<_> = points.iter().map(|point| point["y"].as_f64()).collect();
        assert_eq!(at, [Some(0.0), Some(58.0)]);
        assert!(points.iter().all(|point| point["x"].is_number()));
    }
    // Of a second training the last checkpoint alone; its files are this one's, its name too.
    let second = folder.path().join("second/step-000058");
    copy_folder(Path::new(&place("first/step-000058")), &second);
    let both = ["first/step-000058", "second/step-000058"];
    let out = place("both.atelier.json");
    let table = printed(&of(&both, &["--out", &out]));
    for name in ["first/step-000058   topic", "second/step-000058  topic"] {
        assert!(table.contains(name), "`{name}` is not in:\n{table}");
    }
    let kept = std::fs::read(&out).expect("the report");
    printed(&of(&both, &["--out", &out, "--resume"]));
    assert!(std::fs::read(&out).expect("the report") == kept);
    refuses(&of(&["first/step-000058"; 2], &[]), "names step-000058 twice");
}
