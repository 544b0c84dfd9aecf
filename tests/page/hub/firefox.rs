//! The list of models in the other engine: downloaded, stopped, gone on with, opened.

use super::Scene;
use crate::page::Page;

#[test]
fn firefox_downloads_goes_on_and_opens() {
    let scene = Scene::on(Page::in_firefox());
    scene.show();
    scene.slow(6);
    scene.fetch();
    scene.until_some_came();
    scene.press("#pause");
    scene.says(".status-line", "is stopped. What has come is kept");
    // Another visit goes on where this one stopped.
    scene.page.browser.reload();
    scene.page.until_live();
    scene.hub.mend();
    scene.hub.seen();
    scene.show();
    scene.press(".kept-model .resume");
    scene.until_fetched();
    scene.page.until_settled();
    scene.assert_whole();
    let ranges = scene.ranges();
    let goes_on = |range: &String| !range.starts_with("bytes=0-");
    assert!(ranges.iter().any(goes_on), "{ranges:?}");
    // Opened anew, it is found here, and nobody is asked.
    scene.hub.gone(true);
    scene.page.browser.reload();
    scene.until_fetched();
    assert!(scene.hub.seen().is_empty());
    let errors = scene.page.browser.errors_said();
    assert!(errors.is_empty(), "Firefox says: {errors:#?}");
}
