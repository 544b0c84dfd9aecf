//! The page in the other engine: opened, asked, looked at in another view.

use std::time::{Duration, Instant};

use crate::driver::PATIENCE;
use crate::page::Page;

#[test]
fn firefox_opens_runs_draws_and_changes_the_view() {
    let page = Page::in_firefox();
    page.open_live();
    let first = page.picture();
    // A prompt of the reader's own.
    page.browser.clear("#prompt");
    page.browser.type_into("#prompt", "12 + 30 =");
    page.browser.until(
        "the picture is the new prompt's",
        "!document.querySelector('.late') && !document.querySelector('.status.visible') && document.querySelector('#prompt').value === '12 + 30 ='",
    );
    page.judge(0);
    page.until_settled();
    assert_ne!(page.picture(), first);
    let paths = "return document.querySelectorAll('#figure-running svg path').length";
    let paths = page.browser.run(paths).as_u64().unwrap_or_default();
    assert!(paths > 2, "{paths} lines are drawn");
    // Another view, its own pictures, and back.
    for (view, drawn) in [
        ("Survey", "document.querySelectorAll('main table td').length > 10"),
        ("Orders", "location.hash.includes('view=orders')"),
        ("Theory", "document.querySelectorAll('main svg').length > 2"),
        ("Lens", "document.querySelectorAll('.chart svg').length === 3"),
    ] {
        page.press_text("[aria-label=Views] a", view);
        page.browser.until(&format!("{view} is drawn"), drawn);
    }
    page.until_settled();
    let errors = page.browser.errors_said();
    assert!(errors.is_empty(), "Firefox says: {errors:#?}");
    // One that is thrown on purpose would be among them.
    let throw = "setTimeout(() => { throw new Error('on purpose') }, 0)";
    page.browser.run(throw);
    let until = Instant::now() + PATIENCE;
    while page.browser.errors_said().is_empty() {
        assert!(Instant::now() < until, "Firefox says nothing");
        std::thread::sleep(Duration::from_millis(50));
    }
    let missing = page.server.sent();
    let missing: Vec<_> = missing.iter().filter(|sent| sent.status != 200).collect();
    assert!(missing.is_empty(), "asked for what is not there: {missing:?}");
}
