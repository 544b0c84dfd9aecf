//! Where a step stands: on a desk's first screen, on a telephone, light and dark, for assistive technology.

use super::LESSONS;
use crate::page::{LOOKS, Page};

#[test]
fn no_step_has_to_be_scrolled_to_be_answered_on_a_desk() {
    let page = Page::new(1440, 900);
    page.open("#view=lessons&lesson=1");
    let mut seen = 0;
    for lesson in 1..=LESSONS {
        page.lesson(lesson, 1);
        for step in 1..=page.steps() {
            page.lesson(lesson, step);
            let end = "document.querySelector('#commit').getBoundingClientRect().bottom";
            let end: f64 = page.browser.text(end).parse().expect("a place");
            assert!(end <= 900.0, "lesson {lesson}, step {step}: {end}");
            seen += 1;
        }
    }
    say!("{seen} steps end above 900 px");
    assert!(seen > 30, "{seen}");
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
        page.expect_option(1);
        page.until_told();
        shots("after");
        page.assert_quiet();
    }
}
