//! The list of models against a hub of our own: what is asked when, what becomes of a download, and of
//! one that is cut short.

mod choosing;
mod faults;
mod firefox;
mod replacing;
mod stopping;
mod story;
mod tabs;

use serde_json::Value;

use crate::page::{MODELS, Page, dist, root};
use crate::test_hub::{Fault, Origin, Place, TestHub, sha256};

const REPO: &str = "makers/tiny";

/// A file of a model that reads the scholars' language.
fn shipped(file: &str) -> Vec<u8> {
    let path = root().join("public/models/scholar-2").join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn tiny() -> Vec<(&'static str, Vec<u8>)> {
    let files = ["config.json", "model.safetensors", "tokenizer.json"];
    files.map(|file| (file, shipped(file))).to_vec()
}

/// Other weights of the same shapes.
fn newer() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = tiny();
    let weights = &mut files[1].1;
    let last = weights.len() - 2;
    weights[last] ^= 1;
    files
}

/// The weights' place on the CDN.
fn weights() -> String {
    sha256(&shipped("model.safetensors"))
}

/// The document of downloads, as `cargo xtask build --hub URL --hub-cdn ORIGIN` writes it.
fn asking(hub: &TestHub) -> String {
    let html = std::fs::read_to_string(dist().join("hub.html")).expect("the document");
    let put = |html: &str, before: &str, end: char, put: &str| {
        let (start, rest) = html.split_once(before).expect("its place");
        let (_, after) = rest.split_once(end).expect("its end");
        format!("{start}{before}{put}{end}{after}")
    };
    let hosts = format!("{} {}", hub.url(), hub.cdn());
    let html = put(&html, "connect-src 'self' ", ';', &hosts);
    put(&html, "name=\"atelier-hub\" content=\"", '"', &hub.url())
}

/// The page, and a hub that its download worker asks instead of the usual one.
struct Scene {
    page: Page,
    hub: TestHub,
}

impl Scene {
    fn new() -> Self {
        Self::on(Page::new(1440, 1000))
    }

    /// A scene with the list shown.
    fn shown() -> Self {
        let scene = Self::new();
        scene.show();
        scene
    }

    /// A scene whose model was fetched and has answered, with the list shown.
    fn answering() -> Self {
        let scene = Self::shown();
        scene.fetch_whole();
        scene.page.until_settled();
        scene.show();
        scene
    }

    /// In this browser.
    fn on(page: Page) -> Self {
        let hub = TestHub::start();
        hub.put(REPO, Place::open(&tiny()));
        page.server.replace("hub.html", &asking(&hub));
        page.open_live();
        Self { page, hub }
    }

    /// From now on the model's files come slowly, in so many seconds.
    fn slow(&self, seconds: usize) {
        let size: usize = tiny().iter().map(|(_, bytes)| bytes.len()).sum();
        self.hub.fail(Origin::Cdn, "", 999, Fault::Slow(size / seconds));
    }

    /// The ranges that were asked for since the last look.
    fn ranges(&self) -> Vec<String> {
        let seen = self.hub.seen();
        seen.iter().filter_map(|seen| seen.headers.get("range").cloned()).collect()
    }

    fn show(&self) {
        self.page.browser.click("#model");
        self.page.until_focused("#models");
    }

    /// Runs a script in the download worker, which starts with the first question, before its program.
    fn in_the_worker(&self, script: &str) {
        let boot = std::fs::read_to_string(dist().join("hub_boot.js")).expect("a script");
        // Imports are hoisted, but the program only starts behind them.
        let changed = boot.replacen("await ", &format!("{script}\nawait "), 1);
        assert!(changed.contains(script), "{boot}");
        self.page.server.replace("hub_boot.js", &changed);
    }

    /// Runs a script in the frame of downloads, which is loaded with the first question, before it starts a worker.
    fn in_the_frame(&self, script: &str) {
        let frame = std::fs::read_to_string(dist().join("hub_frame.js")).expect("a script");
        self.page.server.replace("hub_frame.js", &format!("{script}\n{frame}"));
    }

    /// Waits for something in the list of models.
    fn until(&self, what: &str, expression: &str) {
        let there = expression.replace("document.", &format!("{MODELS}."));
        self.page.browser.until(what, &there);
    }

    fn press(&self, css: &str) {
        let css = Value::from(css);
        self.until(
            &format!("{css} can be pressed"),
            &format!("document.querySelector({css})?.disabled === false"),
        );
        self.page.browser.run(&format!("{MODELS}.querySelector({css}).click()"));
    }

    /// Presses what deletes, and then what asks whether that is meant.
    fn delete(&self, row: &str) {
        self.press(&format!("{row} .delete"));
        self.press(&format!("{row} .sure"));
    }

    fn look_up(&self, name: &str) {
        let name = Value::from(name);
        self.page.browser.run(&format!(
            "const i = {MODELS}.querySelector('#hub-name'); i.value = {name}; i.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        ));
        self.press("#look-up");
    }

    fn says(&self, css: &str, words: &str) {
        let (css, words) = (Value::from(css), Value::from(words));
        self.until(
            &format!("the list's {css} says {words}"),
            &format!(
                "[...document.querySelectorAll({css})].some(e => e.textContent.includes({words}))"
            ),
        );
    }

    fn fetch(&self) {
        self.look_up(REPO);
        self.press("#download");
    }

    /// Fetches the model, and waits until it has answered.
    fn fetch_whole(&self) {
        self.fetch();
        self.until_fetched();
    }

    fn until_fetched(&self) {
        self.until_answers(REPO);
    }

    /// Waits until this model of the hub has answered.
    fn until_answers(&self, repo: &str) {
        let words = format!("Computed here by hub:{repo} ");
        self.page.until_says(".provenance", &words);
    }

    /// The text of something in the list.
    fn text(&self, css: &str) -> String {
        let css = Value::from(css);
        let browser = &self.page.browser;
        browser.text(&format!("{MODELS}.querySelector({css})?.textContent"))
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
            let hash = sha256(&bytes);
            assert!(kept.iter().any(|(_, found)| *found == hash), "{file}: {kept:?}");
        }
        let parts =
            kept.iter().filter(|(name, _)| name.ends_with(".part") || name.ends_with(".state"));
        assert_eq!(parts.count(), 0, "{kept:?}");
    }

    /// Opens another model, deletes what is there, and shows the list again.
    fn begin_anew(&self) {
        self.page.choose("scholar-2");
        self.clear();
        self.page.browser.click("#model");
    }

    /// Deletes what is there, so that the next download begins at the beginning.
    fn clear(&self) {
        self.page.browser.run_async(
            "const done = arguments[0];
             navigator.storage.getDirectory().then(r => r.removeEntry('hub', { recursive: true })).then(() => done(1), () => done(0));",
        );
    }
}
