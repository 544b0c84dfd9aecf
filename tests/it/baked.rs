//! The reports that the page and its tests draw are those that the engine makes: each is made again by the command
//! line and compared. `UPDATE=1 cargo test --test it baked::` writes them anew.

use std::process::Command;

use atelier::app::link::{Draft, SLIDER};
use atelier::app::{examples, first_picture};
use atelier::study::orders::OrderRows;
use atelier::study::report::Report;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::cli::support::words;
use crate::common::{in_project, real_model};

/// Compressed bytes that the first picture may have.
const FIRST_PICTURE: usize = 20_000;

/// `atelier lens` on a draft.
fn lens(draft: &Draft) -> Value {
    serde_json::from_str(&atelier(&lens_words(draft))).expect("a report")
}

fn lens_words(draft: &Draft) -> Vec<String> {
    let mut words: Vec<String> = vec!["lens".into(), "--json".into()];
    words.extend(["--model".into(), draft.model.name().into()]);
    words.extend(["--prompt".into(), draft.prompt.clone()]);
    words.extend(draft.options.iter().flat_map(|option| ["--option".into(), option.clone()]));
    let answer = draft.answer.expect("an example says what is right");
    words.extend(["--answer".into(), answer.to_string()]);
    words
}

/// Runs the command line, and gives back what it prints.
fn atelier(words: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_atelier")).args(words).output();
    let output = output.expect("the command line runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_first_picture_is_what_the_engine_makes() {
    let Some(model) = real_model() else { return };
    let mut words = lens_words(&first_picture::draft());
    let name = words.iter().position(|word| word == first_picture::MODEL).expect("--model");
    words[name] = model.display().to_string();
    let mut made: Value = serde_json::from_str(&atelier(&words)).expect("a report");

    let path = in_project("public/examples/smollm2.json");
    if std::env::var_os("UPDATE").is_some() {
        first_picture::shorten(&mut made).expect("a run of one prompt");
        std::fs::write(&path, made.to_string() + "\n").expect("written");
        return;
    }
    let kept = serde_json::to_value(first_picture::report().expect("a report")).expect("JSON");
    assert!(
        close(&kept, &made),
        "the first picture is not what the engine makes now; if that is meant, run UPDATE=1 cargo test --test it baked::the_first_picture"
    );

    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::fs::File::open(&path).expect("the file"), &mut packed).expect("bytes");
    let bytes = packed.finish().expect("bytes").len();
    println!("the first picture has {bytes} bytes, compressed");
    assert!(bytes <= FIRST_PICTURE, "{bytes}");
}

#[test]
fn the_first_example_is_what_the_engine_makes() {
    let path = in_project("public/examples/first.atelier.json");
    let made = lens(&examples::first());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, made.to_string() + "\n").expect("written");
        return;
    }
    let kept = std::fs::read_to_string(&path).expect("the first example");
    let kept: Value = serde_json::from_str(&kept).expect("a report");
    assert!(
        close(&kept, &made),
        "the first example is not what the engine makes now; if that is meant, run UPDATE=1 cargo test --test it baked::"
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
            if lens["correct"] == true { "right" } else { "wrong" }
        );
        assert!(lens["sum_error"].as_f64().is_some_and(|error| error < 1e-3), "{}", example.name);
    }
}

/// Equal but for rounding: machines sum in different orders.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap_or(f64::NAN), y.as_f64().unwrap_or(f64::NAN));
            (x - y).abs() <= 1e-4 * x.abs().max(y.abs()).max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        _ => a == b,
    }
}

/// The small reports that tests draw, and the command that makes each.
#[test]
fn the_small_reports_are_what_the_engine_makes() {
    let prompt = "Ann says that the film is really good. So it is";
    let rows = in_project("tests/it/guards/rows.jsonl").display().to_string();
    let asked: [(&str, &[&str]); 3] = [
        (
            "lens",
            &["lens", "--prompt", prompt, "--option", " good", "--option", " bad", "--answer", "0"],
        ),
        ("prompts", &["lens", "--prompts", &rows]),
        ("sweep", &["orders", "--task", "mood", "--rows", "8", "--strategy", "drop,swap"]),
    ];
    let made = asked.map(|(name, words)| {
        let words = [words, &["--model", "scholar-2", "--json"]].concat();
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let mut report: Value = serde_json::from_str(&atelier(&words)).expect("a report");
        if let Some(orders) = report.pointer_mut("/orders/0") {
            orders.as_object_mut().expect("a sweep").remove("fingerprint");
        }
        (name, report)
    });
    let survey: Value =
        serde_json::from_str(&survey("scholar-2", "mood,topic", 8)).expect("a report");
    for (name, made) in made.into_iter().chain([("survey", survey)]) {
        let path = in_project(&format!("tests/golden/reports/{name}.atelier.json"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, made.to_string() + "\n").expect("written");
            continue;
        }
        let kept = std::fs::read_to_string(&path).expect("a report");
        let kept: Value = serde_json::from_str(&kept).expect("JSON");
        let is_same = match name {
            "survey" => ["mood", "topic"].iter().all(|task| {
                close(&cell(&kept, "scholar-2", task), &cell(&made, "scholar-2", task))
            }),
            _ => close(&kept, &made),
        };
        assert!(
            is_same,
            "{name} is not what the engine makes now; if that is meant, run UPDATE=1 cargo test --test it baked::"
        );
    }
}

const SCHOLARS: &str = "scholar-2,scholar-4,scholar-8,scholar-12,scholar-12-shared";
const ROWS: usize = 500;
const TASKS: &str = "topic,quiz,fact,often,same,follows,mood,sense,sum,last";

/// `atelier survey`, so many rows a task.
fn survey(models: &str, tasks: &str, rows: usize) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    atelier(&words(&format!(
        "survey --models {models} --tasks {tasks} --rows {rows} --out '{out}'"
    )));
    std::fs::read_to_string(folder.path().join("survey.atelier.json")).expect("a report")
}

fn baked_survey() -> std::path::PathBuf {
    in_project("public/examples/survey.atelier.json")
}

/// One model's numbers on one task, but for the information: its ranks turn on the last bit.
fn cell(report: &Value, model: &str, task: &str) -> Value {
    let survey = &report["survey"];
    let at = |list: &str, name: &str| {
        let all = survey[list].as_array().expect("a list");
        let place = all.iter().position(|one| one["name"] == name);
        place.unwrap_or_else(|| panic!("{name} in {list}"))
    };
    let (model, task) = (at("models", model), at("tasks", task));
    let cells = survey["cells"].as_array().expect("cells");
    let cell =
        cells.iter().find(|cell| cell["model"] == model && cell["task"] == task).expect("the cell");
    let mut found = cell["outcome"]["found"].clone();
    found.as_object_mut().expect("numbers").remove("information");
    found
}

#[test]
fn the_baked_survey_is_what_the_engine_makes() {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(baked_survey(), survey(SCHOLARS, TASKS, ROWS)).expect("written");
        return;
    }
    let kept = std::fs::read_to_string(baked_survey()).expect("the baked survey");
    atelier::study::survey::SurveyReport::read(&kept).expect("a survey that can be opened");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    let models = "scholar-2,scholar-12-shared";
    let made: Value = serde_json::from_str(&survey(models, "sum,often", ROWS)).expect("JSON");
    for model in models.split(',') {
        for task in ["sum", "often"] {
            assert!(
                close(&cell(&kept, model, task), &cell(&made, model, task)),
                "{model} on {task} is not what is baked; if that is meant, run UPDATE=1 cargo test --test it baked::"
            );
        }
    }
}

/// The card's table, from the baked survey.
#[test]
fn the_baked_survey_has_the_cards_accuracies() {
    let kept = std::fs::read_to_string(baked_survey()).expect("the baked survey");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    let card = in_project("public/models/CARD.md");
    let card = std::fs::read_to_string(card).expect("the card");
    for task in TASKS.split(',') {
        let line = card.lines().find(|line| line.starts_with(&format!("| {task} |")));
        let cells: Vec<&str> = line.expect(task).split('|').map(str::trim).collect();
        for (model, percent) in SCHOLARS.split(',').zip(&cells[3..]) {
            let percent: f64 = percent.parse().expect("a percentage");
            let accuracy = cell(&kept, model, task)["averages"]["accuracy"].as_f64();
            let accuracy = 100.0 * accuracy.expect("an accuracy");
            assert!(
                (accuracy - percent).abs() < 0.05,
                "{model} on {task}: {accuracy}, on the card {percent}"
            );
        }
    }
}

/// The report behind the start page's pictures of one model: the first example with the logit lens along its depth,
/// and a sweep whose rows are left out.
fn start() -> Report {
    let first = examples::first();
    let mut lens = lens_words(&first);
    lens.extend(["--lens".into(), "1".into()]);
    lens.extend(first.options.iter().flat_map(|option| ["--follow".into(), option.clone()]));
    let mut report = Report::read(&atelier(&lens)).expect("a report");
    let model = first.model.name();
    let orders = "orders --json --task sum --rows 100 --strategy drop,swap --model";
    let orders = atelier(&words(&format!("{orders} {model}")));
    report.orders = Report::read(&orders).expect("a report").orders;
    for orders in &mut report.orders {
        orders.fingerprint = None;
        for variant in std::iter::once(&mut orders.original).chain(&mut orders.variants) {
            variant.rows = OrderRows::default();
        }
    }
    report
}

#[test]
fn the_start_pages_report_is_what_the_engine_makes() {
    let path = in_project("public/examples/start.atelier.json");
    let made = serde_json::to_value(start()).expect("JSON");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, made.to_string() + "\n").expect("written");
        return;
    }
    let kept = std::fs::read_to_string(&path).expect("the start page's report");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    assert!(
        close(&kept, &made),
        "the start page's report is not what the engine makes now; if that is meant, run UPDATE=1 cargo test --test it baked::"
    );
}

fn baked_coupling() -> std::path::PathBuf {
    in_project("public/examples/coupling.atelier.json")
}

/// `atelier coupling` on the model that the page opens with.
fn coupling(more: &[String]) -> Value {
    let words = ["coupling", "--json", "--model", examples::MODEL].map(str::to_owned);
    serde_json::from_str(&atelier(&[&words[..], more].concat())).expect("a report")
}

/// Runs the coupling that the page shows of the first example, with its maps between all tokens.
fn coupling_of_the_first() -> Value {
    let prompt = ["--prompt".to_owned(), examples::first().prompt];
    let bare = coupling(&prompt);
    let tokens = bare["coupling"]["token_ids"].as_array().expect("ids").len();
    let all: Vec<String> = (0..tokens).map(|t| t.to_string()).collect();
    let all = all.join(",");
    let top = SLIDER.map(|k| k.to_string()).join(",");
    let mut more = prompt.to_vec();
    more.extend(["--top".into(), top, "--self".into(), all.clone()]);
    more.extend(["--input".into(), format!("0:{all}")]);
    more.extend(["--output".into(), format!("{}:{all}", tokens - 1)]);
    coupling(&more)
}

/// Held-out rows, beside what swapping neighbours costs on them.
fn coupling_over_rows() -> Value {
    let words = ["--task", "sum", "--rows", "24", "--top", "8"];
    coupling(&words.map(str::to_owned))
}

#[test]
fn the_baked_coupling_is_what_the_engine_makes() {
    let (mut made, mut rows) = (coupling_of_the_first(), coupling_over_rows());
    made["task_coupling"] = rows["task_coupling"].take();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(baked_coupling(), made.to_string() + "\n").expect("written");
        return;
    }
    let kept = std::fs::read_to_string(baked_coupling()).expect("the baked coupling");
    atelier::study::report::Report::read(&kept).expect("a report that can be opened");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    for part in ["coupling", "task_coupling"] {
        assert!(
            close(&kept[part], &made[part]),
            "the baked {part} is not what the engine makes now; if that is meant, run UPDATE=1 cargo test --test it baked::"
        );
    }
}
