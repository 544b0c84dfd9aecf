//! The tasks in plain English, on the real model and on the command line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cli::support::{printed, refused, report};
use crate::common::{in_project, load, model_folder};
use atelier::chart::number::{fixed, percent_interval};
use atelier::measure::interval::share;
use atelier::study::orders::Sweeping;
use atelier::study::refusal::task_refusals;
use atelier::study::{LoadedModel, Running};
use atelier::task::item::Item;
use atelier::task::plain::PlainTask;

const REAL: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

fn real() -> LoadedModel {
    load(&model_folder(REAL).expect("it is never skipped"))
}

/// Answers of the real model's original order, one per row.
#[derive(Debug, Serialize, Deserialize)]
struct PlainAnswers {
    correct: Vec<bool>,
    first_word: Vec<bool>,
    log_likelihood: Vec<f64>,
}

/// A test runs one row of this many; `UPDATE=1` runs all and writes their answers.
const ONE_ROW_OF: usize = 5;
const ANSWERS: &str = "tests/golden/plain/smollm2.json";

/// Runs every `step`-th row of a task in the original order.
fn answers(model: &LoadedModel, task: PlainTask, step: usize) -> PlainAnswers {
    let rows = task.rows(usize::MAX).into_iter().step_by(step);
    let items: Vec<Item> = rows.map(|row| row.item).collect();
    let sweeping = Sweeping::start(model, task.name(), &items, Vec::new(), 0);
    let mut sweeping = sweeping.expect("rows that it reads");
    while sweeping.advance().expect("a batch").is_some() {}
    let rows = sweeping.orders().expect("an answer").original.rows;
    PlainAnswers {
        correct: rows.correct,
        first_word: rows.first_word,
        log_likelihood: rows.log_likelihood,
    }
}

#[test]
fn the_real_model_answers_as_the_table_of_the_manual_says() {
    let model = real();
    let path = in_project(ANSWERS);
    if std::env::var_os("UPDATE").is_some() {
        let all = PlainTask::ALL.map(|task| (task.name(), answers(&model, task, 1)));
        let text = serde_json::to_string(&BTreeMap::from(all)).expect("JSON");
        std::fs::write(&path, text + "\n").expect("the answers");
    }
    let text = std::fs::read_to_string(path).expect("the answers");
    let stored: BTreeMap<String, PlainAnswers> = serde_json::from_str(&text).expect("answers");

    // 1. The table is that of the stored answers.
    let mut lines = Vec::new();
    let mut at_home = 0;
    for task in PlainTask::ALL {
        let PlainAnswers { correct, first_word, log_likelihood } = &stored[task.name()];
        assert_eq!(correct.len(), task.row_count(), "{}", task.name());
        let log_likelihood = log_likelihood.iter().sum::<f64>() / log_likelihood.len() as f64;
        let (accuracy, first_word) = (share(correct), share(first_word));
        at_home += usize::from(accuracy.mean >= 0.8 && first_word.mean >= 0.5);
        lines.push(format!(
            "| `{}` | {} | {} | {} | {} | {} |",
            task.name(),
            task.about(),
            task.row_count(),
            percent_interval(&accuracy),
            percent_interval(&first_word),
            fixed(log_likelihood, 2)
        ));
    }
    // Documents have plain spaces.
    let table = lines.join("\n").replace('\u{a0}', " ");
    let manual = std::fs::read_to_string(in_project("docs/tasks.md")).expect("the manual");
    assert!(manual.contains(&table), "docs/tasks.md lacks this table:\n{table}");
    assert!(at_home >= 5, "{at_home} tasks are within the model's reach");

    // 2. The model gives the stored answers.
    for task in PlainTask::ALL {
        let now = answers(&model, task, ONE_ROW_OF);
        let stored = &stored[task.name()];
        let name = task.name();
        assert_eq!(now.correct, every(&stored.correct), "{name}");
        assert_eq!(now.first_word, every(&stored.first_word), "{name}");
        for (now, stored) in now.log_likelihood.iter().zip(every(&stored.log_likelihood)) {
            assert!((now - stored).abs() < 1e-3, "{name}: ln P {now}, stored {stored}");
        }
    }
}

/// Returns the rows that [`answers`] runs.
fn every<T: Copy>(rows: &[T]) -> Vec<T> {
    rows.iter().copied().step_by(ONE_ROW_OF).collect()
}

#[test]
fn a_real_model_is_asked_plain_english_and_a_scholar_its_own_tasks() {
    let names = |model: &LoadedModel| {
        let refused = task_refusals(model).into_iter();
        refused.map(|refusal| refusal.task.name()).collect::<Vec<_>>()
    };
    let plain = PlainTask::ALL.map(PlainTask::name);
    assert_eq!(names(&load(&in_project("public/models/scholar-4"))), plain);
    let real = names(&real());
    assert!(plain.iter().all(|name| !real.contains(name)), "{real:?}");
    assert!(real.contains(&"sum"), "{real:?}");
    // Without a tokenizer nothing can be asked.
    let random = model_folder("random-falcon").expect("random models travel with the project");
    let refused = task_refusals(&load(&random));
    assert_eq!(refused.len(), 19);
    assert!(refused[0].reason.contains("tokenizer"), "{}", refused[0].reason);
}

#[test]
fn the_command_line_takes_a_task_and_its_group() {
    let model = model_folder(REAL).expect("it is never skipped").display().to_string();
    let listed = printed(&["tasks"]);
    let group: Vec<&str> = listed
        .lines()
        .skip_while(|line| !line.starts_with("plain: "))
        .take_while(|line| !line.starts_with("diversity: "))
        .collect();
    for task in PlainTask::ALL {
        let start = format!("{} ", task.name());
        assert!(group.iter().any(|line| line.starts_with(&start)), "{listed}");
    }
    let checked = printed(&["tasks", "check", "capitals"]);
    assert!(checked.contains("The capital of Italy is Rome. The capital of Canada is Ottawa."));

    // A group stands for its tasks, and needs no data.
    let found = report(&[
        "orders", "--model", &model, "--task", "plain", "--plan", "0-29", "--rows", "1", "--json",
    ]);
    let tasks: Vec<&str> = found["orders"].as_array().expect("orders").iter().map(name).collect();
    assert_eq!(tasks, PlainTask::ALL.map(PlainTask::name));
    let out = tempfile::tempdir().expect("a folder");
    let out = out.path().join("survey").display().to_string();
    let survey = ["--models", &model, "--tasks", "agreement,who", "--rows", "2", "--out", &out];
    printed(&[["survey"].as_slice(), &survey, &["--json"]].concat());

    let scholar = ["orders", "--model", "scholar-2", "--strategy", "drop"];
    let why = refused(&[scholar.as_slice(), &["--task", "capitals"]].concat());
    assert!(why.starts_with("capitals, row 1: ") && why.contains("<unk>"), "{why}");
    let why = refused(&[scholar.as_slice(), &["--task", "who", "--data", "Cargo.toml"]].concat());
    assert_eq!(why, "who needs no file: leave out --data");
}

fn name(orders: &serde_json::Value) -> &str {
    orders["task"].as_str().expect("a name")
}
