//! Terms tell their meaning where they stand: by mouse, keyboard and touch.

use std::collections::BTreeSet;

use serde_json::json;

use crate::driver::{ENTER, ESCAPE};
use crate::page::Page;

/// The first term of the identity, and the definition that is open.
const TERM: &str = ".identity .term-word";
const SHOWN: &str = "document.querySelector('.definition:popover-open')";

/// Ids of the definitions of the terms that stand open in a view, in their order. The identity explains its three
/// numbers in any case.
const EXPLAINED: &str = "[...document.querySelectorAll('.term-word')].filter(b => !b.closest('.about-words, .fold, details.more, .identity b')).map(b => b.getAttribute('popovertarget'))";

#[test]
fn a_term_tells_its_meaning_by_mouse_keyboard_and_touch() {
    let page = Page::live();
    let browser = &page.browser;

    // 1. A click shows it, and another hides it.
    browser.click(TERM);
    browser.until("the mouse opens the meaning", SHOWN);
    let said = browser.text(&format!("{SHOWN}.textContent"));
    assert!(said.contains("mean of the components' own answers"), "{said}");
    page.assert_accessible_as_it_is("an open meaning");
    page.screenshot("meaning");
    browser.click(TERM);
    browser.until("another click hides it", &format!("!{SHOWN}"));

    // 2. The keyboard opens it, Escape closes it, and the focus stays.
    browser.run(&format!("document.querySelector('{TERM}').focus()"));
    browser.keys(ENTER);
    browser.until("Enter opens the meaning", SHOWN);
    browser.keys(ESCAPE);
    browser.until("Escape closes it", &format!("!{SHOWN}"));
    browser.until("the focus stays", &format!("document.activeElement.matches('{TERM}')"));

    // 3. A touch.
    let place = browser.run(&format!(
        "const box = document.querySelector('{TERM}').getBoundingClientRect(); return [box.x + 4, box.y + box.height / 2]"
    ));
    let touch = |kind: &str, points: serde_json::Value| {
        browser
            .devtools("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points }));
    };
    touch("touchStart", json!([{ "x": place[0], "y": place[1] }]));
    touch("touchEnd", json!([]));
    browser.until("a touch opens the meaning", SHOWN);
    page.assert_quiet();
}

impl Page {
    /// Waits for a view's texts, and checks that each term is underlined once.
    fn assert_explains_once(&self, view: &str, drawn: &str) {
        self.browser.until_there(drawn);
        self.browser.until(&format!("{view} explains terms"), &format!("{EXPLAINED}.length > 0"));
        let explained = self.browser.text(&format!("{EXPLAINED}.join(' ')"));
        let ids: Vec<&str> = explained.split(' ').collect();
        let each: BTreeSet<&str> = ids.iter().copied().collect();
        println!("{view}: {explained}");
        assert_eq!(ids.len(), each.len(), "{view} explains a term twice: {explained}");
        assert_eq!(
            self.browser.text("[...document.querySelectorAll('.term-word')].filter(b => !document.getElementById(b.getAttribute('popovertarget'))?.textContent.endsWith('.')).length"),
            "0",
            "{view} has a term without a definition"
        );
    }

    /// Opens the first term that matches by the keyboard, checks the page, and closes the definition.
    fn assert_opens(&self, term: &str, picture: &str) {
        self.browser.run(&format!(
            "const term = document.querySelector('{term}'); term.scrollIntoView({{ block: 'center' }}); term.focus()"
        ));
        self.browser.keys(ENTER);
        self.browser.until("Enter opens the meaning", SHOWN);
        let beside = format!(
            "(() => {{ const [a, b] = [document.querySelector('{term}'), {SHOWN}].map(e => e.getBoundingClientRect()); return Math.min(Math.abs(b.top - a.bottom), Math.abs(a.top - b.bottom)) < 12 }})()"
        );
        self.browser.until("it stands at its term", &beside);
        self.assert_accessible_as_it_is(picture);
        self.screenshot_of_window(picture);
        self.browser.keys(ESCAPE);
        self.browser.until("Escape closes it", &format!("!{SHOWN}"));
    }
}

#[test]
fn every_view_explains_a_term_where_it_stands_first() {
    let page = Page::live();
    let figure = "main .figure figcaption p";
    for (view, drawn) in [
        ("Lens", figure),
        ("Logit lens", figure),
        ("Attention", figure),
        ("Orders", "#row-help"),
        ("Coupling", figure),
        ("Survey", figure),
        ("Theory", figure),
    ] {
        page.go_to_view(view);
        page.assert_explains_once(view, drawn);
        if view == "Orders" {
            page.assert_opens("#row-help .term-word", "a meaning in Orders");
        }
    }
    page.open("#view=member&member=2a");
    page.assert_explains_once("a component's page", figure);

    // A step of a lesson, before and after its run.
    page.open("#view=lessons&lesson=1&step=3");
    page.until_lesson_step(1, 3);
    page.assert_explains_once("a lesson's step", ".say");
    page.assert_opens(".say .term-word", "a meaning in a lesson");
    page.answer(0);
    page.assert_explains_once("a step that is told", figure);
    page.assert_quiet();
}

/// Ten views are told apart in tabs and in the history, and a screen reader hears which one opens.
#[test]
fn every_view_has_a_title_and_says_that_it_opens() {
    let page = Page::live();
    page.browser.until("the lens's title", "document.title === 'Lens · scholar-12 · atelier'");
    page.go_to_view("Orders");
    page.browser.until("the view's title", "document.title === 'Orders · scholar-12 · atelier'");
    page.until_says("#opened-view", "View: Orders.");
    page.go_to_view("Survey");
    page.browser.until("a view without a model", "document.title === 'Survey · atelier'");
    page.assert_quiet();
}
