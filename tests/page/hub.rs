//! The panel of models against a hub of our own: what is asked when, what becomes of a download, and of
//! one that is cut short.

use std::time::Duration;

use serde_json::Value;

use crate::page::{Page, root};
use crate::test_hub::{Fault, Origin, Place, TestHub};

const REPO: &str = "makers/tiny";

/// A file of a model that reads the apprentices' language.
fn shipped(file: &str) -> Vec<u8> {
    let path = root().join("public/models/apprentice-2").join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn tiny() -> Vec<(&'static str, Vec<u8>)> {
    let files = ["config.json", "model.safetensors", "tokenizer.json"];
    files.map(|file| (file, shipped(file))).to_vec()
}

/// The weights' place on the CDN.
fn weights() -> String {
    crate::test_hub::sha256(&shipped("model.safetensors"))
}

/// The page, and a hub that its panel asks instead of the usual one.
struct Scene {
    page: Page,
    hub: TestHub,
}

/// The document of the panel.
const PANEL: &str = "document.querySelector('#chooser-frame').contentDocument";

impl Scene {
    fn new() -> Self {
        let hub = TestHub::start();
        hub.put(REPO, Place::open(&tiny()));
        let page = Page::new(1440, 1000);
        let dist = std::path::PathBuf::from(crate::page::set("ATELIER_DIST"));
        let html = std::fs::read_to_string(dist.join("hub.html")).expect("the panel's document");
        // As `cargo xtask build --hub URL --hub-cdn ORIGIN` writes it.
        let (before, rest) = html.split_once("connect-src 'self' ").expect("a policy");
        let (_, after) = rest.split_once(';').expect("its end");
        let html = format!(
            "{before}connect-src 'self' {} {};{after}",
            hub.url(),
            hub.cdn()
        );
        let (before, rest) = html
            .split_once("name=\"atelier-hub\" content=\"")
            .expect("an address");
        let (_, after) = rest.split_once('"').expect("its end");
        let html = format!(
            "{before}name=\"atelier-hub\" content=\"{}\"{after}",
            hub.url()
        );
        page.server.replace("hub.html", &html);
        page.open("");
        page.until_live();
        Self { page, hub }
    }

    fn show(&self) {
        self.page.browser.click("#models-open");
        self.until("the panel is there", "document.querySelector('#hub-name')");
    }

    /// Waits for something in the panel.
    fn until(&self, what: &str, expression: &str) {
        let expression = expression.replace("document.", &format!("{PANEL}."));
        let there = format!(
            "document.querySelector('#chooser-frame')?.contentDocument?.querySelector('h1') && {expression}"
        );
        self.page
            .browser
            .until_within(Duration::from_secs(60), what, &there);
    }

    fn press(&self, css: &str) {
        let css = Value::from(css);
        self.until(
            &format!("{css} can be pressed"),
            &format!("document.querySelector({css})?.disabled === false"),
        );
        self.page
            .browser
            .run(&format!("{PANEL}.querySelector({css}).click()"));
    }

    fn look_up(&self, name: &str) {
        let name = Value::from(name);
        self.page.browser.run(&format!(
            "const i = {PANEL}.querySelector('#hub-name'); i.value = {name}; i.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        ));
        self.press("#look-up");
    }

    fn says(&self, css: &str, words: &str) {
        let (css, words) = (Value::from(css), Value::from(words));
        self.until(
            &format!("the panel's {css} says {words}"),
            &format!(
                "[...document.querySelectorAll({css})].some(e => e.textContent.includes({words}))"
            ),
        );
    }

    fn fetch(&self) {
        self.look_up(REPO);
        self.press("#download");
    }

    fn until_fetched(&self) {
        let browser = &self.page.browser;
        browser.until_within(
            Duration::from_secs(60),
            "the model of the hub answers",
            "[...document.querySelectorAll('.provenance')].some(e => e.textContent.includes('Computed here by hub:makers/tiny '))",
        );
    }

    /// SHA-256 of every file of the hub that this browser keeps.
    fn kept(&self) -> Vec<(String, String)> {
        let found = self.page.browser.run_async(
            "const done = arguments[0];
             (async () => {
               const root = await navigator.storage.getDirectory();
               const folder = await root.getDirectoryHandle('hub', { create: true });
               const all = [];
               for await (const [name, handle] of folder.entries()) {
                 const bytes = await (await handle.getFile()).arrayBuffer();
                 const hash = await crypto.subtle.digest('SHA-256', bytes);
                 all.push([name, [...new Uint8Array(hash)].map(b => b.toString(16).padStart(2, '0')).join('')]);
               }
               return all.sort();
             })().then(done, e => done(String(e)));",
        );
        serde_json::from_value(found.clone()).unwrap_or_else(|_| panic!("{found}"))
    }

    /// Everything is there, right, and nothing is half done.
    fn assert_whole(&self) {
        let kept = self.kept();
        for (file, bytes) in tiny() {
            let hash = crate::test_hub::sha256(&bytes);
            assert!(
                kept.iter().any(|(_, found)| *found == hash),
                "{file}: {kept:?}"
            );
        }
        let parts = kept
            .iter()
            .filter(|(name, _)| name.ends_with(".part") || name.ends_with(".state"));
        assert_eq!(parts.count(), 0, "{kept:?}");
    }

    /// Deletes what is there, so that the next download begins at the beginning.
    fn clear(&self) {
        self.page.browser.run_async(
            "const done = arguments[0];
             navigator.storage.getDirectory().then(r => r.removeEntry('hub', { recursive: true })).then(() => done(1), () => done(0));",
        );
    }
}

#[test]
fn a_model_of_the_hub_is_looked_up_fetched_opened_and_found_again() {
    let scene = Scene::new();
    scene.show();
    scene.says("#hub", "about 269 MB");
    assert!(
        scene.hub.seen().is_empty(),
        "nothing is asked before a button is pressed"
    );
    scene.page.screenshot("models");
    scene.look_up(REPO);
    scene.says("#found", "hub:makers/tiny: ");
    let asked = scene.hub.seen();
    assert!(
        asked.iter().all(|seen| seen.path.starts_with("/api/")),
        "{asked:?}"
    );
    scene.press("#download");
    scene.until_fetched();
    scene.page.until_settled();
    scene.assert_whole();
    for seen in scene.hub.seen() {
        let sent = |name: &str| seen.headers.get(name).cloned().unwrap_or_default();
        assert_eq!(seen.method, "GET", "no preflight: {seen:?}");
        assert_eq!(
            (sent("referer"), sent("authorization"), sent("cookie")),
            Default::default()
        );
        assert!(
            !seen.path.contains("/main/"),
            "the commit is pinned: {seen:?}"
        );
    }
    // Opened anew, the address finds it here, and asks nobody.
    scene.page.browser.reload();
    scene.until_fetched();
    assert!(scene.hub.seen().is_empty());
    // Deleted, nothing of it stays.
    scene.page.browser.click("#models-open");
    scene.press(".kept .delete");
    scene.says("#here", "No model of the hub is here yet.");
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}

#[test]
fn the_panel_is_used_by_keyboard_alone() {
    let scene = Scene::new();
    scene
        .page
        .browser
        .run("document.querySelector('#models-open').focus()");
    scene.page.browser.keys("\u{e007}");
    scene.until(
        "the heading has the focus",
        "document.activeElement?.id === 'models'",
    );
    let is_open = "document.querySelector('#chooser').open";
    scene.page.browser.until("the dialog is open", is_open);
    scene.page.browser.keys("\u{e00c}");
    scene
        .page
        .browser
        .until("Escape closes it", &format!("!{is_open}"));
    scene.page.browser.until(
        "the button has the focus again",
        "document.activeElement.id === 'models-open'",
    );
    scene.page.browser.keys("\u{e007}");
    scene.until(
        "a shipped model is there",
        "document.querySelector('.models button')",
    );
    scene.page.browser.run(&format!(
        "[...{PANEL}.querySelectorAll('.models button')].find(b => b.textContent === 'apprentice-2').click()"
    ));
    scene
        .page
        .until_says(".provenance", "Computed here by apprentice-2 ");
}

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
            Fault::Status {
                status: 429,
                headers: vec![("Retry-After", "1".into())],
                cors: true,
            },
        ),
    ] {
        scene.hub.fail(origin, path, times, fault.clone());
        scene.fetch();
        scene.until_fetched();
        scene.assert_whole();
        scene.hub.mend();
        scene.page.choose("apprentice-2");
        scene.clear();
        scene.page.browser.click("#models-open");
    }
}

#[test]
fn a_hub_that_sends_only_whole_files_is_begun_anew_and_said() {
    let scene = Scene::new();
    scene.show();
    scene
        .hub
        .fail(Origin::Cdn, weights().as_str(), 1, Fault::Cut(50_000));
    scene
        .hub
        .fail(Origin::Cdn, weights().as_str(), 1, Fault::WholeAlways);
    scene.fetch();
    scene.until_fetched();
    scene.assert_whole();
    assert!(
        scene
            .hub
            .seen()
            .iter()
            .any(|seen| seen.headers.contains_key("range"))
    );
    scene.page.browser.click("#models-open");
}

#[test]
fn faults_that_last_are_one_sentence() {
    let scene = Scene::new();
    scene.show();
    for (origin, path, fault, expected) in [
        (
            Origin::Cdn,
            weights().as_str(),
            Fault::WrongByte(5000),
            "came damaged",
        ),
        (
            Origin::Cdn,
            "",
            Fault::Longer(7),
            "bytes where the hub promised",
        ),
        (
            Origin::Cdn,
            weights().as_str(),
            Fault::status(404),
            "has no file",
        ),
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
        scene.page.choose("apprentice-2");
        scene.clear();
        scene.page.browser.click("#models-open");
    }
    scene.look_up("makers/none");
    scene.says(".problem", "has no model makers/none");
    scene.look_up("../x");
    scene.says(".problem", "is no model on a hub");
}

#[test]
fn gated_models_say_how_to_come_by_their_files() {
    let scene = Scene::new();
    let place = Place {
        is_gated: true,
        ..Place::open(&tiny())
    };
    scene.hub.put("makers/gated", place);
    scene.show();
    scene.look_up("makers/gated");
    scene.says(".problem", "is gated: agree to its terms");
}

#[test]
fn killed_and_reloaded_at_any_moment_it_goes_on() {
    let scene = Scene::new();
    scene.show();
    scene.look_up(REPO);
    let size: usize = tiny().iter().map(|(_, bytes)| bytes.len()).sum();
    for round in 0..20_u64 {
        scene.hub.mend();
        scene.hub.fail(Origin::Cdn, "", 99, Fault::Slow(size / 6));
        if round == 0 {
            scene.press("#download");
            scene.until("it began", "document.querySelector('#fetching')");
            std::thread::sleep(Duration::from_millis(700));
        } else {
            // Whatever came is offered to be gone on with; what is whole is opened by itself.
            scene
                .page
                .browser
                .run(&format!("{PANEL}.querySelector('.kept .resume')?.click()"));
        }
        std::thread::sleep(Duration::from_millis(300 + round * 97 % 900));
        // The tab is reloaded, and with it panel and worker die.
        scene.page.browser.reload();
        scene.page.until_picture();
        scene.show();
        scene.until("what is here is listed", "document.querySelector('.kept')");
        let listed = scene.page.browser.text(&format!(
            "{PANEL}.querySelector('.kept .quiet').textContent"
        ));
        println!("round {round}: {listed}");
    }
    scene.hub.mend();
    scene
        .page
        .browser
        .run(&format!("{PANEL}.querySelector('.kept .resume')?.click()"));
    scene.until("it is whole", "document.querySelector('.kept .open')");
    scene.assert_whole();
    let ranges = scene
        .hub
        .seen()
        .iter()
        .filter(|seen| seen.headers.contains_key("range"))
        .count();
    assert!(ranges > 0, "it never went on in the middle");
    println!("{ranges} times it went on in the middle");
}

#[test]
fn a_browser_that_keeps_no_files_has_it_in_memory_and_says_so() {
    let scene = Scene::new();
    scene.show();
    // The worker starts with the first question, and finds no private file system.
    let dist = std::path::PathBuf::from(crate::page::set("ATELIER_DIST"));
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

#[test]
fn what_a_model_says_by_itself_becomes_the_options() {
    let page = Page::live();
    page.browser.click(".says");
    page.browser.until(
        "five options are there",
        "document.querySelectorAll('.option-text').length === 5",
    );
    page.until_settled();
    let judged = "return document.querySelectorAll('.option-field input:checked').length";
    assert_eq!(page.browser.run(judged), 0, "nobody said what is right");
    let shares = "return [...document.querySelectorAll('.options .number')].map(e => parseFloat(e.textContent.replace(/[<>]/, '')))";
    let shares: Vec<f64> = serde_json::from_value(page.browser.run(shares)).expect("numbers");
    assert!(
        shares.windows(2).all(|pair| pair[0] >= pair[1]),
        "{shares:?}"
    );
}
