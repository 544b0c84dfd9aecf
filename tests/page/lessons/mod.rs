//! Lessons: asked first, run on the live model, told afterwards; for one reader, for a class, for a sheet.

mod class;
mod keeping;
mod looks;
mod models;
mod real;
mod running;
mod sheet;

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::driver::{DOWN, ENTER, TAB};
use crate::page::Page;

/// How long a step's runs may take on a slow machine.
const RUNS: Duration = Duration::from_secs(240);

/// Lessons that come with the page.
const LESSONS: usize = atelier::study::lessons::LESSONS.len();

/// The model's answer, once it is shown.
const TOLD: &str = "#told";

impl Page {
    /// Opened at a lesson's step, counted from 1.
    fn lesson(&self, lesson: usize, step: usize) {
        self.open(&format!("#view=lessons&lesson={lesson}&step={step}"));
        self.until_lesson_step(lesson, step);
    }

    pub fn until_lesson_step(&self, lesson: usize, step: usize) {
        self.browser.until_within(
            RUNS,
            &format!("step {step} of lesson {lesson} is asked"),
            &format!("document.querySelector('.step')?.dataset.at === '{lesson}.{step}' && document.querySelector('.expectation')"),
        );
    }

    /// How many steps the open lesson has.
    pub fn steps(&self) -> usize {
        self.browser.count(".trail li")
    }

    /// Commits to an option, counted from 0, with the mouse.
    pub fn expect_option(&self, option: usize) {
        let free = "document.querySelector('.expectation input[type=radio]:not(:disabled)')";
        self.browser.until("an option can be chosen", free);
        self.browser.run(&format!(
            "document.querySelectorAll('.expectation input[type=radio]')[{option}].click()"
        ));
        self.browser.click("#commit");
    }

    /// Commits to an option, and waits until the model has answered.
    pub fn answer(&self, option: usize) {
        self.expect_option(option);
        self.until_told();
    }

    pub fn until_told(&self) {
        self.until_ran(TOLD);
    }

    /// Waits, for as long as runs may take, until an element is there.
    fn until_ran(&self, css: &str) {
        let there = format!("document.querySelector({})", Value::from(css));
        self.browser.until_within(RUNS, &format!("{css} is there"), &there);
    }

    /// Returns the words that the page shows of the run.
    fn told(&self) -> String {
        self.text("#told")
    }

    /// The keys under which this page keeps anything of lessons.
    fn kept_answers(&self) -> Value {
        let kept = self.browser.text("localStorage.getItem('atelier-answers') ?? 'null'");
        serde_json::from_str(&kept).expect("JSON")
    }

    /// The file of answers that the page hands out.
    fn saved_answers(&self) -> Value {
        self.catch_files();
        self.browser.click("#keep-answers");
        serde_json::from_str(&self.caught()).expect("JSON")
    }

    /// Back to the list, in the same visit.
    fn press_all_lessons(&self) {
        self.browser.run("document.querySelector('.lesson-head a').click()");
    }

    fn press(&self, words: &str) {
        self.browser.run(&format!(
            "[...document.querySelectorAll('.lessons button')].find(b => b.textContent.includes({})).click()",
            Value::from(words)
        ));
    }
}

#[test]
fn lesson_one_is_done_by_keyboard_alone() {
    let page = Page::new(1440, 900);
    page.open("#view=lessons&lesson=1");
    page.until_lesson_step(1, 1);
    let steps = page.steps();
    assert!(steps >= 3, "{steps}");
    for step in 1..=steps {
        page.until_lesson_step(1, step);
        page.until_focused("#step-title");
        assert_eq!(page.browser.count(TOLD), 0, "told before it was asked");
        assert_eq!(page.browser.count(".values, .mark"), 0);
        let is_at = "document.activeElement.matches('.expectation input[type=radio]')";
        let mut tabs = 0;
        while page.browser.text(is_at) != "true" {
            page.browser.keys(TAB);
            tabs += 1;
            assert!(tabs < 60, "the options are not reached by Tab");
        }
        page.browser.keys(" ");
        page.browser.keys(DOWN);
        let chosen = "document.querySelectorAll('.expectation')[1].querySelector('input').checked";
        assert_eq!(page.browser.text(chosen), "true");
        page.browser.keys(ENTER);
        page.until_told();
        page.until_focused("#told *");
        assert!(!page.told().contains(['{', '}']), "{}", page.told());
        page.until_says(".mark.own", "you");
        page.until_says("#verdict", "The run ");
        page.browser.keys("n");
    }
    page.until_says("#done", "lesson");
    assert_eq!(page.kept_answers()["answers"].as_array().map(Vec::len), Some(steps));
    page.browser.keys("p");
    page.until_lesson_step(1, steps - 1);
    page.assert_quiet();
}

#[test]
fn every_lessons_first_step_is_answered_by_the_model() {
    let page = Page::new(1440, 900);
    page.open("#view=lessons");
    page.browser.until_count(".syllabus li", LESSONS);
    for lesson in 1..=LESSONS {
        page.lesson(lesson, 1);
        let began = Instant::now();
        page.answer(0);
        let told = page.told();
        say!("lesson {lesson}: {:.1} s, {}", began.elapsed().as_secs_f64(), page.text("#verdict"));
        assert!(!told.contains(['{', '}']), "{told}");
        assert!(!told.contains("NaN"), "{told}");
        assert!(!page.text("#verdict").contains("cannot show"), "{told}");
        // What was run is drawn, but for curves of no model's.
        let drawn = page.browser.count(".step-pictures .figure");
        let is_theory = page.browser.text("document.querySelector('#further').href");
        if !is_theory.contains("view=theory") {
            assert_ne!(drawn, 0, "lesson {lesson}");
            page.browser.until_there(".step-pictures .chart svg");
        }
    }
    page.assert_quiet();
}

#[test]
fn answers_stay_in_this_browser_until_they_are_forgotten() {
    let page = Page::new(1440, 900);
    page.lesson(1, 1);
    page.answer(1);
    page.browser.click("#own-words");
    page.browser.type_into("#own-words", "I thought that the last one decides");
    page.browser.click("#next-step");
    page.until_lesson_step(1, 2);
    let told = page.kept_answers();
    page.browser.reload();
    page.until_lesson_step(1, 2);
    page.lesson(1, 1);
    page.until_told();
    assert_eq!(page.kept_answers(), told);
    assert_eq!(page.browser.value("#own-words"), "I thought that the last one decides");
    assert_eq!(
        page.browser.text("document.querySelectorAll('.expectation')[1].matches('.own')"),
        "true"
    );

    // As a file, made of what is kept.
    page.open("#view=lessons");
    page.until_says(".kept", "1 answer");
    page.until_says(".syllabus", "1 of ");
    let file = page.saved_answers();
    assert_eq!(file["atelier-answers"], 1);
    let build = page.browser.text("document.querySelector('meta[name=atelier-build]').content");
    assert_eq!(file["page"], build.as_str());
    let answer = &file["answers"][0];
    assert_eq!(answer["expected"], 1);
    assert_eq!(answer["own_words"], "I thought that the last one decides");
    assert_eq!(answer["page"], build.as_str());
    assert_eq!(answer["outcome"]["model"], "scholar-12");
    let ran = &answer["outcome"]["source"]["models"][0];
    let engine = ran["engine"].as_str().expect("an engine");
    assert!(!engine.is_empty());
    assert!(answer["question"].as_str().is_some_and(|text| text.ends_with('?')));

    // Forgotten, once it was asked again.
    page.browser.click("#forget-answers");
    page.press("Yes, forget them");
    page.until_says(".kept", "No answers");
    assert_eq!(page.kept_answers(), Value::Null);
    page.lesson(1, 1);
    assert_eq!(page.browser.count(TOLD), 0);
    page.assert_quiet();
}

#[test]
fn a_first_visit_is_offered_the_first_lesson_once() {
    let page = Page::new(1440, 900);
    page.open_plain();
    page.until_drawn();
    page.until_says(".offer", "Lesson 1");
    // On the first screen alone.
    page.go_to_view("Attention");
    page.browser.until_gone(".offer");
    page.go_to_view("Lens");
    page.browser.click(".offer");
    page.until_lesson_step(1, 1);
    page.go_to_view("Lens");
    page.until_drawn();
    assert_eq!(page.browser.count(".offer"), 0);
    page.assert_quiet();
}
