//! `atelier generate`: what it writes, where it ends, and what it refuses.

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::support::{atelier, model, printed};

fn json(args: &[&str]) -> Value {
    let line = printed(&[args, &["--json"]].concat());
    serde_json::from_str(&line).expect("JSON")
}

#[test]
fn words_go_on_from_the_prompt_and_are_those_of_the_json() {
    let args = ["generate", "--model", "scholar-4", "--prompt", "Ann is in the", "--tokens", "7"];
    let text = printed(&args);
    let line = json(&args);
    let written = line["written"].as_str().expect("a text");
    assert_eq!(text, format!("Ann is in the{written}\n"));
    let ids = line["written_ids"].as_array().expect("ids");
    assert!(!ids.is_empty() && ids.len() <= 7, "{line}");
    // The same, token by token, as the likeliest next ones.
    let order = printed(&[&args[..], &["--plan", "0-3"]].concat());
    assert_eq!(order, text, "the model's own order");
    let other = json(&[&args[..], &["--plan", "(0-3)x2"]].concat());
    assert_eq!(other["plan"], "(0-3)x2");
}

#[test]
fn ids_are_written_for_a_model_without_a_tokenizer_until_its_context_is_full() {
    let folder = model("random-pythia");
    let args = ["generate", "--model", &folder, "--ids", "1,5,9", "--tokens"];
    let few = printed(&[&args[..], &["4"]].concat());
    let line = json(&[&args[..], &["4"]].concat());
    assert_eq!(line["written"], Value::Null);
    assert_eq!(line["ended"], "tokens");
    let ids: Vec<String> =
        line["written_ids"].as_array().expect("ids").iter().map(Value::to_string).collect();
    assert_eq!(few, format!("{}\n", ids.join(",")));

    // 64 tokens are its context.
    let output = atelier(&[&args[..], &["1000", "--json"]].concat());
    assert!(output.status.success());
    let line: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(line["ended"], "context");
    assert_eq!(line["written_ids"].as_array().map(Vec::len), Some(61));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(said, "atelier: the model's context of 64 tokens is full after 61 written ones\n");
}

#[test]
#[cfg(unix)]
fn ctrl_c_keeps_what_was_written() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_atelier"))
        .args(["generate", "--model", &model("random-llama2"), "--ids", "1,2"])
        .args(["--tokens", "100000", "--plan", "(0-3)x64,(0-3)x64,(0-3)x64,(0-3)x64"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("atelier starts");
    let mut out = child.stdout.take().expect("its output");
    let mut first = [0; 1];
    out.read_exact(&mut first).expect("a first id");
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill").success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("what was written");
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    // A fast machine may have filled the context.
    match output.status.code() {
        Some(130) => assert!(said.contains("\natelier: stopped after "), "{said}"),
        code => assert_eq!(code, Some(0), "{said}"),
    }
    assert!(rest.ends_with('\n'), "whole ids and a line's end");
    let ids = format!("{}{}", char::from(first[0]), rest.trim_end());
    assert!(ids.split(',').all(|id| id.parse::<u32>().is_ok()), "{ids}");
}
