//! Over rows of a task and over models, with points taken away; other orders, and reports that open again.

use crate::page::Page;
use crate::program;

#[test]
fn rows_are_measured_and_a_point_is_taken_away() {
    let page = Page::coupling(1440, 1000, "");
    page.until_figure("coupling-relation");
    // What is out of range is brought into it, as often as it is typed; what is no number is taken back.
    for typed in ["999", "999", ""] {
        page.choose_by("#coupling-rows", typed);
        assert_eq!(page.rows_typed(), "200", "after {typed:?}");
    }
    page.choose_by("#coupling-rows", "4");
    page.browser.click("#couple-rows");
    page.until_says("#cost-title ~ .provenance", "Computed here by scholar-12 ");
    page.browser.until_gone("#cancel-sweep");
    page.until_says("#figure-coupling-relation h3", "over 11 pairs");
    let whole = page.said_of("coupling-relation");
    say!("coupling: {whole}");
    page.browser.run("document.querySelector('.points [aria-label=\"Point 0-1\"]').click()");
    page.until_hash("without=0-1");
    page.until_says("#figure-coupling-relation h3", "over 10 pairs");
    page.until_says("#figure-coupling-relation figcaption", "1 point is taken away");
    let table = page.table_of("coupling-relation");
    assert_eq!((table.len(), table[0][3].as_str()), (11, "no"));
    page.browser.click("#points-back");
    page.until_says("#figure-coupling-relation h3", "over 11 pairs");
    assert_eq!(page.said_of("coupling-relation"), whole);
    page.choose_by("#coupling-against", "drop");
    page.until_hash("against=drop");
    page.until_says("#figure-coupling-relation h3", "a step's absence");
    page.assert_quiet();
    page.assert_accessible("couplings over rows");

    // One that takes long is stopped; what was there stays.
    page.choose_by("#coupling-rows", "200");
    page.browser.click("#couple-rows");
    page.cancel_sweep();
    page.until_says("[role=status]", "Stopped");
    page.assert_quiet();
}

impl Page {
    fn rows_typed(&self) -> String {
        self.browser.value("#coupling-rows")
    }

    /// Every picture's id stands once.
    fn assert_figures_differ(&self) {
        let twice = self.browser.text(
            "[...document.querySelectorAll('.figure')].map(e => e.id).filter((id, n, all) => all.indexOf(id) !== n).join()",
        );
        assert_eq!(twice, "", "pictures' ids that stand twice");
    }

    /// Nothing is drawn of any rows.
    fn assert_no_rows(&self) {
        assert_eq!(self.browser.count("#figure-coupling-relation"), 0);
    }
}

/// A link to rows that nobody has measured yet shows no other task's in their place.
#[test]
fn a_link_to_another_tasks_rows_waits_to_be_measured() {
    let page = Page::coupling(1440, 1000, "&of=mood&of-rows=12&without=3-4");
    page.until_says("#cost-title ~ .hint", "on rows of “mood” yet: press Measure");
    page.assert_no_rows();
    // The baked ones are shown where they are the task's.
    page.choose_by("#coupling-task", "sum");
    page.until_says(
        "#cost-title ~ .provenance",
        "Precomputed example: scholar-12 on 24 of 24 rows of “sum”",
    );
    page.until_says("#figure-coupling-relation h3", "over 10 pairs");
    page.choose_by("#coupling-task", "mood");
    page.until_says("#cost-title ~ .hint", "press Measure");
    page.assert_no_rows();
    page.choose_by("#coupling-rows", "2");
    page.browser.click("#couple-rows");
    page.until_says("#cost-title ~ .provenance", "2 of 2 rows of “mood”");
    page.assert_quiet();
}

/// From a report of the command line: each plot is one of its own, and a model is taken away from all.
#[test]
fn several_models_are_held_against_one_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("models.atelier.json");
    let out = path.display().to_string();
    let words = ["coupling", "--engine", "cpu", "--task", "sum", "--rows", "3", "--out", &out];
    let models = ["--models", "scholar-2,scholar-4,scholar-8,scholar-12"];
    program::printed(&[&words[..], &models].concat());
    let page = Page::live();
    page.open_file(&path);
    page.until_says(
        "#models-title ~ .provenance",
        "From a report: scholar-2, scholar-4, scholar-8, scholar-12",
    );
    page.until_hash("view=coupling");
    page.until_coupled();
    page.until_figure("models-straightness");
    page.unfold("models-0");
    page.until_says(".index a", "Several models");
    page.assert_figures_differ();
    page.until_says("#figure-models-0 h3, #figure-models-1 h3", "against number of steps");
    page.browser.run(
        "document.querySelector('#models-title ~ .points [aria-label=\"Point scholar-4\"]').click()",
    );
    page.until_hash("without=scholar-4");
    page.until_says("#figure-models-0 figcaption", "1 point is taken away");
    page.browser.click("#models-back");
    page.browser.until("all are back", "!location.hash.includes('without=')");
    page.assert_quiet();
    page.until_pointable();
    page.assert_accessible("several models");
    page.screenshot("coupling-models-1440");
}

/// Whatever the workshop makes of the blocks has its own steps.
#[test]
fn another_order_is_another_map_and_a_report_opens_again() {
    let page = Page::coupling(1440, 1000, "&plan=0,1,(2-3),4a,1");
    page.until_says("#coupling-facts .hint", "Plan 0-1,(2-3),4a,1, 5 steps");
    let table = page.table_of("coupling-map");
    assert_eq!(table.len(), 25);
    assert_eq!(table[0][..2], ["0", "0"]);
    let names: Vec<&str> = table[..5].iter().map(|row| row[1].as_str()).collect();
    assert_eq!(names, ["0", "1", "(2-3)", "4a", "1 (2nd)"]);
    let report = page.report();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.atelier.json");
    std::fs::write(&path, report.to_string()).expect("written");
    let said = page.said_of("coupling-map");
    // On a fresh page that shows something else.
    let other = Page::live_after(page);
    other.open_file(&path);
    other.until_mapped();
    other.until_says(".bar .provenance", "From a report: scholar-12");
    assert_eq!(other.said_of("coupling-map"), said);
    other.until_hash("view=coupling");
    other.until_hash("plan=0-1,(2-3),4a,1");
    other.assert_quiet();
}
