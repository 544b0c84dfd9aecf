//! Tests share browsers: what one leaves in its tab, the next does not find.

use serde_json::json;

use crate::page::Page;

/// Script that finds the service workers, caches, files, storage, permission, script and scheme that a page of this
/// origin meets.
const FOUND: &str = "
    const done = arguments[0];
    (async () => {
      const files = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
      return {
        workers: (await navigator.serviceWorker.getRegistrations()).length,
        caches: (await caches.keys()).length,
        files,
        kept: localStorage.length,
        visit: sessionStorage.length,
        clipboard: (await navigator.permissions.query({ name: 'clipboard-write' })).state,
        script: window.left ?? null,
        dark: matchMedia('(prefers-color-scheme: dark)').matches,
      };
    })().then(done, error => done(String(error)));";

#[test]
fn the_next_page_in_a_browser_finds_nothing_of_the_one_before() {
    let page = Page::kept(1440, 900);
    let browser = &page.browser;
    // At this address the page itself, and what keeps it, does not run.
    let look = || {
        browser.go(&format!("{}service_worker.js", page.server.url()));
        browser.run_async(FOUND)
    };
    let before = look();

    browser.before_every_document("window.left = 1;");
    let clipboard = json!({ "permission": { "name": "clipboard-write" }, "setting": "denied" });
    browser.devtools("Browser.setPermission", &clipboard);
    browser.prefer("dark");
    page.open_live();
    page.until_kept();
    browser.run_async(
        "const done = arguments[0];
         localStorage.left = sessionStorage.left = 'left';
         console.error('left');
         navigator.storage.getDirectory().then(root => root.getFileHandle('left', { create: true })).then(() => done(null));",
    );
    let left = look();
    for field in before.as_object().expect("what was found").keys() {
        assert_ne!(left[field], before[field], "{field}");
    }

    browser.forget().expect("forgotten");
    assert_eq!(browser.console(), Vec::<String>::new());
    assert_eq!(look(), before);
}
