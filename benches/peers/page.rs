//! A bench's own page in headless Chromium, whose functions run the sides.

use std::path::PathBuf;
use std::time::Duration;

#[path = "../../tests/page/driver.rs"]
#[allow(dead_code, reason = "a bench needs a part of the page tests' driver")]
mod driver;

use serde_json::Value;

use crate::common::setting::variable;
use crate::common::site;
pub use driver::Browser;

/// How long a side may take for one prompt.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Opens `index.html` of these folders, which are named by the beginnings of paths, and waits until the sides are
/// there; `anchor` stands behind the address.
pub fn open(folders: Vec<(&'static str, PathBuf)>, has_gpu: bool, anchor: &str) -> Browser {
    let port = site::serve(folders);
    let (chrome, driver) = (variable("ATELIER_CHROME"), variable("ATELIER_CHROMEDRIVER"));
    let browser = Browser::open(&chrome, &driver, 800, 600, has_gpu, &[]);
    browser.go(&format!("http://127.0.0.1:{port}/index.html{anchor}"));
    browser.until("both sides are there", "window.versions");
    browser
}

/// Calls the page's function, and waits for its answer: polled, as it takes longer than the driver waits for one script.
pub fn answer(browser: &Browser, call: &str) -> Value {
    browser.run(&format!(
        "window.answer = null; {call}.then(a => window.answer = a ?? true, e => window.answer = {{ failed: String(e) }})"
    ));
    browser.until_within(PATIENCE, "a side is done", "window.answer !== null");
    let answer = browser.run("return window.answer");
    assert!(answer.get("failed").is_none(), "{call}: {answer}");
    answer
}
