//! The page without a network, after one visit; and what is said when a newer page is there.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use atelier_server::{Files, Folder, Found, Passing};
use serde_json::Value;

use crate::common::copy_folder;
use crate::page::{Page, TEACHING, dist};

impl Page {
    pub fn until_kept(&self) {
        self.browser.until(
            "the page keeps itself",
            "navigator.serviceWorker.controller?.state === 'activated'",
        );
        let last = kept_last();
        self.browser.run_async(&format!(
            "const done = arguments[0];
             const look = async () => {{
               if (await caches.match(new URL('{last}', document.baseURI), {{ ignoreSearch: true }})) done(null);
               else setTimeout(look, 50);
             }};
             look();"
        ));
    }

    /// Whether the page asked for what keeps it, once its own script has come to its end.
    fn begins_to_keep(&self) -> bool {
        let ended = self.browser.run_async(
            "const done = arguments[0];
             import(document.querySelector('script[src*=\"boot.js\"]').src)
               .then(() => done(null), error => done(String(error)));",
        );
        assert_eq!(ended, Value::Null);
        self.server.sent().iter().any(|sent| sent.path.ends_with("offline.js"))
    }

    fn build(&self) -> String {
        self.browser.text("document.querySelector('meta[name=atelier-build]').content")
    }

    fn until_build(&self, build: &str) {
        let content = "document.querySelector('meta[name=atelier-build]')?.content";
        let is_there = format!("{content} === '{build}'");
        self.browser.until(&format!("the page of build {build} is there"), &is_there);
    }

    fn caches(&self) -> Value {
        self.browser.run_async("caches.keys().then(arguments[0])")
    }
}

/// The last path of the service worker's second list, which it fetches in order.
fn kept_last() -> String {
    let path = dist().join("service_worker.js");
    let text = std::fs::read_to_string(path).expect("the service worker");
    let end = text.rfind("\"]").expect("a list");
    let start = text[..end].rfind('"').expect("its last path") + 1;
    text[start..end].to_owned()
}

#[test]
fn after_one_visit_the_page_works_without_a_network() {
    let page = Page::kept(1440, 900);
    page.open_live();
    page.until_kept();
    page.assert_quiet();
    assert_eq!(page.text("#news"), "", "the first build is no news");

    page.server.go_away();
    let asked = page.server.sent().len();
    page.browser.reload();
    page.until_live();
    page.until_settled();
    page.browser.click("#prompt");
    page.browser.run("document.querySelector('#prompt').select()");
    page.browser.keys("Ann says that the film is good. So it is");
    page.until_says(".tokens", "film");
    page.judge(1);
    page.until_says(".identity", "MSE");
    page.until_settled();
    // The other views, and another model than the first.
    page.until_pointable();
    page.choose("scholar-2");
    page.go_to_view("Survey");
    page.until_says(".means", "scholar");
    page.screenshot("offline");
    // A link from elsewhere opens the page; a report that was never here is said not to be.
    page.open("#view=theory");
    page.until_says("h1", "Eight theorems");
    page.open("?report=mine.atelier.json#view=survey");
    page.until_says("body", "could not be fetched");
    let since = &page.server.sent()[asked..];
    assert!(since.is_empty(), "not from what is kept: {since:?}");

    // What a reader opened is kept nowhere, and nothing came from anywhere else.
    let kept = page.browser.run_async(
        "const done = arguments[0];
         (async () => {
           const urls = [];
           for (const name of await caches.keys())
             for (const request of await (await caches.open(name)).keys()) urls.push(request.url);
           done(urls);
         })();",
    );
    let kept = kept.as_array().expect("addresses");
    assert!(kept.len() > 20);
    for url in kept {
        let url = url.as_str().expect("an address");
        assert!(url.starts_with(&page.server.url()), "{url}");
        assert!(!url.contains("mine") && !url.contains("report"), "{url}");
    }
    // The report that is not there is the one error.
    let errors: Vec<String> = page.browser.console();
    let errors: Vec<&String> = errors
        .iter()
        .filter(|line| line.starts_with("SEVERE") && !line.contains("mine.atelier.json"))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    page.server.come_back();
}

#[test]
fn where_the_store_does_not_open_the_host_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&dist(), folder.path());
    let path = folder.path().join("service_worker.js");
    let text = std::fs::read_to_string(&path).expect("the service worker");
    let damage = "let isDamaged = false;
        const open = caches.open.bind(caches);
        caches.open = (name) => isDamaged ? Promise.reject(new Error('damaged')) : open(name);
        self.addEventListener('message', ({ data, source }) => {
          if (data !== 'damage') return;
          isDamaged = true;
          source.postMessage('damaged');
        });";
    std::fs::write(&path, format!("{damage}\n{text}")).expect("written");
    let page = Page::kept_from(1440, 900, folder.path().to_owned());
    page.open_live();
    page.until_kept();
    page.browser.run_async(
        "const done = arguments[0];
         navigator.serviceWorker.addEventListener('message', () => done(null));
         navigator.serviceWorker.startMessages();
         navigator.serviceWorker.controller.postMessage('damage');",
    );
    let asked = page.server.sent().len();
    page.browser.reload();
    page.until_live();
    assert!(page.server.sent().len() > asked, "the store was open still");
    page.choose("scholar-2");
}

#[test]
fn a_newer_page_is_offered_and_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&dist(), folder.path());
    let page = Page::kept_from(1440, 900, folder.path().to_owned());
    page.open_live();
    page.until_kept();
    let old = page.build();
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_says(".look", "Three words of sport");

    let new = "0123456789abcdef";
    for file in ["index.html", "boot.js", "worker_loader.js", "service_worker.js"] {
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).expect("a stamped file");
        assert!(text.contains(&old), "{file} is not stamped");
        std::fs::write(&path, text.replace(&old, new)).expect("written");
    }
    page.browser.reload();
    // The one that is kept opens, whole; the newer one comes behind it.
    page.until_says(".look", "Three words of sport");
    assert_eq!(page.build(), old);
    page.until_says("#news", "A new version of this page is here.");
    page.until_live();
    page.screenshot("news");
    page.browser.click("#news button");
    page.until_build(new);
    // With the reader's state, and without what was kept of the older one.
    page.until_says(".look", "Three words of sport");
    page.until_live();
    assert_eq!(page.text("#news"), "");
    let caches = page.caches().to_string();
    assert!(caches.contains(new) && !caches.contains(&old), "{caches}");
    page.assert_quiet();
}

#[test]
fn the_page_can_be_installed_and_is_kept_only_where_it_was_built() {
    let page = Page::kept(1440, 900);
    page.open_live();
    let errors = &page.browser.devtools("Page.getAppManifest", &serde_json::json!({}))["errors"];
    assert_eq!(errors, &serde_json::json!([]));
    let hindrances = page.browser.devtools("Page.getInstallabilityErrors", &serde_json::json!({}));
    say!("what hinders installing: {hindrances}");
    assert_eq!(hindrances["installabilityErrors"], serde_json::json!([]));
    assert!(page.begins_to_keep());

    // As `trunk serve` makes it: without a build's id.
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&dist(), folder.path());
    let old = page.build();
    drop(page);
    let boot = folder.path().join("boot.js");
    let text = std::fs::read_to_string(&boot).expect("boot.js");
    std::fs::write(&boot, text.replace(&old, "BUILD_ID")).expect("written");
    let page = Page::kept_from(1440, 900, folder.path().to_owned());
    page.open_live();
    assert!(!page.begins_to_keep());
    let registered = page.browser.run_async(
        "navigator.serviceWorker.getRegistrations().then(all => arguments[0](all.length))",
    );
    assert_eq!(registered, Value::from(0));
}

#[test]
fn the_newer_page_opens_though_another_tab_let_it_take_over() {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&dist(), folder.path());
    let page = Page::kept_from(1440, 900, folder.path().to_owned());
    page.open_live();
    page.until_kept();
    let (old, new) = (page.build(), "0123456789abcdef");
    stamp(folder.path(), &old, new);
    page.browser.reload();
    page.until_says("#news", "A new version of this page is here.");
    // What the other tab's button does.
    page.browser.run_async(
        "const done = arguments[0];
         navigator.serviceWorker.getRegistration().then(({ waiting }) => {
           waiting.addEventListener('statechange', () => waiting.state === 'activated' && done(null));
           waiting.postMessage('take over');
         });",
    );
    assert_eq!(page.build(), old);
    page.browser.click("#news button");
    page.until_build(new);
}

/// A port that another program serves after a while: `atelier open`, where a host was that is kept.
struct HandedOn {
    older: Folder,
    newer: Passing<Folder>,
    is_newer: AtomicBool,
}

impl Files for HandedOn {
    fn find(&self, path: &str) -> Option<Found> {
        match self.is_newer.load(Ordering::SeqCst) {
            false => self.older.find(path),
            true => self.newer.find(path),
        }
    }
}

#[test]
fn what_an_older_page_left_at_a_port_is_removed_by_whoever_serves_it_next() {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&dist(), folder.path());
    let page = Page::kept(1440, 900);
    let server = atelier_server::Server::bind(0).expect("a free port");
    let url = format!("http://{}/", server.address().expect("its address"));
    let files = Arc::new(HandedOn {
        older: Folder::new(folder.path()).expect("the older page"),
        newer: Passing(Folder::new(&dist()).expect("the page")),
        is_newer: AtomicBool::new(false),
    });
    let served = Arc::clone(&files);
    std::thread::spawn(move || server.serve(served, Some(atelier_server::POLICY)));
    page.open("");
    let new = page.build();
    stamp(folder.path(), &new, "0123456789abcdef");
    page.browser.go(&format!("{url}{TEACHING}"));
    page.until_live();
    page.until_kept();
    assert_eq!(page.build(), "0123456789abcdef");

    files.is_newer.store(true, Ordering::SeqCst);
    page.browser.go(&format!("{url}#view=theory"));
    page.browser.reload();
    page.until_build(&new);
    page.until_says("h1", "Eight theorems");
    page.browser.run_async(
        "const done = arguments[0];
         const look = async () => {
           const left = [...await caches.keys(), ...await navigator.serviceWorker.getRegistrations()];
           left.length ? setTimeout(look, 50) : done(null);
         };
         look();",
    );
    // And it leaves nothing of its own.
    page.browser.reload();
    page.until_says("h1", "Eight theorems");
    assert_eq!(page.build(), new);
    assert_eq!(page.caches(), serde_json::json!([]));
}

/// Makes a page's folder another build's.
fn stamp(folder: &Path, old: &str, new: &str) {
    for entry in std::fs::read_dir(folder).expect("the page") {
        let path = entry.expect("a file").path();
        if let Ok(text) = std::fs::read_to_string(&path)
            && text.contains(old)
        {
            std::fs::write(&path, text.replace(old, new)).expect("written");
        }
    }
}
