//! A model of the hub that has moved on: what is here answers until the newer commit is whole, and then goes.

use super::{REPO, Scene, newer, tiny, weights};
use crate::page::MODELS;
use crate::test_hub::{Place, sha256};

impl Scene {
    /// Fetches the model; then the hub moves on, and some of the newer commit comes.
    fn begin_newer(&self) -> Vec<(String, String)> {
        self.show();
        self.fetch_whole();
        self.page.until_settled();
        let before = self.kept();
        self.hub.put(REPO, Place::open(&newer()));
        self.slow(6);
        self.show();
        self.look_up(REPO);
        self.says("#newer", "It stays until this one is whole");
        self.press("#download");
        self.until_some_came();
        before
    }
}

#[test]
fn the_older_commit_answers_until_the_newer_one_is_whole_and_goes_then() {
    let scene = Scene::new();
    let before = scene.begin_newer();
    scene.press("#pause");
    scene.says(".status-line", "is stopped. What has come is kept");
    scene.until("the older one can be opened", "document.querySelector('.kept-model .open')");
    let kept = scene.kept();
    assert!(before.iter().all(|file| kept.contains(file)), "{kept:?}");

    // Its address opens it without a network.
    scene.hub.gone(true);
    scene.page.browser.reload();
    scene.until_fetched();
    scene.page.until_settled();

    // The newer one, once it is whole, has its place.
    scene.hub.gone(false);
    scene.hub.mend();
    scene.show();
    scene.press(".kept-model .resume");
    scene.until(
        "there is one of them",
        "document.querySelectorAll('.kept-model').length === 1 && document.querySelector('.kept-model .open')",
    );
    let kept = scene.kept();
    let has = |hash: &str| kept.iter().any(|(_, found)| found == hash);
    assert!(newer().iter().all(|(_, bytes)| has(&sha256(bytes))), "{kept:?}");
    assert!(!has(&weights()), "the older weights are here still: {kept:?}");
    assert_eq!(kept.len(), newer().len() + 1, "{kept:?}");
}

#[test]
fn a_newer_commit_that_is_cancelled_leaves_the_older_one() {
    let scene = Scene::new();
    let before = scene.begin_newer();
    scene.delete("#fetching");
    scene.says(".status-line", "hub:makers/tiny is deleted.");
    scene.until("the older one can be opened", "document.querySelector('.kept-model .open')");
    assert_eq!(scene.kept(), before);
    assert!(!scene.text(".status-line").contains("has to be opened"));
}

/// The older one's files were opened, under the newer one's sentence.
#[test]
fn in_memory_too_the_newer_commit_takes_the_older_ones_place() {
    let scene = Scene::shown();
    scene.in_the_worker("StorageManager.prototype.getDirectory = undefined;");
    scene.page.browser.run(
        "window.opened = [];
         const { prototype } = Worker, post = prototype.postMessage;
         prototype.postMessage = async function (message) {
           post.call(this, message);
           for (const file of message.slice(1)) {
             const hash = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
             opened.push([...new Uint8Array(hash)].map(b => b.toString(16).padStart(2, '0')).join(''));
           }
         };",
    );
    let opens = |what: &str, weights: &[u8]| {
        scene.look_up(REPO);
        scene.press("#download");
        let is_open = format!("window.opened.includes('{}')", sha256(weights));
        scene.page.browser.until(what, &is_open);
    };
    opens("the first commit is opened", &tiny()[1].1);
    scene.until_fetched();
    scene.hub.put(REPO, Place::open(&newer()));
    scene.show();
    opens("the newer commit is opened", &newer()[1].1);
}

/// Another tab deleted it.
#[test]
fn a_model_whose_files_are_gone_is_offered_no_more() {
    let scene = Scene::shown();
    scene.fetch_whole();
    scene.page.until_settled();
    // The list asks for the room that is left after it looked for models: it does not look again later.
    scene.page.browser.run(
        "const { prototype } = StorageManager, estimate = prototype.estimate;
         prototype.estimate = function () { window.isListed = true; return estimate.call(this); };",
    );
    scene.show();
    scene.page.browser.until("it has looked", "window.isListed");
    scene.until("it can be opened", "document.querySelector('.kept-model .open')");
    scene.clear();
    scene.page.browser.run(&format!("{MODELS}.querySelector('.kept-model .open').click()"));
    scene.says(".problem", "Its files are not all there any more");
    scene.says("#here", "No model of the hub is here yet.");
}

/// Half a record, which a full disk or a crash left, kept every file that nobody names.
#[test]
fn files_that_no_record_names_go_when_the_list_is_opened() {
    let scene = Scene::new();
    scene.page.browser.run_async(
        "const done = arguments[0];
         (async () => {
           const root = await navigator.storage.getDirectory();
           const folder = await root.getDirectoryHandle('hub', { create: true });
           const half = 'hub%3Amakers%2Fhalf.' + 'ef'.repeat(20) + '.json';
           for (const name of [half, 'ab'.repeat(32), 'cd'.repeat(32) + '.part', 'cd'.repeat(32) + '.state']) {
             const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
             await file.write('what a deleted model left');
             await file.close();
           }
         })().then(() => done(null), error => done(String(error)));",
    );
    assert_eq!(scene.kept().len(), 4);
    scene.show();
    scene.page.browser.run_async(
        "const done = arguments[0];
         const look = async () => {
           const root = await navigator.storage.getDirectory();
           const folder = await root.getDirectoryHandle('hub', { create: true });
           for await (const name of folder.keys()) return setTimeout(look, 50);
           done(null);
         };
         look();",
    );
    // What a model is made of stays.
    scene.fetch_whole();
    scene.show();
    scene.says(".kept-model .quiet", "takes about");
    scene.assert_whole();
}
