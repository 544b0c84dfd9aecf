//! The text and the JSON of commands that among them write every kind of report.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::json;
use crate::cli::support::in_project;
use crate::snapshot::{check, check_near};

/// A snapshot's name, and the command: an underscore stands for a blank within a word, OUT for an empty folder.
type Guarded = (&'static str, &'static str);

const FILM: &str = "--prompt Ann_says_that_the_film_is_not_bad._So_it_is";
const ASKED: &str = "--option _good --option _bad --answer 0";
const IDS: &str = "--ids 1,5,9 --rows 17,230,201 --answer 2";

#[test]
fn lens() {
    hold(&[
        ("commands/lens", "lens --model scholar-4 FILM ASKED"),
        ("commands/lens-depths", "lens --model scholar-2 FILM ASKED --lens 3 --follow _good"),
        (
            "commands/lens-held",
            "lens --model tests/models/random-llama3 IDS --lens 2 --lens-norm held",
        ),
        ("commands/lens-attention", "lens --model scholar-2 FILM ASKED --attention --query 3"),
        ("commands/lens-plan", "lens --model tests/models/random-llama2 IDS --plan 0,(1-2),5m,3x2"),
        (
            "commands/lens-paper",
            "lens --model scholar-2 FILM ASKED --plan reverse:0 --column paper",
        ),
        ("commands/lens-heads", "lens --model scholar-4 FILM ASKED --plan 0-1,2~h1,3"),
        ("commands/lens-bias", "lens --model tests/models/random-gpt2 IDS --column logit"),
        (
            "commands/lens-quantised",
            "lens --model tests/models/gguf/random-llama3-wide-q4_k.gguf IDS",
        ),
        ("commands/lens-member", "lens --model scholar-4 FILM ASKED --member 2a --plan 0-2,2,3"),
        ("commands/lens-prompts", "lens --model scholar-4 --prompts tests/it/guards/rows.jsonl"),
    ]);
}

#[test]
fn orders() {
    hold(&[
        ("commands/orders", "orders --model scholar-4 --task sum --strategy drop,swap --rows 8"),
        ("commands/orders-heads", "orders --model scholar-2 --task mood --strategy heads --rows 8"),
        (
            "commands/orders-family",
            "orders --model scholar-4 --prompts tests/it/guards/rows.jsonl --strategy family --seeds 2 --rounds 2",
        ),
        (
            "commands/orders-plans",
            "orders --model scholar-4 --task topic --rows 6 --plan 0-3,3 --plan (0-3)x2 --geometry",
        ),
        ("commands/need", "need --model scholar-4 --task sum,topic --rows 6"),
    ]);
}

#[test]
fn coupling() {
    hold(&[
        ("commands/coupling", "coupling --model scholar-2 FILM --top 4"),
        (
            "commands/coupling-tokens",
            "coupling --model tests/models/random-llama2 --ids 1,5,9 --top 2 --self 1 --input 0:2 --output 2:0",
        ),
        ("commands/coupling-rows", "coupling --model scholar-2 --task topic --rows 3 --top 4"),
        (
            "commands/coupling-models",
            "coupling --models scholar-2,scholar-4 --task topic --rows 2 --top 2",
        ),
    ]);
}

#[test]
fn surveys_and_what_models_write() {
    hold(&[
        (
            "commands/survey",
            "survey --models scholar-2,scholar-4 --tasks sum,topic --rows 12 --out OUT",
        ),
        ("commands/generate", "generate --model scholar-4 --prompt Ann_is_in_the --tokens 7"),
        (
            "commands/generate-ids",
            "generate --model tests/models/random-pythia --ids 1,5,9 --tokens 4 --plan 0-1,1",
        ),
        ("commands/next", "next --model scholar-4 --prompt Ann_is_in_the"),
    ]);
}

/// These have no JSON.
#[test]
fn lists() {
    for (name, line) in [
        ("commands/models", "models"),
        ("commands/tasks", "tasks"),
        ("commands/tasks-check", "tasks check sum"),
    ] {
        check_near(&format!("{name}.txt"), &printed(line, ""));
    }
}

fn hold(guarded: &[Guarded]) {
    for (name, line) in guarded {
        check_near(&format!("{name}.txt"), &printed(line, ""));
        let report: Value = serde_json::from_str(&printed(line, "--json")).expect("JSON");
        check_near(&format!("{name}.json"), &json::lines(&report));
    }
}

/// The help of every command, and of their own commands; each has an example.
#[test]
fn help() {
    let mut waiting = vec![String::new()];
    let mut names = BTreeSet::new();
    while let Some(command) = waiting.pop() {
        let text = printed(format!("{command} --help").trim(), "");
        let list = text.split_once("Commands:\n").map_or("", |(_, list)| list);
        let (list, _) = list.split_once("\n\n").unwrap_or((list, ""));
        for inner in list.lines().filter_map(|line| line.split_whitespace().next()) {
            if inner != "help" {
                waiting.push(format!("{command} {inner}"));
            }
        }
        let name = if command.is_empty() { "atelier" } else { command.trim() };
        assert!(text.contains("\nExamples:\n  atelier "), "{name} --help has no example");
        let name = format!("{}.txt", name.replace(' ', "-"));
        check(&format!("help/{name}"), &text);
        names.insert(name);
    }

    let folder = in_project("tests/golden/help");
    let files = std::fs::read_dir(folder).expect("a folder");
    let files = files.map(|file| file.expect("a file").file_name().display().to_string());
    assert_eq!(files.collect::<BTreeSet<_>>(), names, "help of commands that are there");
}

/// Standard output of a command in the project's folder.
fn printed(line: &str, more: &str) -> String {
    let out = tempfile::tempdir().expect("a folder");
    let cache = tempfile::tempdir().expect("a folder");
    let out = out.path().join("out").display().to_string();
    let line = line.replace("FILM", FILM).replace("ASKED", ASKED).replace("IDS", IDS);
    let words = line.split(' ').chain(more.split_whitespace());
    let words = words.map(|word| match word {
        "OUT" => out.clone(),
        // A folder's name may have one.
        path if path.contains('/') => path.to_owned(),
        word => word.replace('_', " "),
    });
    let output = Command::new(env!("CARGO_BIN_EXE_atelier"))
        .current_dir(in_project(""))
        .args(words)
        .env("HF_HUB_CACHE", cache.path())
        .env("ATELIER_MODELS", cache.path().join("models"))
        .env_remove("HF_TOKEN")
        .output()
        .expect("atelier starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.replace(&out, "OUT").replace(&cache.path().display().to_string(), "CACHE")
}
