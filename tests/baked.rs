//! The pictures the page is born with are those the engine makes: each is made again by the command
//! line and compared. `UPDATE=1 cargo test --test baked` writes them anew.

use std::path::Path;
use std::process::Command;

use atelier::app::examples;
use atelier::app::link::Draft;
use serde_json::Value;

/// `atelier lens` on a draft.
fn lens(draft: &Draft) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args([
        "lens",
        "--json",
        "--model",
        draft.model.name(),
        "--prompt",
        &draft.prompt,
    ]);
    for option in &draft.options {
        command.args(["--option", option]);
    }
    command.args(["--answer", &draft.answer.to_string()]);
    let output = command.output().expect("the command line runs");
    assert!(
        output.status.success(),
        "{}: {}",
        draft.prompt,
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("a report")
}

#[test]
fn the_baked_picture_is_what_the_engine_makes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/examples/first.atelier.json");
    let made = lens(&examples::first());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, made.to_string() + "\n").expect("written");
        return;
    }
    let kept = std::fs::read_to_string(&path).expect("the baked example");
    let kept: Value = serde_json::from_str(&kept).expect("a report");
    assert!(
        close(&kept, &made),
        "the baked example is not what the engine makes now; if that is meant, run UPDATE=1 cargo test --test baked"
    );
    assert!(
        examples::baked().is_some(),
        "the page can read its baked example"
    );
}

#[test]
fn every_example_runs() {
    for example in examples::ALL {
        let report = lens(&example.draft(examples::first().model));
        let lens = &report["lens"];
        println!(
            "{:<14} {}",
            example.name,
            if lens["correct"] == true {
                "right"
            } else {
                "wrong"
            }
        );
        assert!(
            lens["sum_error"].as_f64().is_some_and(|error| error < 1e-3),
            "{}",
            example.name
        );
    }
}

/// Equal but for rounding: machines sum in different orders.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (
                x.as_f64().unwrap_or(f64::NAN),
                y.as_f64().unwrap_or(f64::NAN),
            );
            (x - y).abs() <= 1e-4 * x.abs().max(y.abs()).max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        _ => a == b,
    }
}
