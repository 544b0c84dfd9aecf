//! Folders and files dragged from the machine onto the page. The browser itself makes the drag (its
//! DevTools protocol takes paths), so what the page hears is what a hand would cause.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::pytorch;
use crate::driver::PATIENCE;
use crate::page::{Page, root};

/// Part of a drag.
#[derive(Clone, Copy)]
enum Move {
    Enter,
    Over,
    Away,
    Drop,
}

impl Page {
    /// One event of a drag over the middle of the window, or away from it.
    fn drag(&self, step: Move, files: &[&Path], items: &Value) {
        let middle = self.browser.run("return [innerWidth / 2, innerHeight / 2]");
        let (kind, at) = match step {
            Move::Enter => ("dragEnter", middle),
            Move::Over => ("dragOver", middle),
            Move::Away => ("dragCancel", middle),
            Move::Drop => ("drop", middle),
        };
        let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        self.browser.devtools(
            "Input.dispatchDragEvent",
            &json!({
                "type": kind,
                "x": at[0],
                "y": at[1],
                "data": { "items": items, "files": files, "dragOperationsMask": 1 },
            }),
        );
    }

    /// Drags files or folders in and lets them go.
    pub fn drop_in(&self, files: &[&Path]) {
        for step in [Move::Enter, Move::Over, Move::Drop] {
            self.drag(step, files, &json!([]));
        }
    }

    /// Drags in, and on until the window shows that it would take the drop: that ends soon where nothing moves.
    fn drag_over(&self, files: &[&Path], items: &Value) {
        self.drag(Move::Enter, files, items);
        let shows = "return document.documentElement.classList.contains('over')";
        let began = Instant::now();
        while self.browser.run(shows) != Value::Bool(true) {
            assert!(began.elapsed() < PATIENCE, "the window shows nothing");
            self.drag(Move::Over, files, items);
        }
    }

    /// Waits until the window shows, or no longer, that it would take the drop.
    fn until_over(&self, over: bool) {
        self.browser.until(
            &format!("a drag being over the window is {over}"),
            &format!("document.documentElement.classList.contains('over') === {over}"),
        );
    }
}

#[test]
fn a_dropped_folder_is_the_model() {
    let page = Page::live();
    page.choose("scholar-2");
    let shipped = page.report();
    page.choose("scholar-4");

    let folder = root().join("public/models/scholar-2");
    page.drag_over(&[&folder], &json!([]));
    page.screenshot("dragged-over");
    page.drag(Move::Drop, &[&folder], &json!([]));
    page.until_hash("folder=scholar-2");
    page.until_says(".provenance", "Computed here by scholar-2 ");
    page.until_settled();
    page.until_over(false);
    assert!(page.text("#model").contains("scholar-2 (opened here)"));
    // The same weights, whichever way they came.
    assert_eq!(page.report()["lens"], shipped["lens"]);
    page.assert_quiet();
}

/// Weights of a folder, as PyTorch saves them.
#[test]
fn a_dropped_pytorch_checkpoint_is_the_model() {
    let page = Page::live();
    page.choose("scholar-2");
    let shipped = page.report();
    page.choose("scholar-4");

    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("pickled");
    std::fs::create_dir(&folder).expect("a folder");
    pytorch::write(&root().join("public/models/scholar-2"), &folder);
    page.drop_in(&[&folder]);
    page.until_says(".provenance", "Computed here by pickled ");
    page.until_settled();
    assert_eq!(page.report()["lens"], shipped["lens"]);
    page.assert_quiet();
}

#[test]
fn dropped_files_are_the_model_too() {
    let page = Page::live();
    let folder = root().join("public/models/scholar-2");
    let files =
        ["config.json", "tokenizer.json", "model.safetensors"].map(|name| folder.join(name));
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    // Without the weights, a sentence says what is missing, and the picture stays.
    page.drop_in(&files[..2]);
    page.until_says(".of-model", "safetensors");
    println!("without the weights the page says: {}", page.text(".of-model"));
    page.until_picture();
    page.drop_in(&files);
    page.until_says(".provenance", "Computed here by your files ");
    page.until_settled();
    page.browser.until_gone(".of-model:not(.empty)");
    page.assert_quiet();
}

#[test]
fn a_dropped_report_is_shown() {
    let page = Page::live();
    page.drop_in(&[&root().join("public/examples/first.atelier.json")]);
    page.until_says(".provenance", "From a report: ");
    page.until_picture();
    page.assert_quiet();
}

#[test]
fn a_drop_without_files_changes_nothing() {
    let page = Page::live();
    let model = page.text("#model");
    let picture = page.picture();
    let words = json!([{ "mimeType": "text/plain", "data": "just words" }]);
    for step in [Move::Enter, Move::Over, Move::Drop] {
        page.drag(step, &[], &words);
        page.until_over(false);
    }
    assert_eq!(page.text("#model"), model);
    assert_eq!(page.picture(), picture);
    assert_eq!(page.text(".of-model"), "");

    // A drag of files that only passes by leaves no trace.
    let folder = root().join("public/models/scholar-2");
    page.drag_over(&[&folder], &json!([]));
    page.drag(Move::Away, &[&folder], &json!([]));
    page.until_over(false);
    page.assert_quiet();
}

#[test]
fn words_are_the_fields_that_they_are_let_go_over() {
    let page = Page::live();
    let prompt = page.middle("#prompt");
    let words = json!([{ "mimeType": "text/plain", "data": " just words" }]);
    for kind in ["dragEnter", "dragOver", "drop"] {
        let data = json!({ "items": words, "files": [], "dragOperationsMask": 1 });
        page.browser.devtools(
            "Input.dispatchDragEvent",
            &json!({ "type": kind, "x": prompt.0, "y": prompt.1, "data": data }),
        );
    }
    let has_them = "document.querySelector('#prompt').value.includes('just words')";
    page.browser.until("the prompt has them", has_them);
    page.assert_quiet();
}

#[test]
fn two_folders_at_once_are_refused_and_nothing_is_mixed() {
    let page = Page::live();
    let (model, picture) = (page.text("#model"), page.picture());
    let models = root().join("public/models");
    let (two, four) = (models.join("scholar-2"), models.join("scholar-4"));
    page.drop_in(&[&two, &four]);
    page.until_says(".of-model", "dropped at once");
    let said = page.text(".of-model");
    println!("of two folders the page says: {said}");
    assert!(said.contains("scholar-2") && said.contains("scholar-4"), "{said}");
    page.drop_in(&[&two, &four.join("config.json")]);
    page.until_says(".of-model", "and a file were dropped at once");
    assert_eq!((page.text("#model"), page.picture()), (model.clone(), picture.clone()));
    // Where no model is at work, the sentence stands with the reports.
    page.open("#view=survey");
    page.browser
        .until("the survey is drawn", "document.querySelectorAll('.figure .chart svg').length > 2");
    page.drop_in(&[&two, &four]);
    page.until_says(".problem", "dropped at once");
    // And on the start page.
    page.open("#start");
    page.browser.reload();
    page.browser.until_there(".door");
    page.drop_in(&[&two, &four]);
    page.browser.until(
        "it is said for everybody to see",
        "[...document.querySelectorAll('.problem')].some(e => e.checkVisibility() && e.textContent.includes('dropped at once'))",
    );
    page.assert_quiet();
}
