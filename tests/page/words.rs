//! Terms tell their meaning where they stand: by mouse, keyboard and touch.

use serde_json::json;

use crate::page::Page;

const ENTER: &str = "\u{E007}";
const ESCAPE: &str = "\u{E00C}";

/// The first term of the identity, and its definition.
const TERM: &str = ".identity .term-word";
const SHOWN: &str = "document.querySelector('.identity .definition:popover-open')";

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
