//! A lesson on paper: every question first, what the run says on the pages behind.

use serde_json::json;

use crate::page::{Page, picture_file};

#[test]
fn a_sheet_has_the_questions_before_what_the_run_says() {
    let page = Page::new(1440, 900);
    page.lesson(1, 1);
    let steps = page.steps();
    // What the window would do: a dialog, which nobody answers here.
    page.browser.run("window.print = () => { window.printed = true; }");
    page.browser.click("#print-lesson");
    page.browser.until_within(super::RUNS * 4, "every step was run", "window.printed");
    // Nobody was asked, so nothing is told on the screen.
    assert_eq!(page.browser.count(super::TOLD), 0);
    let printed = page.browser.devtools(
        "Page.printToPDF",
        &json!({ "preferCSSPageSize": true, "printBackground": false }),
    );
    let pdf = crate::driver::base64(printed["data"].as_str().expect("a PDF"));
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.starts_with("%PDF"));
    // The list of all pages is of another type, with an s.
    let pages = text.split("/Type /Page").skip(1);
    let pages = pages.filter(|rest| !rest.starts_with('s')).count();
    assert!(pages >= 2, "{pages} pages");
    if let Some(path) = picture_file("lesson.pdf") {
        std::fs::write(path, &pdf).expect("a file");
    }

    page.browser.devtools("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    let words = page.browser.text("document.body.innerText");
    let questions = "[...document.querySelectorAll('.sheet .asked .ask')].map(e => e.innerText)";
    let questions = page.browser.run(&format!("return {questions}"));
    let questions = questions.as_array().expect("questions");
    assert_eq!(questions.len(), steps);
    let told = words.find("What the run says").expect("what the run says");
    for question in questions {
        let question = question.as_str().expect("words");
        let at = words.find(question).expect("on the sheet");
        assert!(at < told, "{question}");
    }
    assert_eq!(page.browser.count(".sheet .told > li"), steps);
    let breaks = "getComputedStyle(document.querySelector('.sheet .told-title')).breakBefore";
    assert_eq!(page.browser.text(breaks), "page");
    let behind = &words[told..];
    assert!(!behind.contains(['{', '}']), "{behind}");
    assert!(!behind.contains("Not run yet"), "{behind}");
    assert!(behind.contains("scholar-12"), "{behind}");
    assert!(words.contains("view=lessons&lesson=1"), "{words}");
    assert!(!words.contains("Commit"), "{words}");
    page.assert_quiet();
}
