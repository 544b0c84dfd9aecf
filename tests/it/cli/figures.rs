//! `atelier figures` as a person runs it.

use std::path::Path;

use super::support::{Folder, in_project, model, printed, refuses};

const IDS: [&str; 6] = ["--ids", "1,5,9", "--rows", "17,230,401", "--answer", "2"];

fn drawn(report: &Path, out: &Path, more: &[&str]) -> Vec<String> {
    let [report, out] = [report, out].map(|path| path.display().to_string());
    let mut args = vec!["figures", &report, "--out", &out];
    args.extend(more);
    let said = printed(&args);
    let names = said.lines().filter_map(|line| line.split("  ").next());
    names.map(str::to_owned).collect()
}

#[test]
fn one_prompt_as_svg_and_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let (report, out) = (folder.path().join("lens.atelier.json"), folder.path().join("pictures"));
    let (model, path) = (model("random-llama2"), report.display().to_string());
    printed(&[&["lens", "--model", &model], &IDS[..], &["--out", &path]].concat());
    let names = drawn(&report, &out, &["--width", "640"]);
    assert_eq!(names.len(), 7);
    assert_eq!(names[0], "votes");
    for name in &names {
        let file = |form: &str| std::fs::read(out.join(format!("{name}.{form}"))).expect("a file");
        let svg = String::from_utf8(file("svg")).expect("text");
        assert!(svg.starts_with("<svg") && svg.contains("from lens.atelier.json"));
        assert!(svg.contains("width=\"640\""));
        let csv = String::from_utf8(file("csv")).expect("text");
        assert!(csv.starts_with("component") && csv.lines().count() > 5);
    }
    // Nothing is replaced unasked.
    let out = out.display().to_string();
    refuses(&["figures", &path, "--out", &out], "votes.svg is there already");
    drawn(&report, Path::new(&out), &["--force", "--dark"]);
    let svg = std::fs::read_to_string(Path::new(&out).join("votes.svg")).expect("a file");
    assert!(svg.contains(atelier::chart::DARK.paper));
}

#[test]
fn many_prompts_are_drawn_too() {
    let folder = Folder::with_words("random-llama2", &["a", "b", "c"]);
    folder.write(
        "rows.jsonl",
        b"{\"prompt\": \"a b\", \"options\": [\" a\", \" c\"], \"answer\": 0}\n{\"prompt\": \"c\", \"options\": [\" b\", \" a\"], \"answer\": 1}\n",
    );
    let [rows, report, out] =
        ["rows.jsonl", "rows.atelier.json", "pictures"].map(|name| folder.file(name));
    let [rows, path] = [&rows, &report].map(|path| path.display().to_string());
    printed(&["lens", "--model", &folder.path(), "--prompts", &rows, "--out", &path]);
    let names = drawn(&report, &out, &[]);
    assert_eq!(names.len(), 7);
    assert!(names.contains(&"prompts-running-paper".to_owned()));
}

/// A report holds its numbers, whatever became of its model.
#[test]
fn a_report_of_a_model_that_is_not_here_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["lens", "survey", "sweep"] {
        let report = in_project(&format!("tests/golden/reports/{name}.atelier.json"));
        let text = std::fs::read_to_string(report).expect("a report");
        let report = folder.path().join(format!("{name}.atelier.json"));
        std::fs::write(&report, text.replace("scholar-2", "scholar-3")).expect("written");
        let written = drawn(&report, &folder.path().join(name), &[]);
        assert!(!written.is_empty(), "{name}");
    }
}
