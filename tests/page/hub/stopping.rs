//! Downloads that are stopped: by the reader, the network, the disk, or whatever ends a worker.

use std::time::Duration;

use serde_json::json;

use super::{REPO, Scene, tiny};
use crate::page::MODELS;
use crate::test_hub::{Fault, Origin, Place};

/// Larger than a browser hands out room by; it is no model, and nobody opens it.
const LARGE: &str = "makers/large";

impl Scene {
    /// Begins to fetch, which takes about six seconds, and waits until some of it has come.
    fn begin(&self) {
        self.slow(6);
        self.fetch();
        self.until_some_came();
    }

    pub fn until_some_came(&self) {
        self.until(
            "some of it has come",
            "document.querySelector('#fetching progress')?.value > 0.25",
        );
    }

    /// Takes up again what was stopped: it goes on in the middle, and ends right.
    fn go_on(&self) {
        self.hub.mend();
        self.hub.seen();
        self.press(".kept-model .resume");
        self.until_fetched();
        self.assert_whole();
        let ranges = self.ranges();
        let goes_on = |range: &String| !range.starts_with("bytes=0-");
        assert!(ranges.iter().any(goes_on), "it began anew: {ranges:?}");
    }
}

#[test]
fn paused_it_keeps_what_came_and_goes_on() {
    let scene = Scene::shown();
    scene.begin();
    let words = scene.text("#fetching p");
    assert!(words.contains(" of "), "{words}");
    scene.press("#pause");
    scene.says(".status-line", "is stopped. What has come is kept");
    scene.says(".kept-model .quiet", " of ");
    let kept = scene.kept();
    let parts = kept.iter().filter(|(name, _)| name.ends_with(".part"));
    assert_eq!(parts.count(), 1, "{kept:?}");
    // What is stopped asks nothing.
    scene.hub.seen();
    std::thread::sleep(Duration::from_secs(1));
    assert!(scene.hub.seen().is_empty());
    scene.go_on();
}

/// The second went on to the end when the first was stopped, with nothing shown of it.
#[test]
fn two_quick_clicks_fetch_once() {
    let scene = Scene::shown();
    scene.in_the_frame(
        "const { prototype } = Worker, post = prototype.postMessage;
         parent.asked = 0;
         prototype.postMessage = function (ask) { if (ask.includes('Fetch')) parent.asked++; post.call(this, ask); };",
    );
    scene.slow(6);
    scene.look_up(REPO);
    scene.until("it can be had", "document.querySelector('#download')");
    let click = format!("const download = {MODELS}.querySelector('#download');");
    scene.page.browser.run(&format!("{click} download.click(); download.click();"));
    scene.until_some_came();
    assert_eq!(scene.page.browser.run("return window.asked"), 1);
}

#[test]
fn cancelled_nothing_of_it_stays() {
    let scene = Scene::shown();
    scene.begin();
    scene.delete("#fetching");
    scene.says(".status-line", "hub:makers/tiny is deleted.");
    scene.says("#here", "No model of the hub is here yet.");
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}

#[test]
fn while_one_is_fetched_another_is_looked_up() {
    let scene = Scene::new();
    scene.hub.put("makers/other", Place::open(&tiny()));
    scene.show();
    scene.begin();
    scene.look_up("makers/other");
    scene.says("#found", "hub:makers/other: ");
    scene.until("the first is still on its way", "document.querySelector('#fetching')");
    scene.hub.mend();
    scene.until_fetched();
    scene.assert_whole();
}

#[test]
fn a_look_up_that_fails_leaves_the_download_its_controls() {
    let scene = Scene::shown();
    // It lasts longer than two look-ups.
    scene.slow(30);
    scene.begin();
    scene.look_up("makers/none");
    scene.says(".problem", "has no model makers/none");
    // Of the very model, too.
    scene.hub.fail(Origin::Hub, "/revision/", 1, Fault::status(404));
    scene.look_up(REPO);
    scene.says(".problem", "makers/tiny");
    scene.press("#pause");
    scene.says(".status-line", "is stopped. What has come is kept");
    scene.go_on();
}

#[test]
fn a_browser_that_asks_whether_it_may_keep_files_delays_no_download() {
    let scene = Scene::new();
    let mut files = tiny();
    files[1].1 = vec![0; 201_000_000];
    scene.hub.put(LARGE, Place::open(&files));
    scene.hub.fail(Origin::Cdn, "", 99, Fault::Slow(1_000_000));
    scene.show();
    // Nobody answers.
    scene.page.browser.run(
        "StorageManager.prototype.persist = () => new Promise(() => { window.isAsked = true; });",
    );
    scene.look_up(LARGE);
    scene.press("#download");
    scene.page.browser.until("the browser asks", "window.isAsked");
    scene.until("it comes", "document.querySelector('#fetching progress')?.value > 0");
    scene.until("one is fetched at a time", "document.querySelector('#download')?.disabled");
}

#[test]
fn deleted_while_it_answers_it_says_what_that_means() {
    let scene = Scene::answering();
    scene.press(".kept-model .delete");
    scene.until("it is asked once more", "document.querySelector('.kept-model .sure')");
    scene.assert_whole();
    scene.press(".kept-model .sure");
    scene.says(".status-line", "It is the page's model still");
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}

#[test]
fn where_there_is_no_room_it_is_said() {
    let scene = Scene::new();
    let weights: Vec<u8> = (0..4_u32 << 20).flat_map(u32::to_le_bytes).collect();
    let size = weights.len();
    let mut files = tiny();
    files[1].1 = weights;
    scene.hub.put(LARGE, Place::open(&files));
    let origin = scene.page.browser.text("location.origin");
    let quota = |bytes: usize| {
        let params = json!({ "origin": origin, "quotaSize": bytes });
        let browser = &scene.page.browser;
        browser.devtools("Storage.overrideQuotaForOrigin", &params);
    };
    let fetch = || {
        scene.look_up(LARGE);
        scene.press("#download");
    };
    scene.show();
    // Before the first byte. (What Chromium says that there may be is no promise.)
    quota(1_000);
    fetch();
    let sentence = "There is no room for hub:makers/large: 17 MB are needed";
    scene.says(".problem", sentence);
    let seen = scene.hub.seen();
    assert!(seen.iter().all(|seen| seen.origin == Origin::Hub));
    // In the middle.
    quota(1_000_000_000);
    scene.hub.fail(Origin::Cdn, "", 99, Fault::Slow(size / 8));
    fetch();
    scene.until_some_came();
    quota(6_000_000);
    scene.says(".problem", "There is no room for model.safetensors");
    println!("{}", scene.text(".problem"));
    quota(1_000_000_000);
    scene.hub.mend();
    scene.hub.seen();
    scene.press(".kept-model .resume");
    scene.until("it is whole", "document.querySelector('.kept-model .open')");
    assert!(!scene.ranges().is_empty());
}

#[test]
fn when_the_network_goes_in_the_middle_it_is_said_and_gone_on_with() {
    let scene = Scene::shown();
    scene.begin();
    scene.hub.gone(true);
    scene.says("#waiting", "is asked again in");
    scene.says(".problem", "did not answer");
    println!("{}", scene.text(".problem"));
    scene.hub.gone(false);
    scene.go_on();
    // Gone for a moment, it is gone on with unasked.
    scene.page.choose("scholar-2");
    scene.clear();
    scene.show();
    scene.begin();
    scene.hub.gone(true);
    scene.says("#waiting", "is asked again in");
    scene.hub.gone(false);
    scene.hub.mend();
    scene.until_fetched();
    scene.assert_whole();
}

#[test]
fn a_worker_that_is_ended_is_noticed() {
    let scene = Scene::shown();
    scene.in_the_frame(
        "const Before = Worker;
         parent.workers ??= [];
         self.Worker = class extends Before { constructor(...all) { super(...all); parent.workers.push(this); } };",
    );
    scene.begin();
    let ended = "const n = window.workers.length; window.workers.pop().terminate(); return n";
    assert_eq!(scene.page.browser.run(ended), 1);
    scene.says(".problem", "The download worker stopped");
    scene.go_on();
}

#[test]
fn killed_and_reloaded_at_any_moment_it_goes_on() {
    killed_and_reloaded(5);
}

#[test]
#[ignore = "a minute: cargo xtask test --long"]
fn killed_and_reloaded_at_many_moments_it_goes_on() {
    killed_and_reloaded(20);
}

/// So often, each time at another moment of a download of six seconds.
fn killed_and_reloaded(rounds: u64) {
    let scene = Scene::shown();
    scene.look_up(REPO);
    for round in 0..rounds {
        scene.hub.mend();
        scene.slow(6);
        if round == 0 {
            scene.press("#download");
            scene.until("it began", "document.querySelector('#fetching')");
            std::thread::sleep(Duration::from_millis(700));
        } else {
            // Whatever came is offered to be gone on with; what is whole is opened by itself.
            scene
                .page
                .browser
                .run(&format!("{MODELS}.querySelector('.kept-model .resume')?.click()"));
        }
        std::thread::sleep(Duration::from_millis(300 + round * 97 % 900));
        // The tab is reloaded, and with it the worker dies.
        scene.page.browser.reload();
        scene.page.until_picture();
        scene.show();
        scene.until("what is here is listed", "document.querySelector('.kept-model')");
        let listed = scene
            .page
            .browser
            .text(&format!("{MODELS}.querySelector('.kept-model .quiet').textContent"));
        println!("round {round}: {listed}");
    }
    scene.hub.mend();
    scene.page.browser.run(&format!("{MODELS}.querySelector('.kept-model .resume')?.click()"));
    scene.until("it is whole", "document.querySelector('.kept-model .open')");
    scene.assert_whole();
    let ranges = scene.ranges().len();
    assert!(ranges > 0, "it never went on in the middle");
    println!("{ranges} times it went on in the middle");
}
