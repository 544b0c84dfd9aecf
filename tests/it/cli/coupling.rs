//! `atelier coupling`: what it prints, what it refuses, and how it goes on.

use serde_json::Value;

use super::support::{Folder, in_project, line, model, printed, report};

const PROMPT: &str = "Ann says that the soup is not awful. So it is";

fn scholar(rest: &[&str]) -> Vec<String> {
    line(&["coupling", "--model", "scholar-4", "--prompt", PROMPT], rest)
}

#[test]
fn a_prompt_as_json_and_csv() {
    let found = report(&scholar(&["--top", "8,4", "--json"]));
    let coupling = &found["coupling"];
    assert_eq!(coupling["top"], serde_json::json!([4, 8]));
    assert_eq!(coupling["steps"].as_array().map(Vec::len), Some(4));
    assert_eq!(coupling["prompt"], PROMPT);
    let map = &coupling["depth_wise"]["8"]["off_diagonal"];
    let csv = printed(&scholar(&["--top", "4,8", "--csv"]));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 16);
    let last = (coupling["token_ids"].as_array().map_or(0, Vec::len) - 1).to_string();
    let one: Vec<&str> = lines[1 + 16 + 1].split(',').collect();
    assert_eq!(one[..9], ["scholar-4", "depth_wise", "8", "0", &last, &last, "1", &last, &last]);
    let number: f64 = one[9].parse().expect("a number");
    assert_eq!(Some(number), map[0][1].as_f64());
}

#[test]
fn whole_jacobians_and_searches_say_the_same() {
    let of = |method: &str| report(&scholar(&["--top", "8", "--json", "--method", method]));
    let (whole, searched) = (of("whole"), of("lanczos"));
    assert_eq!(searched["coupling"]["method"], "lanczos");
    assert_eq!(searched["coupling"]["reason"], "asked");
    // A search is made again from the file alone; whole Jacobians have nothing to draw.
    assert_eq!(searched["coupling"]["seed"], 0);
    assert_eq!(whole["coupling"]["seed"], Value::Null);
    let map = |report: &Value| -> Vec<Vec<f64>> {
        let map = &report["coupling"]["depth_wise"]["8"]["off_diagonal"];
        serde_json::from_value(map.clone()).expect("a map")
    };
    for (a, b) in map(&whole).iter().flatten().zip(map(&searched).iter().flatten()) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
    let table = printed(&scholar(&["--method", "lanczos"]));
    assert!(table.contains("--method whole computes them"), "{table}");
}

#[test]
fn a_window_hides_what_lies_before_it() {
    let folder = model("random-mistral");
    let ids: Vec<String> = (0..24).map(|n| (n * 7 % 300).to_string()).collect();
    let line = ["coupling", "--model", &folder, "--ids", &ids.join(","), "--output", "23:0,20,23"];
    let table = printed(&line);
    assert!(table.contains("0 (the output does not see the input)"), "{table}");
}

#[test]
fn one_token_and_one_block() {
    let folder = model("random-llama2");
    let table =
        printed(&["coupling", "--model", &folder, "--ids", "7", "--plan", "1", "--top", "4"]);
    assert!(table.contains("1 step, 1 token;"), "{table}");
    assert!(table.contains("none"), "{table}");
}

#[test]
fn a_file_of_prompts_for_a_model_without_words() {
    let folder = Folder::copy_of("random-llama2");
    let rows = "{\"ids\": [1, 2, 3], \"rows\": [3, 4], \"answer\": 0}\n{\"ids\": [4, 2], \"rows\": [3, 4], \"answer\": 1}\n";
    folder.write("rows.jsonl", rows.as_bytes());
    let file = folder.file("rows.jsonl").display().to_string();
    let model = in_project("tests/models/random-llama2").display().to_string();
    let found =
        report(&["coupling", "--model", &model, "--prompts", &file, "--top", "4", "--json"]);
    assert_eq!(found["task_coupling"][0]["rows"], 2);
    let half =
        report(&["coupling", "--model", &model, "--prompts", &file, "--plan", "0,1m", "--json"]);
    let task = &half["task_coupling"][0];
    assert_eq!(task["costs"], Value::Null);
    assert!(task["accuracy"]["mean"].is_number());
}
