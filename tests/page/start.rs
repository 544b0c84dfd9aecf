//! The start page: five ways in, each with a picture that the models drew when the page was built.

use crate::page::{LOOKS, Page};

const KEYS: [&str; 5] = ["look", "learn", "try", "measure", "read"];

impl Page {
    /// Waits until every way in has its picture, looked at one after the other.
    fn until_doors(&self) {
        for key in KEYS {
            let picture = format!("document.querySelector('#door-{key} img')");
            self.browser.until("the door is there", &picture);
            self.browser.run(&format!("{picture}.scrollIntoView()"));
            self.browser.until(
                &format!("the picture of {key} is there"),
                &format!("{picture}.complete && {picture}.naturalWidth > 100"),
            );
        }
    }
}

#[test]
fn every_way_in_has_a_picture_and_leads_somewhere() {
    let page = Page::live();
    // By the name in the head.
    page.browser.click(".name a");
    page.until_says("h1", "What would you like to see?");
    assert_eq!(page.hash(), "#start");
    page.until_doors();
    let places = [
        "What does each layer add to an answer?",
        "What do you expect?",
        "What if the blocks change places?",
        "Does it hold on whole data sets?",
        "Eight theorems, and where they end",
    ];
    for (key, place) in KEYS.into_iter().zip(places) {
        page.open("#start");
        page.browser.until_there(".door");
        page.browser.click(&format!("#door-{key} a"));
        page.until_says("h1", place);
    }
    page.assert_quiet();
}

#[test]
fn the_picture_of_looking_is_what_the_live_model_draws() {
    let page = Page::live();
    let title = page.text("#figure-votes h3");
    let drawn = page.browser.run_async(
        "const done = arguments[0];
         const build = document.querySelector('meta[name=atelier-build]').content;
         fetch(`start/look-light.svg?v=${build}`).then(r => r.text()).then(done, e => done(String(e)))",
    );
    let svg = drawn.as_str().expect("a drawing");
    let document = roxmltree::Document::parse(svg).expect("XML");
    let said = document.root_element().attribute("aria-label").expect("its words");
    assert!(said.starts_with(&format!("{title}.")), "{said} is not of: {title}");
}

#[test]
fn whoever_only_looks_at_the_ways_in_fetches_no_model_and_only_one_theme() {
    let page = Page::new(1440, 900);
    page.browser.prefer("dark");
    page.open("#start");
    page.until_doors();
    let sent: Vec<String> = page.server.sent().into_iter().map(|sent| sent.path).collect();
    let is = |part: &str| sent.iter().any(|path| path.contains(part));
    assert!(!is("models/") && !is("examples/") && !is("worker"), "{sent:?}");
    assert!(is("-dark.svg") && !is("-light.svg"), "{sent:?}");
    page.assert_quiet();
}

#[test]
fn it_is_accessible_on_desk_and_telephone() {
    for (width, height, schemes) in LOOKS {
        let page = Page::new(width, height);
        page.open("#start");
        for &scheme in schemes {
            page.browser.prefer(scheme);
            page.until_doors();
            page.assert_look("the start", width, scheme);
            page.screenshot(&format!("start-{width}-{scheme}"));
        }
    }
}
