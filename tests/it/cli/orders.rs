//! `atelier orders` as a person runs it.

use super::support::{atelier, in_project, printed, refused, report, words};
use crate::common::skipped;

/// A small sweep of a shipped model, with more options.
fn small(more: &str) -> Vec<String> {
    words(&format!("orders --model scholar-4 --task topic --strategy drop,swap --rows 20 {more}"))
}

fn data(path: &str) -> Option<String> {
    let path = in_project("../shared/data").join(path);
    if !path.exists() {
        skipped(&format!("{} is not here; its rows were not run", path.display()));
        return None;
    }
    Some(path.display().to_string())
}

#[test]
fn a_sweep_has_its_points_and_a_plan_of_the_readers_own() {
    let found = report(&small("--json --plan 0,2,1,3"));
    let orders = &found["orders"][0];
    assert_eq!(orders["rows"], 20);
    assert_eq!(orders["points"].as_array().map(Vec::len), Some(7));
    let variants = orders["variants"].as_array().expect("variants");
    assert_eq!(variants.len(), 8, "the sweeps' and the reader's own");
    // swap:1 is that plan by another name.
    let (own, swap) = (&variants[7], &variants[5]);
    assert_eq!((&own["plan"], &swap["name"]), (&swap["plan"], &"swap:1".into()));
    assert_eq!(own["measures"], swap["measures"]);
    let csv = printed(&small("--csv"));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 1 + 7);
    assert!(lines[0].starts_with("task,order,plan,rows,accuracy,accuracy_low,accuracy_high"));
    assert!(lines[1].starts_with("topic,original,0-3,20,"));
}

#[test]
fn several_tasks_have_medians_and_plans_a_geometry() {
    let sweep = "orders --model scholar-4 --task topic,mood,last --strategy skip --rows 16";
    let found = report(&words(&format!("{sweep} --plan reverse:0 --geometry --json")));
    assert_eq!(found["orders"].as_array().map(Vec::len), Some(3));
    // skip:0, skip:1 and the plan that has a strategy's name.
    assert_eq!(found["medians"].as_array().map(Vec::len), Some(3));
    for orders in found["orders"].as_array().expect("orders") {
        let geometry = orders["geometry"].as_array().expect("geometry");
        assert_eq!(geometry.len(), 2, "the original's and the plan's");
        assert_eq!(geometry[1]["plan"], "0,3-1");
        assert_eq!(geometry[0]["cosine_map"].as_array().map(Vec::len), Some(5));
    }
}

/// The medians' table has a line a head, each with its head.
#[test]
fn medians_of_heads_are_told_apart() {
    let line = "orders --model scholar-2 --task sum,topic --strategy heads --rows 4";
    let printed = String::from_utf8(atelier(&words(line)).stdout).expect("UTF-8");
    let (_, medians) = printed.split_once("medians over 2 tasks").expect("medians");
    let names = medians.lines().filter(|line| line.contains("head"));
    let names: Vec<_> = names
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("head")))
        .collect();
    assert!(names.contains(&"head:0:0") && names.contains(&"head:1:1"), "{names:?}");
    let distinct: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

/// Nothing says of which weights a prompt's numbers are: other weights' sweeps stood beside them, under one name.
#[test]
fn a_report_without_a_fingerprint_is_nothing_to_go_on_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let prompt =
        ["--prompt", "The sum of 2 and 3 is", "--option", " 5", "--option", " 6", "--answer", "0"];
    let rows = ["--task", "sum", "--rows", "3"];
    for (name, asked) in [("lens", &prompt[..]), ("need", &prompt), ("need", &rows)] {
        let out = folder.path().join(format!("{}-{}", asked.len(), name)).display().to_string();
        let model = ["--model", "scholar-2", "--out", &out];
        printed(&[&[name][..], &model, asked].concat());
        let before = std::fs::read(&out).expect("a report");
        for command in ["orders", "coupling"] {
            let again = [&[command][..], &model, &rows, &["--resume"]].concat();
            let why = refused(&again);
            assert!(why.contains("cannot be resumed"), "{command} of {name}: {why}");
            assert!(std::fs::read(&out).expect("a report") == before, "{command} of {name}");
        }
    }
}

#[test]
fn the_two_block_model_says_which_sweeps_it_lacks() {
    let output = atelier(&["orders", "--model", "scholar-2", "--task", "topic", "--rows", "8"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    for sweep in ["reverse", "shuffle", "parallel"] {
        assert!(said.contains(&format!("{sweep} needs at least 3")), "{said}");
    }
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("loop:0:8") && text.contains("skip:0"), "{text}");
}

#[test]
fn the_painters_five_data_sets_run_through_a_story_model() {
    let model = in_project("../shared/models/stories260k").display().to_string();
    for (task, path, words) in [
        ("lambada", "lambada/lambada_test_openai.jsonl", "perplexity"),
        ("hellaswag", "hellaswag/val_first_1000.txt", "chance 25.0 %"),
        ("winogrande", "winogrande/winogrande_dev.llmfoundry.jsonl", "chance 50.0 %"),
        ("arc", "arc/arc_challenge_test.llmfoundry.jsonl", "of the whole vocabulary"),
        ("gsm8k", "gsm8k/test.jsonl", "written greedily"),
    ] {
        let Some(path) = data(path) else { return };
        // Generating recomputes every token under every order: few rows, one order.
        let (rows, plan) = if task == "gsm8k" { ("2", "0-3") } else { ("8", "0,2,1,3,4") };
        let text = printed(&[
            "orders", "--model", &model, "--task", task, "--data", &path, "--rows", rows, "--plan",
            plan,
        ]);
        assert!(text.contains(words) && text.contains(plan), "{words} in\n{text}");
        assert!(text.contains(&format!("{rows} rows")), "{text}");
    }
}
