//! Answers that this browser keeps: with two windows, of another form, and where it keeps nothing.

use serde_json::Value;

use crate::page::Page;

/// A second window with lessons, as a frame of the same site in the first.
const SECOND: &str = "const frame = document.createElement('iframe'); frame.id = 'second'; frame.width = 1000; frame.height = 800;
    frame.src = 'embed.html#view=lessons&lesson=1&step=1'; document.body.append(frame);";

impl Page {
    /// Which of the first lesson's options are kept as expected, step by step.
    fn kept_expectations(&self) -> Vec<(String, Value)> {
        let kept = self.kept_answers();
        let answers = kept["answers"].as_array().cloned().unwrap_or_default();
        let one = |answer: &Value| {
            let step = answer["step"].as_str().expect("a step").to_owned();
            (step, answer["expected"].clone())
        };
        answers.iter().map(one).collect()
    }
}

#[test]
fn what_one_window_kept_or_forgot_no_other_undoes() {
    let page = Page::new(1440, 900);
    page.lesson(1, 1);
    page.browser.run(SECOND);
    page.browser.within("#second", || {
        page.until_lesson_step(1, 1);
        page.browser.run("document.querySelector('#next-step').click()");
        page.until_lesson_step(1, 2);
    });
    page.answer(1);
    assert_eq!(page.kept_expectations().len(), 1);
    // The other window, which was open before, adds to it.
    page.browser.within("#second", || {
        page.answer(0);
    });
    let both = page.kept_expectations();
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!((&both[0].1, &both[1].1), (&Value::from(1), &Value::from(0)));
    // The first hears of it without anything done in it.
    page.browser.until_count(".trail .answered", 2);
    // What the first forgets the second does not bring back.
    page.open("#view=lessons");
    page.until_says(".kept", "2 answers");
    page.browser.within("#second", || page.until_told());
    page.browser.click("#forget-answers");
    page.press("Yes, forget them");
    page.until_says(".kept", "No answers");
    page.browser.within("#second", || {
        page.browser.until_there("#commit");
        page.answer(2);
    });
    let left = page.kept_expectations();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].1, 2);
    page.assert_quiet();
}

#[test]
fn answers_of_another_form_stay_until_they_are_forgotten() {
    let other = r#"{"atelier-answers": 9, "of": "another form"}"#;
    let page = Page::new(1440, 900);
    page.open("#view=lessons&lesson=1&step=1");
    page.browser.run(&format!("localStorage.setItem('atelier-answers', {})", Value::from(other)));
    page.browser.reload();
    // By a link to a step, too.
    page.until_lesson_step(1, 1);
    page.until_says(".of-answers", "this page cannot read");
    page.answer(1);
    assert_eq!(page.browser.text("localStorage.getItem('atelier-answers')"), other);
    page.open("#view=lessons");
    page.until_says(".of-answers", "this page cannot read");
    page.browser.click("#forget-answers");
    page.press("Yes, forget them");
    page.until_says(".kept", "No answers");
    page.browser.until("nothing is left", "localStorage.length === 0 || !Object.keys(localStorage).some(key => key.startsWith('atelier-answers'))");
    page.assert_quiet();
}

#[test]
fn a_browser_that_keeps_nothing_is_not_said_to_keep_answers() {
    let page = Page::new(1440, 900);
    page.lesson(1, 1);
    page.browser.run(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    );
    page.answer(1);
    assert!(!page.told().contains("kept with your answers"));
    page.press_all_lessons();
    page.until_says(".kept", "keeps nothing");
    // What was answered is there as long as the page is.
    page.until_says(".syllabus", "1 of ");
    let file = page.saved_answers();
    assert_eq!(file["answers"].as_array().map(Vec::len), Some(1));
    assert_eq!(page.kept_answers(), Value::Null);
    page.assert_quiet();
}
