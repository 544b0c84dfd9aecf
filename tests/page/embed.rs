//! The page in another page's frame: one figure or a whole view, live, without what stands around it.

use std::path::Path;

use serde_json::Value;

use crate::hosts::{PlainHost, rules};
use crate::page::{Page, TEACHING, set};

impl Page {
    /// Returns the frame that a copy button puts on the clipboard.
    fn copied_frame(&self, press: impl FnOnce()) -> String {
        self.browser.run("navigator.clipboard.writeText('nothing')");
        press();
        let read = "const done = arguments[0];
            const look = () => navigator.clipboard.readText().then(
              text => text.startsWith('<iframe') ? done(text) : setTimeout(look, 50), e => done(String(e)));
            look()";
        let text = self.browser.run_async(read);
        text.as_str().expect("a text").to_owned()
    }

    /// Presses the button among these that copies a frame with the whole view.
    fn press_frame(&self, buttons: &str) {
        let button = format!(
            "[...document.querySelectorAll('{buttons}')].find(b => b.textContent === 'Copy iframe')"
        );
        self.browser.until("it is offered", &button);
        self.browser.run(&format!("{button}.click()"));
    }
}

/// A host of an article with this in it, which is no host of the page.
fn article(frame: &str) -> (tempfile::TempDir, PlainHost) {
    let folder = tempfile::tempdir().expect("a folder");
    let html = format!("<!doctype html><title>An article</title><p>Look:</p>{frame}");
    std::fs::write(folder.path().join("article.html"), html).expect("written");
    let host = PlainHost::start(folder.path(), true, Vec::new());
    (folder, host)
}

/// The page on a host that takes the headers it brings.
fn home() -> PlainHost {
    let dist = set("ATELIER_DIST");
    let text = std::fs::read_to_string(Path::new(&dist).join("_headers")).expect("_headers");
    PlainHost::start(Path::new(&dist), true, rules(&text))
}

#[test]
fn a_copied_frame_shows_one_figure_on_another_site() {
    let page = Page::live();
    page.clipboard("granted");
    let title = page.text("#figure-votes h3");
    let frame = page.copied_frame(|| page.press_in_menu("votes", "Copy iframe"));
    assert!(frame.contains("embed.html?figure=votes#model="), "{frame}");
    assert!(frame.contains("&amp;prompt="), "{frame}");
    // The same on the host of the page's own headers.
    let home = home();
    let home = format!("http://127.0.0.1:{}/", home.port());
    let (_folder, host) = article(&frame.replace(&page.server.url(), &home));
    page.browser.go(&format!("http://127.0.0.1:{}/article.html", host.port()));
    assert_eq!(page.browser.text("document.querySelector('iframe').title"), title);
    page.browser.within("iframe", || {
        page.until_figure("votes");
        page.browser.until(
            "it gives the frame its title",
            &format!("document.title === {}", Value::from(title.clone())),
        );
        let seen = page.browser.text(
            "[...document.querySelectorAll('.figure, nav, .bar, footer, .tokens, .keep')].filter(e => e.checkVisibility()).map(e => e.id || e.className).join()",
        );
        assert_eq!(seen, "figure-votes,keep,framed");
        let way = page.browser.text("document.querySelector('.embed-way a').href");
        assert!(way.starts_with(&home) && way.contains("prompt="), "{way}");
    });
}

#[test]
fn a_copied_frame_shows_a_whole_view_and_the_page_itself_is_framed_by_nobody() {
    let page = Page::live();
    page.clipboard("granted");
    page.go_to_view("Attention");
    page.until_figure("heads");
    let frame = page.copied_frame(|| page.press_frame(".keep > button"));
    assert!(frame.contains("embed.html#") && frame.contains("view=attention"), "{frame}");
    let home = home();
    let url = format!("http://127.0.0.1:{}/", home.port());
    let frame = frame.replace(&page.server.url(), &url);
    let whole = format!("{frame}<iframe id=\"whole\" src=\"{url}\"></iframe>");
    let (_folder, host) = article(&whole);
    page.browser.go(&format!("http://127.0.0.1:{}/article.html", host.port()));
    page.browser.within("iframe", || {
        page.until_figure("matrix");
        let seen = page.browser.text(
            "[...document.querySelectorAll('nav[aria-label=Views], .bar, footer:not(.framed)')].filter(e => e.checkVisibility()).length",
        );
        assert_eq!(seen, "0");
    });
    page.browser.within("#whole", || {
        assert_eq!(page.browser.count("#app"), 0);
    });
}

#[test]
fn a_copied_frame_shows_a_lessons_step_and_nothing_for_a_class() {
    let page = Page::new(1440, 900);
    page.clipboard("granted");
    page.open("#view=lessons&lesson=1&step=2");
    page.until_lesson_step(1, 2);
    let frame = page.copied_frame(|| page.press_frame(".class-tools button"));
    assert!(frame.contains("embed.html#") && frame.contains("lesson=1&amp;step=2"), "{frame}");
    let home = home();
    let home = format!("http://127.0.0.1:{}/", home.port());
    let (_folder, host) = article(&frame.replace(&page.server.url(), &home));
    page.browser.go(&format!("http://127.0.0.1:{}/article.html", host.port()));
    page.browser.within("iframe", || {
        page.until_lesson_step(1, 2);
        page.browser.until(
            "it gives the frame its title",
            "document.title.startsWith('Lesson 1, step 2: ')",
        );
        let seen = page.browser.text(
            "[...document.querySelectorAll('nav[aria-label=Views], .bar, footer:not(.framed), .class-tools, .lesson-head > a, .lesson > .more')].filter(e => e.checkVisibility()).map(e => e.className).join()",
        );
        assert_eq!(seen, "");
        page.answer(0);
    });
}

#[test]
fn no_frame_is_offered_where_the_site_refuses_it() {
    let page = Page::new(1440, 1000);
    let dist = set("ATELIER_DIST");
    let text = std::fs::read_to_string(Path::new(&dist).join("_headers")).expect("_headers");
    let offered = "[...document.querySelectorAll('button')].filter(b => b.textContent.includes('iframe')).length";
    for (ancestors, is_offered) in [("*", true), ("'none'", false)] {
        let text = text.replace("frame-ancestors *", &format!("frame-ancestors {ancestors}"));
        let host = PlainHost::start(Path::new(&dist), true, rules(&text));
        page.browser.go(&format!("http://127.0.0.1:{}/{TEACHING}", host.port()));
        page.until_live();
        page.browser.until(
            "the site was asked",
            "performance.getEntriesByType('resource').some(e => e.name.endsWith('/embed.html') && e.responseEnd)",
        );
        page.until_settled();
        assert_eq!(page.browser.text(offered) != "0", is_offered, "{ancestors}");
    }
}

#[test]
fn a_frame_of_a_model_that_is_not_here_says_so() {
    let page = Page::new(800, 560);
    page.open(
        "embed.html?figure=votes#folder=hub:makers/tiny&prompt=So+it+is&option=good&option=bad",
    );
    page.until_says(".of-model", "which is opened in atelier itself");
    assert!(page.text(".embed-way").starts_with("Shown by atelier"), "{}", page.text(".embed-way"));
}

#[test]
fn a_frame_is_accessible_and_leaves_nothing_behind() {
    let page = Page::kept(800, 560);
    for scheme in ["light", "dark"] {
        page.browser.prefer(scheme);
        let url = format!("{}embed.html?figure=spread", page.server.url());
        page.browser.go(&url);
        page.until_figure("spread");
        page.until_settled();
        match scheme {
            "light" => page.assert_accessible("a frame"),
            _ => page.assert_contrast("a frame in the dark"),
        }
        page.screenshot(&format!("embed-{scheme}"));
    }
    let kept = page.browser.run_async(
        "const done = arguments[0]; navigator.serviceWorker.getRegistrations().then(all => done(all.length))",
    );
    assert_eq!(kept, Value::from(0));
    page.assert_quiet();
}
