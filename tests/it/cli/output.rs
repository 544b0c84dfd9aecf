//! Outputs for people and for programs.

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::support::{Folder, atelier, in_project, model, printed, report, two_options, words};
use crate::common::copy_folder;

const IDS: [&str; 6] = ["--ids", "1,5,9", "--rows", "17,230,401", "--answer", "2"];

fn lens<'a>(model: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&["lens", "--model", model], &IDS[..], rest].concat()
}

#[test]
fn many_options_still_fit_a_line() {
    let ids = "--ids 3 --rows 10,11,12,13,14,15,16,17,18,19 --answer 9";
    let text = printed(&words(&format!("lens --model '{}' {ids}", model("random-llama2"))));
    assert!(text.contains("choice"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_report_is_printed_and_written() {
    let folder = Folder::copy_of("random-llama2");
    let model = model("random-llama2");
    let out = folder.file("lens.atelier.json");
    folder.write("lens.atelier.json", b"what was there before");
    let printed =
        report(&lens(&model, &["--json", "--force", "--out", out.to_str().expect("UTF-8")]));
    let written: Value =
        serde_json::from_slice(&folder.read("lens.atelier.json")).expect("a report");
    assert_eq!(printed, written);
    assert_eq!(printed["atelier"], 1);
    assert_eq!(printed["model"]["name"], "random-llama2");
    assert_eq!(printed["lens"]["plan"], "0-5");
    let files = std::fs::read_dir(folder.file("")).expect("the folder").count();
    assert_eq!(files, 3, "no unfinished file is left beside it");
}

#[test]
fn a_file_of_prompts_gives_every_row_and_their_averages() {
    let folder =
        Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue", "green", "not"]);
    let rows = [
        r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#,
        r#"{"ids": [1, 2, 3, 7], "rows": [4, 5, 6], "answer": 1}"#,
        r#"{"prompt": "the", "options": [" red", " blue", " green"], "answer": 0}"#,
    ];
    folder.write("rows.jsonl", (rows.join("\n\n") + "\n").as_bytes());
    let (path, file) = (folder.path(), folder.file("rows.jsonl").display().to_string());
    let args = ["lens", "--model", &path, "--prompts", &file, "--plan", "reverse:1"];
    let prompts = &report(&[&args[..], &["--json"]].concat())["prompts"];
    let seen = prompts["rows"].as_array().expect("rows");
    assert_eq!(seen.len(), 3);

    // A row in a batch is the row alone.
    let line =
        "--prompt 'the ball is' --option ' red' --option ' blue' --answer 1 --plan reverse:1";
    let alone = report(&words(&format!("lens --model '{path}' {line} --json")));
    assert_eq!(alone["lens"]["option_token_ids"], serde_json::json!([4, 5]));
    let logits = |lens: &Value| -> Vec<f64> {
        lens["logits"]
            .as_array()
            .expect("logits")
            .iter()
            .map(|x| x.as_f64().expect("a number"))
            .collect()
    };
    for (a, b) in logits(&alone["lens"]).iter().zip(logits(&seen[0])) {
        assert!((a - b).abs() < 1e-4 * a.abs().max(1.0), "{a} {b}");
    }

    let averages = &prompts["averages"];
    let mean = |of: &dyn Fn(&Value) -> f64| seen.iter().map(of).sum::<f64>() / 3.0;
    let number = |value: &Value| value.as_f64().expect("a number");
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} {b}");
    close(
        number(&averages["accuracy"]),
        mean(&|row| if row["correct"] == true { 1.0 } else { 0.0 }),
    );
    close(number(&averages["majority"]), 2.0 / 3.0);
    close(number(&averages["probability"]["mse"]), mean(&|row| number(&row["probability"]["mse"])));
    for part in ["logit", "centred", "offset"] {
        let diversity = |of: &Value| number(&of[part]["diversity"]);
        close(diversity(averages), mean(&diversity));
    }
    close(
        number(&averages["by_depth"][4]["paper"]["mse"]),
        mean(&|row| number(&row["by_depth"][4]["paper"]["mse"])),
    );

    let text = printed(&args);
    println!("{text}");
    // The same rows from standard input.
    let mut piped = Command::new(env!("CARGO_BIN_EXE_atelier"));
    piped.args(["lens", "--model", &path, "--prompts", "-", "--plan", "reverse:1"]);
    let rows = std::fs::File::open(folder.file("rows.jsonl")).expect("rows.jsonl");
    let piped = piped.stdin(rows).output().expect("atelier starts");
    assert_eq!(String::from_utf8_lossy(&piped.stdout), text);
    assert!(
        text.contains("prompts   3, right among the options ") && text.contains("66.7 %"),
        "{text}"
    );
    assert!(text.contains("Means over 3 prompts"), "{text}");
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_atelier"))
        .args(lens(&model("random-llama2"), &["--json"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("atelier starts");
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().expect("stderr").read_to_string(&mut errors).expect("UTF-8");
    assert!(child.wait().expect("an end").success(), "{errors}");
    assert_eq!(errors, "");
}

#[test]
fn an_interrupted_run_leaves_the_file_as_it_was() {
    let folder = Folder::copy_of("random-llama2");
    folder.write("out.atelier.json", b"what was there before");
    // Work for far longer than the moment that it is given.
    let ids = vec!["7"; 200].join(",");
    let row = format!("{{\"ids\": [{ids}], \"rows\": [3, 4], \"answer\": 0}}\n");
    folder.write("rows.jsonl", row.repeat(20_000).as_bytes());
    let mut child = Command::new(env!("CARGO_BIN_EXE_atelier"))
        .args(["lens", "--model", &folder.path(), "--prompts"])
        .arg(folder.file("rows.jsonl"))
        .arg("--out")
        .arg(folder.file("out.atelier.json"))
        .arg("--force")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("atelier starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill().expect("it was still running");
    child.wait().expect("an end");
    assert_eq!(folder.read("out.atelier.json"), b"what was there before");
    let files = std::fs::read_dir(folder.file("")).expect("the folder").count();
    assert!(files <= 5, "what was there, and the unfinished file");
    // Who is killed cannot clean up; the next run does.
    let mut next = Command::new(env!("CARGO_BIN_EXE_atelier"));
    next.args(["lens", "--model", &folder.path(), "--ids", "1,2"]);
    next.args(["--rows", "3,4", "--answer", "0", "--force", "--out"]);
    let next = next.arg(folder.file("out.atelier.json")).output();
    assert!(next.expect("atelier starts").status.success());
    let files = std::fs::read_dir(folder.file("")).expect("the folder");
    assert_eq!(files.count(), 4, "no unfinished file is left beside it");
}

/// Names of folders and texts in files come from others: none of them moves the cursor or sets the title.
#[cfg(unix)]
#[test]
fn what_is_shown_does_not_speak_to_the_terminal() {
    const NAME: &str = "x\u{1b}[31m\u{1b}]0;title\u{7}\u{9b}2J\ny";
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join(NAME);
    copy_folder(&in_project("tests/models/random-llama2"), &own);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rows = path(&format!("{NAME}.jsonl"));
    std::fs::write(&rows, "{\"ids\": [1, 2], \"rows\": [3, 4], \"answer\": 0}\n").expect("written");
    let data = format!("\u{1b}[31mit is {NAME},1\nit is,0\n").replace("\ny", "y");
    let [task, all] = two_options(folder.path(), ["good", "bad"], &data);
    let (own, out) = (own.display().to_string(), path("out"));
    let runs: [&[&str]; 5] = [
        &["lens", "--model", &own, "--ids", "1", "--rows", "3,4", "--answer", "0"],
        &["lens", "--model", &own, "--prompts", &rows],
        &["orders", "--model", &own, "--prompts", &rows, "--strategy", "drop"],
        &["tasks", "check", &task, "--data", &all],
        &["survey", "--models", &own, "--tasks", "sum", "--rows", "2", "--out", &out],
    ];
    for run in runs {
        let output = atelier(run);
        let code = output.status.code();
        let shown = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        assert!(shown.contains("[31m"), "{run:?} shows no name: {shown}");
        let raw = shown.chars().find(|&c| c.is_control() && c != '\n');
        assert_eq!(raw, None, "{run:?} ends with {code:?}: {shown:?}");
        assert!(!shown.contains("2J\ny"), "a name is one line: {shown}");
    }
}
