//! In front of a class: projector, hold, hands counted; one link, no server.

use super::TOLD;
use crate::page::Page;

#[test]
fn one_link_opens_a_step_for_the_wall_and_holds_what_the_model_says() {
    let page = Page::new(1440, 900);
    page.open("#view=lessons&lesson=1&step=1&projector&hold");
    page.until_lesson_step(1, 1);
    let size = "parseFloat(getComputedStyle(document.documentElement).fontSize)";
    let large = page.browser.number(size);
    assert!(large > 20.0, "{large}");
    assert_eq!(
        page.browser.text("getComputedStyle(document.body).backgroundColor"),
        "rgb(255, 255, 255)"
    );
    // Hands are counted before anybody knows.
    for (option, hands) in [(0, "7"), (1, "12")] {
        let field = format!(".expectation:nth-child({}) .tally input", option + 1);
        page.browser.clear(&field);
        page.browser.type_into(&field, hands);
    }
    assert_eq!(page.browser.count(".hands"), 0);
    page.expect_option(1);
    page.until_ran("#reveal");
    assert_eq!(page.browser.count(TOLD), 0);
    assert_eq!(page.browser.count(".mark.run, .values"), 0);
    // The key that is pressed is shown to the class, and shows it.
    page.browser.focus("#reveal");
    page.browser.keys("r");
    page.until_says(".pressed-key", "r");
    page.until_told();
    let shares = page.browser.texts(".hands").join("|");
    assert!(shares.contains("7 of 19") && shares.contains("12 of 19"), "{shares}");
    // Drawings grow with the words, and stay within their column.
    page.browser.until_there(".step-pictures .chart svg");
    let sizes = "const chart = document.querySelector('.step-pictures .chart'); const wide = chart.getBoundingClientRect().width; return [wide / chart.clientWidth, wide - chart.parentElement.clientWidth]";
    let sizes = page.browser.run(sizes);
    let [scale, over] = [0, 1].map(|i| sizes[i].as_f64().expect("a size"));
    assert!(scale > 1.25 && over < 1.0, "{scale} times, {over} px too wide");
    page.screenshot("lesson-projector");
    page.assert_accessible("a lesson on the wall");
    // It is as it was when the link is opened again, and held again.
    page.browser.reload();
    page.browser.until_there("#reveal");
    assert_eq!(page.browser.count(TOLD), 0);

    // What is held is cleared for the next class without being shown, hands with it; and hands that are typed
    // while the model answers stay in their fields.
    page.browser.click("#clear-step");
    page.browser.until_there("#commit");
    let hands = "[...document.querySelectorAll('.tally input')].map(i => i.value).join('|')";
    assert!(page.browser.text(hands).chars().all(|c| c == '|'), "{}", page.browser.text(hands));
    assert_eq!(page.kept_answers()["answers"], serde_json::json!([]));
    page.expect_option(1);
    page.browser.until("it runs", "document.querySelector('#commit') === null");
    page.until_focused("#step-title");
    page.browser.type_into(".tally input", "3");
    page.until_ran("#reveal");
    page.browser
        .until("what was typed is there", "document.querySelector('.tally input').value === '3'");

    // Back to a desk: by the ticks, which the address follows.
    page.browser.click("#for-wall");
    page.browser.until("it is small", &format!("{size} < 20"));
    assert!(!page.hash().contains("projector"));
    page.browser.click("#for-hold");
    page.until_told();
    assert!(!page.hash().contains("hold"));
    // Whoever goes elsewhere takes no large letters along.
    page.browser.click("#for-wall");
    page.browser.until("it is large", &format!("{size} > 20"));
    page.go_to_view("Theory");
    page.browser.until("it is small elsewhere", &format!("{size} < 20"));
    page.assert_quiet();
}

#[test]
fn keys_of_a_lesson_leave_typing_alone() {
    let page = Page::new(1440, 900);
    page.lesson(1, 1);
    page.answer(0);
    page.until_focused("#told *");
    page.browser.type_into("#own-words", "no, not pp");
    assert_eq!(page.browser.value("#own-words"), "no, not pp");
    page.until_lesson_step(1, 1);
    page.browser.focus("#told h3");
    page.browser.keys("n");
    page.until_lesson_step(1, 2);
    page.back();
    page.until_lesson_step(1, 1);
    page.assert_quiet();
}
