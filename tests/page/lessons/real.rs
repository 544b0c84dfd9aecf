//! Lessons with the real model open: what the list says of it, and what it is asked.

use std::time::Instant;

use super::{LESSONS, RUNS};
use crate::common::real_model;
use crate::page::Page;

/// Lessons of which it can be asked every step that asks the open model.
const WHOLE: [usize; 7] = [1, 2, 3, 4, 5, 7, 11];

impl Page {
    /// The list of lessons with the real model; `None` where `--no-real` leaves it out.
    fn with_real_model() -> Option<Self> {
        let model = real_model()?;
        let page = Page::live();
        page.go_to_view("Lessons");
        page.browser.until_count(".syllabus > li", LESSONS);
        // Of the model that they are written for nothing is said.
        assert_eq!(page.browser.count(".syllabus .fit"), 0);
        page.go_to_view("Lens");
        page.open_file(&model);
        page.until_hash("SmolLM2");
        page.until_settled();
        page.go_to_view("Lessons");
        page.browser.until_within(
            RUNS,
            "the list says what it can be asked",
            &format!("document.querySelectorAll('.syllabus .fit').length === {LESSONS}"),
        );
        Some(page)
    }

    /// What is asked and told, without its pictures.
    fn words_of_step(&self) -> String {
        let parts = "'.read-by-model, .say, .ask, .expectation, .said, .because'";
        self.browser.text(&format!(
            "[...document.querySelectorAll({parts})].map(e => e.textContent).join(' ')"
        ))
    }

    fn said_of_lesson(&self, lesson: usize) -> String {
        self.browser.text(&format!(
            "document.querySelectorAll('.syllabus .fit')[{}].textContent",
            lesson - 1
        ))
    }
}

#[test]
fn the_list_says_what_the_real_model_can_be_asked_and_it_is_asked_plain_english() {
    let Some(page) = Page::with_real_model() else { return };
    page.screenshot("lessons-real-list");
    for lesson in WHOLE {
        let said = page.said_of_lesson(lesson);
        assert!(said.contains("SmolLM2") && !said.contains("cannot"), "lesson {lesson}: {said}");
    }
    assert!(
        page.said_of_lesson(1).ends_with(" can be asked all 4 steps."),
        "{}",
        page.said_of_lesson(1)
    );
    // By nature: neither the weights that its blocks share nor moments of its training.
    let said = page.said_of_lesson(6);
    assert!(said.contains("1 step it cannot be asked: its blocks share no weights."), "{said}");
    assert!(
        page.said_of_lesson(10).contains("no moments of the training"),
        "{}",
        page.said_of_lesson(10)
    );

    // A fact and not a riddle; a component that this run names; its own thirty blocks.
    page.browser.run("document.querySelector('.syllabus a').click()");
    page.until_lesson_step(1, 1);
    page.until_says(".read-by-model", "The capital of France is");
    page.browser.run("document.querySelectorAll('.trail a')[2].click()");
    page.until_lesson_step(1, 3);
    page.browser.until(
        "the attention is pointed at among thirty blocks",
        "document.querySelectorAll('.meant-blocks li').length === 30 && document.querySelectorAll('.meant-blocks .meant').length === 1",
    );
    page.answer(0);
    page.until_says("#told", "by SmolLM2");
    page.browser.until_there(".step-pictures .chart svg");
    let words = page.words_of_step();
    assert!(!words.contains(['{', '–', '<']), "{words}");
    page.assert_quiet();
}

/// Every step of the lessons that it can be asked whole; pictures are kept of each lesson's last.
#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn every_step_of_seven_lessons_is_answered_with_the_real_model() {
    let Some(page) = Page::with_real_model() else { return };
    for lesson in WHOLE {
        page.browser
            .run(&format!("document.querySelectorAll('.syllabus a')[{}].click()", lesson - 1));
        page.until_lesson_step(lesson, 1);
        let steps = page.steps();
        for step in 1..=steps {
            page.until_lesson_step(lesson, step);
            let began = Instant::now();
            page.expect_option(0);
            page.browser.until_within(
                4 * RUNS,
                "the model has answered",
                "document.querySelector('#told')",
            );
            let told = page.words_of_step();
            say!(
                "lesson {lesson}, step {step}: {:.0} s, {}",
                began.elapsed().as_secs_f64(),
                page.text("#told-title")
            );
            assert!(!told.contains(['{', '–']) && !told.contains("cannot"), "{told}");
            if step < steps {
                page.browser.click("#next-step");
            }
        }
        page.screenshot(&format!("lesson-{lesson}-last-step"));
        page.press_all_lessons();
        page.browser.until_there(".syllabus");
    }
    page.assert_quiet();
}
