//! `atelier coupling --resume`: what was stopped or killed ends as what was not, and nothing of another
//! run is mixed into it.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::support::{copy, folder, line, printed, refuses};

fn begin(args: &[String]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    let command = command.args(args).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().expect("a run")
}

#[test]
fn rows_are_kept_and_gone_on_with() {
    let folder = folder();
    let out = folder.path().join("kept.atelier.json").display().to_string();
    let asked = ["coupling", "--model", "scholar-2", "--task", "topic", "--top", "4"];
    let of = |rest: &[&str]| line(&asked, rest);
    let table = printed(&of(&["--rows", "3", "--out", &out]));
    assert!(table.contains("topic: 3 rows"), "{table}");
    assert!(table.contains("Coupling against what other orders cost"), "{table}");
    let kept = std::fs::read(&out).expect("the report");
    refuses(&of(&["--rows", "3", "--out", &out]), "is there already");
    // What is done is not done again, and ends as it was.
    printed(&of(&["--rows", "3", "--out", &out, "--resume"]));
    assert_eq!(std::fs::read(&out).expect("the report"), kept);
    refuses(&of(&["--rows", "2", "--out", &out, "--resume"]), "other questions");
    refuses(&of(&["--rows", "3", "--seed", "1", "--out", &out, "--resume"]), "other");
    refuses(&of(&["--rows", "3", "--method", "lanczos", "--out", &out, "--resume"]), "method");
    let other = ["coupling", "--model", "scholar-4", "--task", "topic"];
    let other = [&other[..], &["--rows", "3", "--out", &out, "--resume"]].concat();
    refuses(&other, "was written for scholar-2");
    let mut edited: Value = serde_json::from_slice(&kept).expect("JSON");
    edited["task_coupling"][0]["each"][0]["cosine"][0] = serde_json::json!(0.123);
    std::fs::write(&out, edited.to_string()).expect("written");
    refuses(&of(&["--rows", "3", "--out", &out, "--resume"]), "other numbers than it holds now");
    let csv = printed(&of(&["--rows", "2", "--csv"]));
    assert_eq!(csv.lines().count(), 1 + 4);
    assert!(csv.starts_with("model,task,rows,k,step,basis_step,off_diagonal,"), "{csv}");
}

/// Two folders of one name are two models.
#[test]
fn another_model_of_the_same_name_is_refused() {
    let folder = folder();
    let out = folder.path().join("kept.atelier.json").display().to_string();
    let [first, second] = [("scholar-2", "d1/m"), ("scholar-4", "d2/m")]
        .map(|(model, to)| copy(model, &folder.path().join(to)));
    let of = |model: &str, rest: &[&str]| {
        let asked = ["coupling", "--model", model, "--task", "topic"];
        let rows = ["--rows", "2", "--top", "4", "--out", &out];
        line(&asked, &[&rows, rest].concat())
    };
    printed(&of(&first, &[]));
    let kept = std::fs::read(&out).expect("the report");
    refuses(&of(&second, &["--resume"]), "was written for another m");
    assert!(std::fs::read(&out).expect("the report") == kept);
}

/// A prompt's numbers are no rows.
#[test]
fn a_report_of_one_prompt_is_nothing_to_go_on_from() {
    let folder = folder();
    let out = folder.path().join("one.atelier.json").display().to_string();
    let of = |rest: &[&str]| line(&["coupling", "--model", "scholar-2", "--out", &out], rest);
    printed(&of(&["--prompt", "The soup is not awful. So it is", "--top", "4"]));
    let kept = std::fs::read(&out).expect("the report");
    let resumed = ["--task", "sum", "--rows", "2", "--resume", "--csv"];
    refuses(&of(&resumed), "it is a report of one prompt");
    assert!(std::fs::read(&out).expect("the report") == kept);
}

/// Killed after it saved by itself, it goes on from what it saved.
#[cfg(unix)]
#[test]
fn killed_rows_keep_what_was_saved() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let out = path("killed.atelier.json");
    let of = |out: &str, rows: &str, rest: &[&str]| {
        let asked = ["coupling", "--model", "scholar-8", "--task", "sum"];
        line(&asked, &[&["--rows", rows, "--top", "4", "--out", out], rest].concat())
    };
    let rows_in = |text: &str| -> u64 {
        let kept: Value = serde_json::from_str(text).unwrap_or_default();
        kept["task_coupling"][0]["rows"].as_u64().unwrap_or(0)
    };
    // As many rows as take longer than the time between two saves, on whatever machine.
    for rows in ["40", "80", "160", "320", "640", "1280", "2560", "5120"] {
        let _ = std::fs::remove_file(&out);
        let mut child = begin(&of(&out, rows, &[]));
        let mut saved = 0;
        while saved == 0 && child.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(20));
            saved = rows_in(&std::fs::read_to_string(&out).unwrap_or_default());
        }
        let _ = child.kill();
        let end = child.wait().expect("an end");
        let kept = std::fs::read_to_string(&out).expect("the report");
        let all: u64 = rows.parse().expect("a number");
        // Done before it was killed, or while it was.
        if end.code().is_some() || rows_in(&kept) == all {
            assert!(end.code().is_none_or(|code| code == 0), "{end}");
            continue;
        }
        assert!((1..all).contains(&rows_in(&kept)), "{rows}");
        printed(&of(&out, rows, &["--resume"]));
        let whole = path("whole.atelier.json");
        printed(&of(&whole, rows, &[]));
        let [whole, out] = [&whole, &out].map(|path| std::fs::read(path).expect("a report"));
        assert!(whole == out, "{rows} rows, killed with {saved}");
        return;
    }
    panic!("it never saved before its end");
}
