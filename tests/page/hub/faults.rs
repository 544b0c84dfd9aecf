//! What a hub can answer wrongly, and what becomes of it.

use super::{Scene, weights};
use crate::page::set;
use crate::test_hub::{Fault, Origin};

#[test]
fn faults_that_pass_are_waited_for() {
    let scene = Scene::new();
    scene.show();
    for (origin, path, times, fault) in [
        (Origin::Hub, "/revision/", 1, Fault::status(503)),
        (Origin::Cdn, weights().as_str(), 2, Fault::Cut(60_000)),
        (Origin::Cdn, weights().as_str(), 1, Fault::status(408)),
        (
            Origin::Hub,
            "/resolve/",
            1,
            Fault::Status { status: 429, headers: vec![("Retry-After", "1".into())], cors: true },
        ),
    ] {
        scene.hub.fail(origin, path, times, fault.clone());
        scene.fetch();
        scene.until_fetched();
        scene.assert_whole();
        scene.hub.mend();
        scene.page.choose("scholar-2");
        scene.clear();
        scene.page.browser.click("#model");
    }
}

#[test]
fn a_hub_that_sends_only_whole_files_is_begun_anew_and_said() {
    let scene = Scene::new();
    scene.show();
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::Cut(50_000));
    scene.hub.fail(Origin::Cdn, weights().as_str(), 1, Fault::WholeAlways);
    scene.fetch();
    scene.until_fetched();
    scene.assert_whole();
    assert!(scene.hub.seen().iter().any(|seen| seen.headers.contains_key("range")));
    scene.page.browser.click("#model");
}

#[test]
fn faults_that_last_are_one_sentence() {
    let scene = Scene::new();
    scene.show();
    for (origin, path, fault, expected) in [
        (Origin::Cdn, weights().as_str(), Fault::WrongByte(5000), "came damaged"),
        (Origin::Cdn, "", Fault::Longer(7), "bytes where the hub promised"),
        (Origin::Cdn, weights().as_str(), Fault::status(404), "has no file"),
        (
            Origin::Hub,
            "/resolve/",
            Fault::Elsewhere("http://127.0.0.1:9/x".into()),
            "its files' host does not",
        ),
    ] {
        scene.hub.fail(origin, path, 99, fault.clone());
        scene.fetch();
        scene.says(".problem", expected);
        scene.hub.mend();
        // Nothing wrong stays: the same again is right.
        scene.fetch();
        scene.until_fetched();
        scene.assert_whole();
        scene.page.choose("scholar-2");
        scene.clear();
        scene.page.browser.click("#model");
    }
    scene.look_up("makers/none");
    scene.says(".problem", "has no model makers/none");
    scene.look_up("../x");
    scene.says(".problem", "is no model on a hub");
}

#[test]
fn a_browser_that_keeps_no_files_has_it_in_memory_and_says_so() {
    let scene = Scene::new();
    scene.show();
    // The worker starts with the first question, and finds no private file system.
    let dist = std::path::PathBuf::from(set("ATELIER_DIST"));
    let boot = std::fs::read_to_string(dist.join("hub_boot.js")).expect("a script");
    // Imports are hoisted, but the program only starts behind them.
    let blind = "StorageManager.prototype.getDirectory = undefined;\nawait ";
    let blind = boot.replacen("await ", blind, 1);
    assert!(blind.contains("undefined"), "{boot}");
    scene.page.server.replace("hub_boot.js", &blind);
    scene.fetch();
    scene.says("#notice", "This browser keeps no files for pages");
    scene.until_fetched();
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}
