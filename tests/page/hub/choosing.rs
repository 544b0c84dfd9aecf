//! Choosing a model: what is asked when, by whom it can be used, and what models say.

use atelier::app::first_picture::HUB_MODEL;

use super::{REPO, Scene, asking, tiny};
use crate::page::{LOOKS, MODELS, Page, root};
use crate::test_hub::Place;
use crate::walls::Elsewhere;

#[test]
fn a_model_of_the_hub_is_looked_up_fetched_opened_and_found_again() {
    let scene = Scene::shown();
    scene.says("#hub", "about 269 MB");
    assert!(scene.hub.seen().is_empty(), "nothing is asked before a button is pressed");
    scene.page.screenshot_of_window("models");
    scene.look_up(REPO);
    scene.says("#found", "hub:makers/tiny: ");
    let asked = scene.hub.seen();
    assert!(asked.iter().all(|seen| seen.path.starts_with("/api/")), "{asked:?}");
    scene.press("#download");
    scene.until_fetched();
    scene.page.until_settled();
    scene.assert_whole();
    for seen in scene.hub.seen() {
        let sent = |name: &str| seen.headers.get(name).cloned().unwrap_or_default();
        assert_eq!(seen.method, "GET", "no preflight: {seen:?}");
        assert_eq!((sent("referer"), sent("authorization"), sent("cookie")), Default::default());
        assert!(!seen.path.contains("/main/"), "the commit is pinned: {seen:?}");
    }
    // Opened anew, the address finds it here, and asks nobody.
    scene.page.browser.reload();
    scene.until_fetched();
    assert!(scene.hub.seen().is_empty());
    // Deleted, nothing of it stays.
    scene.page.browser.click("#model");
    scene.delete(".kept-model");
    scene.says("#here", "No model of the hub is here yet.");
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}

/// The frame's document, its script, and the worker's.
#[test]
fn what_downloads_and_does_not_come_is_said_and_comes_the_next_time() {
    for file in ["hub.html", "hub_frame.js", "hub_boot.js", "hub_bg.wasm"] {
        let scene = Scene::shown();
        scene.page.server.refuse(file);
        scene.look_up(REPO);
        scene.says(".problem", "could not be loaded. Press again, or reload the page.");
        // Everything else of the list is there.
        scene.page.close_models();
        scene.page.server.restore();
        scene.page.server.replace("hub.html", &asking(&scene.hub));
        scene.show();
        scene.look_up(REPO);
        scene.says("#found", "hub:makers/tiny: ");
    }
}

/// A cache had another build's.
#[test]
fn a_worker_that_is_not_understood_is_said_to_be_another_versions() {
    let scene = Scene::shown();
    scene.in_the_worker("postMessage(['\"Unheard\"']);");
    scene.look_up(REPO);
    scene.says(".problem", "is from another version of this page");
}

/// The frame's policy names the hub and no other, and the worker has it.
#[test]
fn the_download_worker_asks_nobody_but_the_hub() {
    let elsewhere = Elsewhere::start();
    let scene = Scene::shown();
    let ask = format!("await fetch('http://127.0.0.1:{}/').catch(() => {{}});", elsewhere.port);
    scene.in_the_worker(&ask);
    scene.look_up(REPO);
    scene.says("#found", "hub:makers/tiny: ");
    assert_eq!(elsewhere.heard(), 0);
}

/// The page holds the prompt, and its policy names no hub: what it asked would go nowhere.
#[test]
fn the_page_itself_cannot_ask_the_hub() {
    let scene = Scene::shown();
    scene.look_up(REPO);
    scene.says("#found", "hub:makers/tiny: ");
    scene.hub.seen();
    let asked = scene.page.browser.run_async(&format!(
        "const done = arguments[0];
         fetch('{}/api/models/{REPO}').then(() => done('answered'), () => done('refused'));",
        scene.hub.url()
    ));
    assert_eq!(asked, "refused");
    assert!(scene.hub.seen().is_empty());
}

#[test]
fn the_list_is_used_by_keyboard_alone() {
    let scene = Scene::new();
    scene.page.browser.focus("#model");
    scene.page.browser.keys("\u{e007}");
    scene.page.until_focused("#models");
    let is_open = "document.querySelector('#chooser').open";
    scene.page.browser.until("the dialog is open", is_open);
    scene.page.browser.keys("\u{e00c}");
    scene.page.browser.until("Escape closes it", &format!("!{is_open}"));
    scene.page.until_focused("#model");
    scene.page.browser.keys("\u{e007}");
    scene.page.until_focused("#models");
    // By way of “Close” to the second of the shipped models.
    scene.page.browser.keys("\u{e004}\u{e004}\u{e004}\u{e007}");
    scene.page.until_says(".provenance", "Computed here by scholar-8 ");
}

#[test]
fn gated_models_say_how_to_come_by_their_files() {
    let scene = Scene::new();
    let place = Place { is_gated: true, ..Place::open(&tiny()) };
    scene.hub.put("makers/gated", place);
    scene.show();
    scene.look_up("makers/gated");
    scene.says(".problem", "is gated: sign in at");
}

#[test]
fn what_a_model_says_by_itself_becomes_the_options() {
    let page = Page::live();
    page.browser.click(".says");
    page.browser.until_count(".option-text", 5);
    page.until_settled();
    let judged = "return document.querySelectorAll('.option-field input:checked').length";
    assert_eq!(page.browser.run(judged), 0, "nobody said what is right");
    let shares = "return [...document.querySelectorAll('.options .among')].map(e => parseFloat(e.textContent.replace(/[<>]/, '')))";
    let shares: Vec<f64> = serde_json::from_value(page.browser.run(shares)).expect("numbers");
    assert!(shares.windows(2).all(|pair| pair[0] >= pair[1]), "{shares:?}");
}

#[test]
fn everyone_can_use_the_list() {
    for (width, height, schemes) in LOOKS {
        let page = Page::new(width, height);
        let scene = Scene::on(page);
        // With everything in it that can be: something kept, something found, something that went wrong.
        scene.show();
        scene.fetch_whole();
        scene.show();
        scene.look_up(REPO);
        scene.says("#found", "commit");
        scene.look_up("makers/none");
        scene.says(".problem", "has no model makers/none");
        let page = &scene.page;
        for &scheme in schemes {
            page.close_models();
            page.browser.prefer(scheme);
            scene.show();
            page.until_theme(scheme);
            page.assert_look("the list of models", width, scheme);
            let over = format!("return {MODELS}.scrollWidth - {MODELS}.clientWidth");
            assert_eq!(page.browser.run(&over), 0, "the list is too wide");
            page.browser.run(&format!("{MODELS}.scrollTo(0, 0)"));
            page.screenshot_of_window(&format!("models-{width}-{scheme}"));
            let below = format!("{MODELS}.querySelector('#here').scrollIntoView()");
            page.browser.run(&below);
            page.screenshot_of_window(&format!("models-hub-{width}-{scheme}"));
        }
    }
}

#[test]
fn one_chooser_has_them_all() {
    let scene = Scene::new();
    let page = &scene.page;
    scene.show();
    let heads = format!("[...{MODELS}.querySelectorAll('h3')].map(h => h.textContent).join()");
    assert_eq!(
        page.browser.text(&heads),
        "With this page,From disk,On this machine,One click away"
    );
    scene.says(".now", "scholar-12");
    scene.says(".shipped .takes", "Lessons: all 12.");
    scene.says(".shipped li:nth-child(2) .takes", "10 not at all.");
    page.close_models();
    // What was opened from disk is at hand for the rest of the visit: its bytes are read where they lie.
    page.open_folder(&root().join("public/models/scholar-4"));
    page.until_says("#model", "scholar-4 (opened here)");
    page.until_says(".provenance", "Computed here by scholar-4 ");
    page.until_settled();
    page.choose("scholar-2");
    scene.show();
    scene.until("what was opened is listed", "document.querySelector('#recent-head')");
    page.browser.run(&format!(
        "[...{MODELS}.querySelectorAll('button')].find(b => b.textContent === 'scholar-4 (from disk)').click()"
    ));
    page.until_says("#model", "scholar-4 (opened here)");
    page.until_says(".provenance", "Computed here by scholar-4 ");
    // Of what is open the list says what it can take.
    scene.show();
    scene.says(
        "#takes",
        "none of the 9 tasks in plain English and all 10 tasks of the scholars. Lessons: ",
    );
    scene.says("#takes", "6, 7, 8 and 12 in part");
    // A hub's, by its name.
    scene.fetch_whole();
    page.until_says("#model", "hub:makers/tiny (from a hub)");
    scene.show();
    scene.says(".kept-model .quiet", "takes about");
    page.assert_quiet();
}

#[test]
fn the_first_pictures_way_to_the_hub_looks_up_the_base_model() {
    let scene = Scene::new();
    scene.hub.put(HUB_MODEL, Place::open(&tiny()));
    scene.page.open_plain();
    scene.page.until_drawn();
    scene.page.browser.click("#from-hub");
    scene.says("#found", &format!("hub:{HUB_MODEL}: "));
    let asked = scene.hub.seen();
    assert!(asked.iter().all(|seen| seen.path.starts_with("/api/")), "{asked:?}");
}
