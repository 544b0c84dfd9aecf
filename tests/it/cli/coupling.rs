//! `atelier coupling`: what it prints, what it refuses, and how it goes on.

use serde_json::Value;

use super::support::{Folder, in_project, line, model, printed, refuses, report};

const PROMPT: &str = "Ann says that the soup is not awful. So it is";

fn scholar(rest: &[&str]) -> Vec<String> {
    line(&["coupling", "--model", "scholar-4", "--prompt", PROMPT], rest)
}

fn ids(rest: &[&str]) -> Vec<String> {
    let folder = model("random-llama2");
    line(&["coupling", "--model", &folder, "--ids", "1,5,9,17,4"], rest)
}

#[test]
fn bad_input_is_one_sentence() {
    refuses(&ids(&["--top", "999"]), "999 leading vectors");
    refuses(&ids(&["--top", "0"]), "--top 0");
    refuses(&ids(&["--top", "-4"]), "--top");
    refuses(&ids(&["--self", "2,5"]), "there is no position 5");
    refuses(&ids(&["--input", "3:2"]), "token 3 comes after token 2");
    refuses(&ids(&["--output", "1:0,4"]), "token 4 comes after token 1");
    refuses(&ids(&["--input", "3"]), "a colon");
    refuses(&ids(&["--output", "3:x"]), "'x' is not a whole number");
    // By the flag's name, though it looks like another flag.
    refuses(&ids(&["--self", "-1"]), "--self");
    refuses(&ids(&["--self", "1", "--steps", "-1,2"]), "--steps");
    refuses(&ids(&["--input", "-1:2"]), "--input");
    refuses(&ids(&["--output", "-1:2"]), "--output");
    // Rows are of tasks.
    refuses(&ids(&["--rows", "3"]), "--rows");
    refuses(&ids(&["--skip-long"]), "--skip-long");
    refuses(&ids(&["--steps", "0,1"]), "--self, --input and --output");
    refuses(&ids(&["--steps", "0", "--self", "1"]), "two steps");
    refuses(&ids(&["--steps", "0,99", "--self", "1"]), "there is no step 99");
    refuses(&ids(&["--plan", "0,77"]), "77");
    refuses(&ids(&["--ids", "99999999"]), "99999999");
    refuses(&ids(&["--seed", "4294967296"]), "4294967296 is not in 0..=4294967295");
    refuses(&ids(&["--resume"]), "--resume");
    refuses(&ids(&["--json", "--csv"]), "--csv");
    let folder = model("random-llama2");
    let of = |rest: &[&str]| line(&["coupling", "--model", &folder], rest);
    refuses(&of(&[]), "--prompt");
    refuses(&of(&["--ids", "99999999"]), "99999999");
    refuses(&of(&["--prompt", "a"]), "tokenizer.json");
    refuses(&of(&["--task", "nothing"]), "nothing");
    refuses(&of(&["--task", "sum", "--rows", "0"]), "--rows 0");
    refuses(&of(&["--task", "sum", "--self", "1"]), "--self");
    refuses(&["coupling", "--ids", "1"], "--model");
    let both = |models: &str, says: &str| {
        refuses(&["coupling", "--models", models, "--prompt", PROMPT], says);
    };
    both("scholar-2,scholar-2", "twice");
    both("scholar-2,scholar-99", "scholar-99");
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
