//! Runs of a step: what is drawn of them, beside what they run, and how they are stopped.

use super::{LESSONS, RUNS};
use crate::page::Page;

#[test]
fn the_runs_picture_is_of_the_run_and_is_drawn_again_later() {
    let page = Page::new(1440, 900);
    page.lesson(1, 3);
    page.answer(0);
    let chart = "document.querySelector('#figure-step-0 .chart')";
    page.browser.until(
        "the votes are drawn",
        &format!("{chart}?.querySelector('svg')?.textContent.includes('0m')"),
    );
    // A frame would have to run the step first.
    assert_eq!(page.browser.count(".step-pictures .copy-frame"), 0);
    page.browser.reload();
    page.until_told();
    assert_eq!(page.browser.text(chart), "null");
    page.browser.click("#draw-step");
    page.browser.until_within(RUNS, "it is drawn again", &format!("{chart}?.querySelector('svg')"));
    page.assert_quiet();
}

#[test]
fn the_list_is_there_while_a_sweep_runs() {
    let page = Page::orders(1440, 1000, "");
    page.tick("#sweep-tasks", &["same", "sum"]);
    page.tick("#sweep-kinds", &["drop", "swap", "skip", "repeat", "loop"]);
    page.set_number("rows per task", 1000);
    page.press_button("Run the sweep");
    page.browser.until_there("#cancel-sweep");
    page.go_to_view("Lessons");
    page.browser.until_count(".syllabus li", LESSONS);
    page.go_to_view("Orders");
    // Where it was over before the list came, it needs more rows.
    page.browser.until_there("#cancel-sweep");
    page.assert_quiet();
}

#[test]
fn a_second_press_keeps_the_progress_and_the_way_to_stop() {
    let page = Page::new(1440, 900);
    page.lesson(10, 1);
    page.expect_option(0);
    page.browser.until_there("#stop-step");
    // The same step for a sheet, in place of the run under way. (No pointer: what is under it may move away.)
    page.press("Print this lesson");
    page.browser.until_there(".class-tools [role=status]");
    let stops = "document.querySelectorAll('#stop-step').length";
    assert_eq!(page.browser.text(stops), "1");
    page.browser.click("#stop-step");
    page.browser.until(
        "it is stopped",
        "!document.querySelector('#stop-step') && document.querySelector('#ask-model')",
    );
    page.assert_quiet();
}
