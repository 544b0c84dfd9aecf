//! The reports of SmolLM2 that come with the page: what they weigh, of which file they are, that they hold no text of
//! published rows, and that some rows of every task are what the engine makes.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use atelier::app::link::ShippedSurvey;
use atelier::study::report::Report;
use atelier::study::survey::{Asking, MeasuredRow, Sample, Survey, SurveyReport, SurveyTask};
use atelier::task::catalogue::Task;
use atelier::task::item::TaskRow;
use atelier::task::plain::PlainTask;
use atelier_server::smollm2;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::common::{self, in_project, skipped, succeeded};

/// Bytes of all reports of SmolLM2 together, gzipped as they are sent.
const MAX_BYTES: usize = 350_000;

/// So many words in a row are a text's own.
const WORDS: usize = 6;

fn examples() -> PathBuf {
    in_project("public/examples")
}

fn shipped() -> Survey {
    let path = examples().join(ShippedSurvey::SmolLm2.file());
    let text = std::fs::read_to_string(path).expect("the shipped report");
    SurveyReport::read(&text).expect("a survey that opens").survey
}

/// The published data sets, where they are.
fn data() -> Option<PathBuf> {
    let folder = in_project("../shared/data");
    if !folder.is_dir() {
        skipped("the data sets are not here (../shared/data); the shipped rows were not compared");
        return None;
    }
    Some(folder)
}

/// Whether a task's rows are atelier's own.
fn is_own(task: &SurveyTask) -> bool {
    task.source == "rows written for atelier"
}

#[test]
fn the_real_models_reports_are_small() {
    let files = std::fs::read_dir(examples()).expect("a folder");
    let files = files.map(|entry| entry.expect("an entry"));
    let reports = files.filter(|file| file.file_name().to_string_lossy().starts_with("smollm2"));
    let sizes = reports.map(|file| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&std::fs::read(file.path()).expect("a report")).expect("memory");
        gzip.finish().expect("memory").len()
    });
    let bytes: usize = sizes.sum();
    println!("the reports of SmolLM2 have {bytes} bytes gzipped");
    assert!(bytes <= MAX_BYTES, "{bytes}");
}

#[test]
fn the_real_models_survey_says_of_what_it_is() {
    let survey = shipped();
    let [model] = survey.models.as_slice() else { panic!("{} models", survey.models.len()) };
    assert_eq!(model.files.get(smollm2::FILE).map(String::as_str), Some(smollm2::SHA256));
    assert_eq!(model.members.len(), 61);
    assert_eq!(survey.found().count(), survey.tasks.len(), "a task without numbers");
    // The nine tasks in plain English, whole; published ones may stand beside them.
    for plain in PlainTask::ALL {
        let task = survey.tasks.iter().find(|task| task.name == plain.name());
        assert_eq!(task.map(|task| task.rows), Some(plain.row_count()), "{}", plain.name());
    }
    for (_, task, found) in survey.found() {
        assert_eq!(found.averages.rows + found.facts.too_long, task.rows, "{}", task.name);
        let texts = found.samples.iter().filter(|sample| sample.prompt.is_some()).count();
        assert_eq!(texts, if is_own(task) { found.samples.len() } else { 0 }, "{}", task.name);
    }
}

/// The report that the command line makes with the real model.
fn made(words: &[&str], model: &Path) -> Report {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    let output = command.args(words).arg("--model").arg(model).output();
    let output = output.expect("the command line runs");
    succeeded(&output);
    Report::read(&String::from_utf8_lossy(&output.stdout)).expect("a report")
}

/// The coupling of one prompt of our own, without the directions behind its map, which are megabytes.
#[test]
fn the_real_models_coupling_is_what_the_engine_makes() {
    let Some(model) = common::real_model() else { return };
    let path = examples().join("smollm2-coupling.atelier.json");
    let text = std::fs::read_to_string(path).expect("the shipped report");
    let kept = Report::read(&text).expect("a report that opens").coupling.expect("a coupling");
    assert!(kept.aligned.is_none());
    let prompt = kept.prompt.as_deref().expect("text");
    let made = made(&["coupling", "--json", "--top", "8", "--prompt", prompt], &model);
    let made = made.coupling.expect("a coupling");
    assert_eq!((&kept.token_ids, &kept.steps), (&made.token_ids, &made.steps));
    let [kept, made] = [&kept, &made].map(|coupling| {
        let map = coupling.depth_wise[&8].map.off_diagonal.iter().flatten();
        let map = map.map(|coupling| coupling.unwrap_or(-1.0));
        let scores = [coupling.line_shape_score, coupling.expodistance].into_iter().flatten();
        map.chain(scores).collect::<Vec<f64>>()
    });
    assert_eq!((kept.len(), made.len()), (30 * 30 + 2, 30 * 30 + 2));
    for (kept, made) in kept.iter().zip(&made) {
        assert!((kept - made).abs() <= 1e-3 * kept.abs().max(1.0), "{kept}, and now {made}");
    }
}

/// Some orders of one task, on its first rows.
#[test]
fn the_real_models_sweeps_are_what_the_engine_makes() {
    const ROWS: usize = 8;
    const PLANS: [&str; 3] = ["reverse:11", "repeat:11", "loop:11:3"];
    let Some(model) = common::real_model() else { return };
    let path = examples().join("smollm2-orders.atelier.json");
    let text = std::fs::read_to_string(path).expect("the shipped report");
    let kept = Report::read(&text).expect("a report that opens").orders;
    let names: Vec<&str> = kept.iter().map(|orders| orders.task.as_str()).collect();
    assert_eq!(names, ["capitals", "opposites", "past"]);
    for orders in &kept {
        let fingerprint = orders.fingerprint.as_ref().expect("the file that ran");
        let hash = fingerprint.files.get(smollm2::FILE).map(String::as_str);
        assert_eq!(hash, Some(smollm2::SHA256));
    }

    let rows = ROWS.to_string();
    let words = ["orders", "--json", "--task", "capitals", "--rows", &rows];
    let plans: Vec<&str> = PLANS.iter().flat_map(|plan| ["--plan", plan]).collect();
    let made = made(&[&words[..], &plans].concat(), &model);
    let made = made.orders.first().expect("a sweep");
    for plan in PLANS {
        let [kept, made] = [&kept[0], made].map(|orders| {
            let variant = orders.variants.iter().find(|variant| variant.name == plan);
            variant.expect("a plan that ran").rows.correct[..ROWS].to_vec()
        });
        assert_eq!(kept, made, "{plan}");
    }
}

/// Every text in a report, but for the rows of atelier's own tasks.
fn texts(report: &Value, all: &mut Vec<String>) {
    match report {
        Value::String(text) => all.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| texts(value, all)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, all)),
        _ => {}
    }
}

/// Every few words that follow each other, in small letters.
fn sequences(text: &str) -> Vec<String> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.windows(WORDS).map(|words| words.join(" ")).collect()
}

#[test]
fn no_report_of_the_real_model_quotes_a_published_row() {
    let Some(data) = data() else { return };
    let mut all = Vec::new();
    let mut survey = shipped();
    for cell in &mut survey.cells {
        if is_own(&survey.tasks[cell.task])
            && let atelier::study::survey::SurveyedOutcome::Found(found) = &mut cell.outcome
        {
            found.samples.clear();
        }
    }
    texts(&serde_json::to_value(&survey).expect("JSON"), &mut all);
    let held: HashSet<String> = all.iter().flat_map(|text| sequences(text)).collect();
    assert!(held.len() > 5, "the report's own sentences");

    let mut rows = 0;
    for task in Task::all().into_iter().filter(Task::needs_data) {
        let Ok(read) = task.rows(Some(&data), task.first()) else {
            skipped(&format!("{} is not here", task.name()));
            continue;
        };
        for row in read.rows.iter().take(task.first()) {
            let text = row.item.text();
            let quoted = sequences(&text).into_iter().find(|words| held.contains(words));
            assert_eq!(quoted, None, "{}, line {}", task.name(), row.line);
            rows += 1;
        }
    }
    println!("no {WORDS} words of {rows} rows stand in the report");
    assert!(rows > 2000, "{rows}");
}

/// Eight rows of every task, and of published tasks where the data is.
#[test]
fn the_real_models_rows_are_what_the_engine_makes() {
    let Some(model) = common::real_model() else { return };
    let model = common::load(&model);
    let survey = shipped();
    let mut compared = 0;
    for (_, task, found) in survey.found().filter(|(.., found)| !found.samples.is_empty()) {
        let data = if is_own(task) { None } else { Some(data()) };
        if matches!(data, Some(None)) {
            continue;
        }
        let asked = Task::find(&task.name).expect("a task");
        let read = asked.rows(data.flatten().as_deref(), task.rows).expect("its rows").rows;
        let picked = found.samples.iter().map(|sample| read[sample.row].clone());
        let rows: Vec<TaskRow> = picked.collect();
        let asking = Asking::start(&model, &task.name, &rows, false).expect("rows");
        for batch in asking.batches(0, 1) {
            let made = asking.run(&batch, &|| true).expect("a run").expect("not stopped");
            for row in &made {
                agree(&found.samples[row.row], row, &task.name);
                compared += 1;
            }
        }
    }
    println!("{compared} rows of {} tasks agree", survey.tasks.len());
    assert!(compared >= 8 * PlainTask::ALL.len(), "{compared}");
}

/// The shipped numbers of a row, and those that the engine makes now.
fn agree(kept: &Sample, made: &MeasuredRow, task: &str) {
    let place = format!("{task}, row {}", kept.row);
    assert_eq!((kept.line, &kept.option_ids), (made.line, &made.option_ids), "{place}");
    assert_eq!((kept.answer, kept.answered), (made.answer, made.answered), "{place}");
    let columns = [
        (kept.probability, made.probability),
        (kept.logit, made.logit),
        (kept.centred, made.centred),
        (kept.paper, made.paper),
    ];
    let surprise = [kept.log_likelihood, made.log_likelihood()].map(|x| x.expect("ln P"));
    let numbers = columns.iter().flat_map(|(kept, made)| kept.iter().zip(made));
    for (kept, made) in numbers.chain([(&surprise[0], &surprise[1])]) {
        let scale = kept.abs().max(made.abs()).max(1.0);
        assert!((kept - made).abs() <= 1e-4 * scale, "{place}: {kept}, and now {made}");
    }
}
