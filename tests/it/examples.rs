//! The examples run, and say what the rest of the library says.

#[path = "../../examples/backend.rs"]
mod backend;
#[path = "../../examples/claims/main.rs"]
mod claims;
#[path = "../../examples/lens.rs"]
mod lens;
#[path = "../../examples/survey.rs"]
mod survey;
#[path = "../../examples/sweep.rs"]
mod sweep;

use std::path::{Path, PathBuf};

use atelier::chart::{LIGHT, survey_figures};
use atelier::model::ModelFiles;
use atelier::model::weights::Weights;
use atelier::study::report::{Opened, Report};
use atelier::task::primer::GeneratedTask;

use crate::cli::support::{atelier, words};
use crate::common::{in_project, succeeded};

fn scholar(name: &str) -> PathBuf {
    in_project("public/models").join(name)
}

#[test]
fn a_lens_on_a_folder() {
    let options = [" good", " bad"].map(str::to_string);
    let prompt = "Ann says that the film is not bad. So it is";
    let said = lens::run(&scholar("scholar-4"), prompt, &options).expect("a picture");
    // The embedding, and two members a block.
    let members = said.lines().take_while(|line| line.contains(": [")).count();
    assert_eq!(members, 1 + 2 * 4 + 1, "{said}");
    let line = said.lines().find(|line| line.starts_with("mse ")).expect(&said);
    let words = line.split_whitespace().filter_map(|word| word.parse().ok());
    let [mse, bias, diversity] = words.collect::<Vec<f64>>()[..] else { panic!("{line}") };
    assert!((mse - (bias - diversity)).abs() < 2e-4, "{line}");
}

#[test]
fn a_sweep() {
    let said = sweep::run("scholar-4", 24).expect("a sweep");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 1 + 4, "{said}");
    assert!(lines[1].starts_with("drop:0 "), "{said}");
}

#[test]
fn a_survey_that_the_page_opens() {
    let tasks = [GeneratedTask::Sum, GeneratedTask::Mood];
    let report = survey::run(&["scholar-2", "scholar-4"], &tasks, 40).expect("a survey");
    let json = report.json().expect("JSON");
    let opened = Opened::read(json.as_bytes()).expect("a report that is read");
    let read = opened.survey().expect("a survey");
    assert_eq!(read.found().count(), 4);
    for (model, task, found) in read.found() {
        assert_eq!(found.averages.rows, 40, "{} on {}", model.name, task.name);
    }
    assert!(!survey_figures(&read, &LIGHT).is_empty());
}

/// The analysis that reads a survey's rows says what the survey's own report says.
#[test]
fn claims_from_the_rows_of_a_survey() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("survey");
    written("survey --models scholar-4 --tasks mood,often,sum --rows 96", &out);
    let said = claims::run(std::slice::from_ref(&out)).expect("two tables");
    // (D4 asks ARC-Easy.)
    assert_eq!(
        claimed(&said, 'D'),
        ["1", "2", "3", "5", "6", "7", "8", "8", "10", "11", "12", "14"],
        "{said}"
    );

    let report = std::fs::read(out.join("survey.atelier.json")).expect("a report");
    let survey = Opened::read(&report).and_then(Opened::survey).expect("a survey");
    for (_, task, found) in survey.found() {
        let begins = format!("| {} | 96 | ", task.name);
        let line = said.lines().find(|line| line.starts_with(&begins)).expect(&said);
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let averages = &found.averages;
        let share = |part: f64, whole: f64| format!("{:.1} [", 100.0 * part / whole);
        let logit = &averages.logit;
        for (cell, begins) in [
            (2, format!("{:.1} [", 100.0 * averages.accuracy)),
            (3, format!("{:.1}", 100.0 * averages.majority)),
            (5, format!("{:.2}", 100.0 * averages.paper.mse)),
            (8, format!("{:.2} [", logit.total.diversity)),
            (10, share(averages.centred.total.diversity, logit.total.diversity)),
            (11, share(logit.by_kind.mlp.diversity, logit.total.diversity)),
        ] {
            assert!(cells[cell].starts_with(&begins), "{begins} in {line}");
        }
    }

    let need = folder.path().join("need.atelier.json");
    written("need --model scholar-4 --task mood --rows 16", &need);
    let said = claims::run(&[need, out.join("survey.atelier.json")]).expect("a table");
    assert_eq!(claimed(&said, 'D'), ["9", "13"], "{said}");

    let refused = claims::run(&[]).expect_err("no folder");
    assert_eq!(refused.to_string(), "name the folder of a survey");
}

#[test]
fn claims_from_couplings() {
    let coupling = in_project("public/examples/smollm2-coupling.atelier.json");
    let said = claims::run(&[coupling]).expect("a table");
    let verdicts: Vec<&str> =
        said.lines().skip(2).filter_map(|line| line.split(" | ").nth(4)).collect();
    assert_eq!(verdicts, ["holds"; 3], "{said}");

    let folder = tempfile::tempdir().expect("a folder");
    let coupling = folder.path().join("coupling.atelier.json");
    written("coupling --model scholar-4 --task mood --rows 4", &coupling);
    let said = claims::run(&[coupling]).expect("a table");
    assert_eq!(claimed(&said, 'C'), ["1", "2", "5", "6", "8", "9"], "{said}");
}

#[test]
fn claims_from_a_sweep() {
    let folder = tempfile::tempdir().expect("a folder");
    let sweep = folder.path().join("sweep.atelier.json");
    let asked = "orders --model scholar-12 --task mood,often --rows 32 --strategy drop,swap,family --seeds 5 --rounds 6 \
                 --plan 0-11 --geometry";
    written(asked, &sweep);
    let said = claims::run(std::slice::from_ref(&sweep)).expect("a table");
    // P1, P2, P10 and P14 are judged task by task, P8 and P11 have parts.
    let all = [
        "1", "1", "2", "2", "3", "4", "5", "6", "7", "8", "8", "9", "10", "10", "11", "11", "11",
        "13", "14", "14", "15", "16",
    ];
    assert_eq!(claimed(&said, 'P'), all, "{said}");
    // Kept accuracy is what the report's own means say.
    let report = std::fs::read_to_string(&sweep).expect("a report");
    let report = Report::read(&report).expect("a report of orders");
    let kept = report.orders.iter().map(|orders| {
        let skipped = orders.variants.iter().find(|one| one.name == "skip:4").expect("it");
        100.0 * skipped.measures.accuracy.mean / orders.original.measures.accuracy.mean
    });
    let mean = kept.sum::<f64>() / 2.0;
    assert!(said.contains(&format!("skip:4 keeps {mean:.1} [")), "{mean}: {said}");
}

/// Runs a command that writes its result to `out`.
fn written(line: &str, out: &Path) {
    succeeded(&atelier(&words(&format!("{line} --out '{}'", out.display()))));
}

/// The numbers of a paper's claims in a table, in its order.
fn claimed(table: &str, paper: char) -> Vec<&str> {
    let begins = format!("| {paper}");
    table.lines().filter_map(|line| line.strip_prefix(&begins)?.split(' ').next()).collect()
}

#[test]
fn a_backend_of_ones_own() {
    let folder = scholar("scholar-4");
    let counts = backend::run(&folder).expect("runs");
    let files = ModelFiles::open(&folder).expect("files");
    let weights = Weights::open(&files).expect("weights");
    let bytes: u64 = weights.block_matrices().map(|matrix| matrix.bytes()).sum();
    assert_eq!(counts.bytes.get() as u64, bytes);
    assert_eq!(counts.packs.get(), 1);
    // Four blocks, and three of them once more from another stream: blocks 1 to 3 as one call each or
    // two, but never fewer than the model has.
    assert!((4..=7).contains(&counts.calls.get()), "{}", counts.calls.get());
    // Three tokens in each of seven block runs.
    assert_eq!(counts.rows.get(), 3 * 7);
}
