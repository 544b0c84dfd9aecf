//! `atelier share`: a report to publish has no text of rows that were read from a file.

use std::path::Path;

use atelier::study::report::Report;
use atelier::study::survey::{Survey, SurveyReport};

use super::support::{printed, refused, refuses, two_options};

/// Rows of a made-up data set, whose words stand nowhere else.
const ROWS: usize = 24;

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// Surveys of a task that a file defines, and of one of atelier's own.
fn surveyed(folder: &Path) {
    let row =
        |n: usize| format!("Zebedee{n} says that the quince soup is bad. So it is,{}\n", n % 2);
    let rows: String = (0..ROWS).map(row).collect();
    let [task, data] = two_options(folder, ["bad", "good"], &rows);
    let survey = ["survey", "--models", "scholar-2", "--tasks"];
    let out = path(folder, "read");
    printed(&[&survey[..], &[&task, "--data", &data, "--out", &out]].concat());
    let out = path(folder, "own");
    printed(&[&survey[..], &["mood", "--rows", "24", "--out", &out]].concat());
}

fn read(path: &str) -> (String, Survey) {
    let text = std::fs::read_to_string(path).expect("a report");
    let survey = SurveyReport::read(&text).expect("a survey").survey;
    (text, survey)
}

#[test]
fn a_shared_report_has_no_text_of_rows_from_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    surveyed(folder);
    let [first, own, out] = ["read", "own", "shared.atelier.json"].map(|name| path(folder, name));
    // As it is, the report quotes rows.
    assert!(read(&path(folder, "read/survey.atelier.json")).0.contains("Zebedee"));

    let said = printed(&["share", &first, &own, "--out", &out]);
    assert!(said.contains("1 model, 2 tasks"), "{said}");
    let (text, survey) = read(&out);
    for word in ["Zebedee", "quince"] {
        assert!(!text.contains(word), "{word}");
    }
    let found: Vec<_> = survey.found().collect();
    let [(model, _, tone), (_, _, mood)] = found.as_slice() else {
        panic!("{} cells", found.len())
    };
    assert_eq!(model.files.len(), 3, "{:?}", model.files);
    assert!(model.files.values().all(|hash| hash.len() == 64));
    // Its numbers are whole, and so is what belongs to the task and not to a row.
    let (_, whole) = read(&path(folder, "read/survey.atelier.json"));
    let (_, _, whole) = whole.found().next().expect("a cell");
    assert_eq!(tone.averages.accuracy, whole.averages.accuracy);
    assert_eq!((&tone.choices, tone.samples.len()), (&whole.choices, 8));
    // The prompts of atelier's own tasks stay.
    assert!(mood.samples.iter().all(|sample| sample.prompt.is_some()));

    let pictures = path(folder, "pictures");
    assert!(printed(&["figures", &out, "--out", &pictures]).contains("table-1"));
    refuses(&["share", &first, "--out", &out], "is there already");
    let both = ["share", &own, &own, "--out", &out, "--force"];
    assert_eq!(refused(&both), "two of the surveys asked mood: name one of them");
}

/// Of each row a shared sweep says whether it is right, and nothing else.
#[test]
fn a_shared_sweep_keeps_its_means() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let [sweep, other, out] =
        ["sweep.json", "other.json", "out.json"].map(|name| path(folder, name));
    let orders = ["orders", "--model", "scholar-2", "--rows", "8", "--strategy", "drop"];
    printed(
        &[&orders[..], &["--task", "mood", "--plan", "0-1", "--geometry", "--out", &sweep]]
            .concat(),
    );
    printed(&[&orders[..], &["--task", "sum", "--out", &other]].concat());

    let said = printed(&["share", &sweep, &other, "--out", &out]);
    assert!(said.contains("2 sweeps, 0 couplings"), "{said}");
    let read = |path: &str| {
        let text = std::fs::read_to_string(path).expect("a report");
        Report::read(&text).expect("a report of orders")
    };
    let [whole, shared] = [&sweep, &out].map(|path| read(path));
    assert_eq!(shared.orders.len(), 2);
    let [whole, shared] = [&whole.orders[0], &shared.orders[0]];
    assert!(shared.variants.iter().all(|variant| variant.rows.is_shared()));
    assert_eq!(shared.original.rows.correct, whole.original.rows.correct);
    for (kept, variant) in shared.variants.iter().zip(&whole.variants) {
        let [kept, whole] = [kept, variant].map(|one| one.measures.margin.mean);
        assert!((kept - whole).abs() <= 1e-6 * whole.abs(), "{kept} {whole}");
    }
    assert!(shared.geometry.iter().all(|one| one.trajectories.tokens.is_empty()));

    // Reports of another device, one task twice, and a sweep that was shared, are refused.
    let elsewhere = path(folder, "elsewhere.json");
    let text = std::fs::read_to_string(&other).expect("a report");
    let text = text.replacen("CPU (", "CUDA (", 1);
    std::fs::write(&elsewhere, text).expect("a file");
    let share = ["share", &sweep, "--out", &out, "--force"];
    refuses(
        &[&share[..], &[elsewhere.as_str()]].concat(),
        "different files or on different devices",
    );
    refuses(&[&share[..], &[sweep.as_str()]].concat(), "two of the reports are of mood");
    let resumed = [&orders[..], &["--task", "mood,sum", "--out", &out, "--resume"]].concat();
    refused(&resumed);
}
