//! Choosing a model: what is asked when, by whom it can be used, and what models say.

use atelier::app::first_picture::HUB_MODEL;

use super::{REPO, Scene, tiny};
use crate::page::{LOOKS, PANEL, Page, root};
use crate::test_hub::Place;

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
    scene.delete(".kept");
    scene.says("#here", "No model of the hub is here yet.");
    assert!(scene.kept().is_empty(), "{:?}", scene.kept());
}

#[test]
fn a_panel_that_does_not_come_can_be_left() {
    let page = Page::live();
    page.server.refuse("hub_boot.js");
    page.browser.click("#model");
    let is_open = "document.querySelector('#chooser').open";
    page.browser.until("the dialog is open", is_open);
    let close =
        "[...document.querySelectorAll('#chooser button')].find(b => b.textContent === 'Close')";
    page.browser.until("it can be closed", close);
    page.browser.run(&format!("{close}.click()"));
    page.browser.until("it is closed", &format!("!{is_open}"));
    // Where the panel comes, its own button closes it.
    page.server.restore();
    page.browser.reload();
    page.until_live();
    page.show_models();
    page.browser.until("there is no second button", &format!("!{close}"));
    page.close_models();
}

#[test]
fn the_panel_is_used_by_keyboard_alone() {
    let scene = Scene::new();
    scene.page.browser.focus("#model");
    scene.page.browser.keys("\u{e007}");
    scene.until("the heading has the focus", "document.activeElement?.id === 'models'");
    let is_open = "document.querySelector('#chooser').open";
    scene.page.browser.until("the dialog is open", is_open);
    scene.page.browser.keys("\u{e00c}");
    scene.page.browser.until("Escape closes it", &format!("!{is_open}"));
    scene
        .page
        .browser
        .until("the button has the focus again", "document.activeElement.id === 'model'");
    scene.page.browser.keys("\u{e007}");
    scene.until("a shipped model is there", "document.querySelector('.models button')");
    scene.page.browser.run(&format!(
        "[...{PANEL}.querySelectorAll('.models button')].find(b => b.textContent === 'scholar-2').click()"
    ));
    scene.page.until_says(".provenance", "Computed here by scholar-2 ");
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
fn everyone_can_use_the_panel() {
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
            page.browser.within("#chooser-frame", || {
                page.until_theme(scheme);
                page.assert_look("the panel", width, scheme);
                page.browser.run("scrollTo(0, 0)");
            });
            page.screenshot_of_window(&format!("models-{width}-{scheme}"));
            let below = format!("{PANEL}.querySelector('#here').scrollIntoView()");
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
    let heads = format!("[...{PANEL}.querySelectorAll('h2')].map(h => h.textContent).join()");
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
        "[...{PANEL}.querySelectorAll('button')].find(b => b.textContent === 'scholar-4 (from disk)').click()"
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
    scene.says(".kept .quiet", "takes about");
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
