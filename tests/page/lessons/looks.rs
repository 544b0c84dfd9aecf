//! Where a step stands: on a desk's first screen, on a telephone, light and dark, for assistive technology.

use super::LESSONS;
use crate::page::{LOOKS, Page};

/// A desk's window and a telephone's.
const SCREENS: [(u32, u32); 2] = [(1440, 900), (390, 844)];

#[test]
fn no_step_has_to_be_scrolled_to_be_answered() {
    for (width, height) in SCREENS {
        let page = Page::new(width, height);
        page.open("#view=lessons&lesson=1");
        let mut seen = 0;
        for lesson in 1..=LESSONS {
            page.lesson(lesson, 1);
            for step in 1..=page.steps() {
                page.lesson(lesson, step);
                let ends = "['#commit', '.step > .onward'].map(css => document.querySelector(css).getBoundingClientRect())";
                let is_free = format!(
                    "(([commit, onward]) => commit.bottom <= onward.top && onward.bottom <= innerHeight)({ends})"
                );
                assert_eq!(
                    page.browser.text(&is_free),
                    "true",
                    "lesson {lesson}, step {step}, {width} wide"
                );
                seen += 1;
            }
        }
        say!("{seen} steps fit a screen of {width} by {height}");
        assert!(seen > 30, "{seen}");
    }
}

/// Votes before and after a change, and errors in their order: each picture shows what its step asks.
#[test]
fn a_steps_picture_shows_what_the_step_asks() {
    let page = Page::new(1440, 900);
    page.open("#view=lessons&lesson=1");
    for (lesson, step, title) in [
        (1, 3, "15 other votes changed; the sum went from +14.6 to −3.19"),
        (2, 2, "The mean's error, 0.208, is smaller than that of 18 of 25 components"),
        (4, 4, "Right among the options, %: least on “topic” with MLPs off ("),
        (5, 3, "scholar-12: “topic” appears last, after block 11's MLP; "),
        (6, 2, "Diversity, centred logits: scholar-12-shared is below scholar-12 on "),
        (10, 3, "“three”: answered as if no negation stood there in "),
        (10, 4, "“three”: answered as if no negation stood there in "),
    ] {
        page.lesson(lesson, step);
        page.answer(0);
        page.until_says(".step-pictures h3", title);
        page.browser.until_there(".step-pictures .chart svg");
        page.screenshot(&format!("lesson-{lesson}-{step}"));
    }
    page.assert_quiet();
}

/// The verdict, the sentence, what the run does not say, the picture and the way on.
#[test]
fn no_answer_has_to_be_scrolled_for() {
    for (width, height) in SCREENS {
        let page = Page::new(width, height);
        page.open("#view=lessons&lesson=1");
        for (lesson, step) in [(1, 1), (1, 3), (2, 2), (4, 4), (5, 3), (6, 2), (10, 2), (10, 4)] {
            page.lesson(lesson, step);
            page.answer(0);
            page.browser.until_there(".step-pictures .chart svg");
            // Of the picture, its upper half at least.
            let hidden = "['#verdict', '.said p', '.because .caveat', '.step-pictures .chart', '#next-step'].filter(css => {
               const place = document.querySelector(css).getBoundingClientRect();
               const bar = document.querySelector('.step > .onward').getBoundingClientRect();
               const end = css.endsWith('.chart') ? (place.top + place.bottom) / 2 : place.bottom;
               return place.top < 0 || end > (css === '#next-step' ? innerHeight : bar.top);
             }).join()";
            page.browser.until(
                &format!("lesson {lesson}, step {step} is told on one screen, {width} wide"),
                &format!("{hidden} === ''"),
            );
        }
        page.assert_quiet();
    }
}

#[test]
fn a_step_before_and_after_is_readable_on_desk_and_telephone_light_and_dark() {
    for (width, height, schemes) in LOOKS {
        let page = Page::new(width, height);
        page.open("#view=lessons");
        page.until_says(".syllabus", "1");
        page.assert_accessible(&format!("the list at {width}"));
        page.screenshot(&format!("lessons-{width}"));
        page.lesson(1, 1);
        let shots = |what: &str| {
            for &scheme in schemes {
                page.browser.prefer(scheme);
                page.screenshot(&format!("lesson-{width}-{what}-{scheme}"));
                page.assert_look(&format!("a step {what}"), width, scheme);
            }
        };
        shots("before");
        page.answer(1);
        shots("after");
        page.assert_quiet();
    }
}
