//! The command line beside the page: what the program says of the same question.

use std::ffi::OsStr;
use std::process::Command;

use serde_json::Value;

use crate::page::root;

/// Runs the program in the project's folder, which must succeed, and returns what it prints.
pub fn printed<S: AsRef<OsStr>>(words: &[S]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    let output = command.current_dir(root()).args(words).output().expect("atelier starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The report that the program prints.
pub fn report<S: AsRef<OsStr>>(words: &[S]) -> Value {
    serde_json::from_slice(&printed(words)).expect("a report")
}

/// The report of `atelier lens` on a question with its options and the right answer; `more` are further words.
pub fn lens(model: &str, question: &Value, more: &[&str]) -> Value {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut words: Vec<String> = ["lens", "--json", "--model", model].map(str::to_owned).into();
    words.extend(["--prompt".into(), text(&question["prompt"])]);
    for option in question["options"].as_array().expect("options") {
        words.extend(["--option".into(), text(option)]);
    }
    words.extend(["--answer".into(), question["answer"].to_string()]);
    words.extend(more.iter().map(|&word| word.to_owned()));
    report(&words)
}

/// The report of `atelier lens` on the CPU, on the run of a page's report.
pub fn lens_of(report: &Value, more: &[&str]) -> Value {
    let plan = report["lens"]["plan"].as_str().expect("a plan");
    let more = [&["--engine", "cpu", "--plan", plan][..], more].concat();
    lens(report["model"]["name"].as_str().expect("a name"), &report["lens"], &more)
}

/// Checks that the numbers found are near those expected: `most` of the number apart, or `most` where it is below 1.
pub fn assert_near(found: &Value, expected: &Value, at: &str, most: f64) {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            assert!((a - b).abs() <= most * b.abs().max(1.0), "{at}: {a}, {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            for (n, (a, b)) in a.iter().zip(b).enumerate() {
                assert_near(a, b, &format!("{at}.{n}"), most);
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            for (key, b) in b {
                assert_near(&a[key], b, &format!("{at}.{key}"), most);
            }
        }
        (a, b) => assert_eq!(a, b, "{at}"),
    }
}
