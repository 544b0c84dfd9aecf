//! Which model answers a step: a reader's own, another one, or a scholar in its place.

use super::RUNS;
use crate::common::model_folder;
use crate::page::{Page, copy_model};

#[test]
fn a_run_is_stopped_and_another_model_is_asked_again() {
    let page = Page::new(1440, 900);
    page.open("#model=scholar-2&view=lessons&lesson=1");
    page.until_lesson_step(1, 1);
    page.answer(0);
    page.until_says("#told", "scholar-2");
    page.show_models();
    page.press_model("scholar-4");
    page.browser.until(
        "it can be asked, too",
        "[...document.querySelectorAll('.lessons button')].some(b => b.textContent.includes('Run it on scholar-4'))",
    );
    page.press("Run it on scholar-4");
    page.browser.until_within(
        RUNS,
        "the other model has answered",
        "document.querySelector('#told')?.textContent.includes('by scholar-4')",
    );
    page.assert_quiet();
}

/// An address says all: Back and a teacher's link lead to the model that they were seen with.
#[test]
fn a_lesson_whose_address_names_no_model_is_asked_of_the_first() {
    let page = Page::new(1440, 900);
    page.open("#model=scholar-2");
    let model = |name: &str| {
        let shown = format!("document.querySelector('#model')?.textContent.includes('{name}')");
        page.browser.until(name, &shown);
    };
    model("scholar-2");
    page.browser.run("location.hash = '#view=lessons&lesson=1'");
    page.until_lesson_step(1, 1);
    model("scholar-12");
    page.back();
    model("scholar-2");
    page.assert_quiet();
}

#[test]
fn a_model_that_lacks_the_tasks_says_so_and_a_scholar_answers_instead() {
    let Some(folder) = model_folder("stories260k") else { return };
    let page = Page::live();
    page.open_folder(&folder);
    page.until_hash("folder=stories260k");
    page.browser.run("location.hash = '#folder=stories260k&view=lessons&lesson=4&step=1'");
    page.until_lesson_step(4, 1);
    // Before anybody has predicted anything.
    page.until_ran("#lend");
    page.until_says(".problem", "cannot show");
    page.browser.click("#lend");
    page.until_ran("#verdict, #commit");
    if page.browser.count("#verdict") == 0 {
        page.expect_option(0);
    }
    page.until_ran("#verdict");
    page.until_says("#told", "by scholar-12");
    page.assert_quiet();
}

/// Its name does not make it the model that a step names.
#[test]
fn a_readers_folder_named_like_a_scholar_does_not_answer_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = folder.path().join("scholar-4");
    copy_model("scholar-2", &named);
    let page = Page::live();
    page.open_folder(&named);
    page.until_hash("folder=scholar-4");
    // Four against two blocks.
    page.browser.run("location.hash = '#folder=scholar-4&view=lessons&lesson=5&step=4'");
    page.until_lesson_step(5, 4);
    page.expect_option(0);
    page.until_ran("#verdict");
    let weights = "models/scholar-4/model.safetensors";
    let sent = page.server.sent();
    assert!(
        sent.iter().any(|sent| sent.path.ends_with(weights)),
        "the scholar was asked: {sent:?}"
    );
    page.assert_quiet();
}

#[test]
fn a_link_with_a_folder_that_is_not_here_says_so_and_a_scholar_answers() {
    let page = Page::new(1440, 900);
    page.open("#folder=mine&view=lessons&lesson=1&step=1&projector");
    page.until_says("#no-model", "stays on the machine");
    assert_eq!(page.browser.count("#stop-step"), 0);
    // It does not pretend to run, and what the step says of its model waits for one.
    page.browser.until(
        "nothing runs",
        "!document.querySelector('#stop-step') && document.querySelector('#lend')",
    );
    page.browser.click("#lend");
    page.until_lesson_step(1, 1);
    page.answer(1);
    page.until_says("#verdict", "The run ");
    page.assert_quiet();
}

#[test]
fn what_is_to_be_read_waits_for_no_model() {
    let page = Page::new(1440, 900);
    page.server.hold(Some("model.safetensors"));
    page.open("#model=scholar-2&view=lessons");
    page.browser
        .until("all lessons are listed", "document.querySelectorAll('.syllabus > li').length > 10");
    page.browser.click(".syllabus a");
    page.until_says("#lesson-title", "1. ");
    assert!(page.hash().contains("lesson=1"), "the lesson is open");
    page.server.hold(None);
    page.until_lesson_step(1, 1);
    page.assert_quiet();
}
