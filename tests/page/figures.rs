//! Figures of long views: folded under their sentences, each with one menu, and an index that stays in sight.

use serde_json::{Value, json};

use crate::driver::{ENTER, ESCAPE, TAB};
use crate::page::Page;

/// Figures that are drawn, by their keys.
const DRAWN: &str = "[...document.querySelectorAll('.figure')].filter(f => f.querySelector('.chart svg') && f.querySelector('.drawing').checkVisibility()).map(f => f.id.slice(7)).join()";

impl Page {
    /// Waits until these figures, and no others, are drawn in the window.
    fn until_unfolded(&self, keys: &str) {
        self.browser.until(&format!("{keys} are drawn"), &format!("{DRAWN} === '{keys}'"));
    }

    /// Waits until a figure's sentence is in the upper half of the window.
    fn until_in_sight(&self, key: &str) {
        self.browser.until(
            &format!("{key} is in sight"),
            &format!(
                "(() => {{ const top = document.querySelector('#figure-{key} h3').getBoundingClientRect().top; return top >= 0 && top < innerHeight / 2; }})()"
            ),
        );
    }
}

#[test]
fn figures_are_folded_but_for_the_first_of_a_question() {
    let page = Page::new(1440, 900);
    page.open("#view=survey");
    let first = "table-1,fig-3-correlation,fig-4-shares,fig-5-stream";
    page.until_unfolded(first);
    let height = page.browser.text("document.documentElement.scrollHeight");
    say!("the survey is {height} px high");

    // By a key, and again after a reload.
    page.browser.focus("#figure-levels summary");
    page.browser.keys(ENTER);
    page.until_unfolded("table-1,levels,fig-3-correlation,fig-4-shares,fig-5-stream");
    page.until_hash("unfolded=levels");
    page.browser.reload();
    page.until_unfolded("table-1,levels,fig-3-correlation,fig-4-shares,fig-5-stream");
    page.browser.click("#figure-levels summary");
    page.until_unfolded(first);
    page.browser.until("the address forgets it", "!location.hash.includes('unfolded=')");

    // A figure's own link opens it and leads there.
    page.clipboard("granted");
    page.unfold("identity");
    page.press_in_menu("identity", "Copy link");
    page.until_says("#figure-identity .outcome", "Link copied");
    let link = page.copied();
    assert!(link.ends_with("#view=survey&figure=identity"), "{link}");
    page.browser.go("about:blank");
    page.browser.go(&link);
    page.until_unfolded("table-1,fig-3-correlation,identity,fig-4-shares,fig-5-stream");
    page.until_in_sight("identity");

    // Another view begins folded.
    page.go_to_view("Coupling");
    page.until_unfolded("coupling-map,coupling-self,coupling-paths,coupling-relation");
    page.assert_quiet();
}

#[test]
fn a_printed_page_has_every_figure() {
    let page = Page::new(1440, 900);
    page.open("#view=survey");
    page.until_unfolded("table-1,fig-3-correlation,fig-4-shares,fig-5-stream");
    page.browser.run(&format!(
        "addEventListener('beforeprint', () => window.printed = {DRAWN}.split(',').length)"
    ));
    page.browser.devtools("Page.printToPDF", &json!({}));
    page.browser.until("it is printed", "window.printed !== undefined");
    assert_eq!(page.browser.run("return window.printed"), 11);
    page.until_unfolded("table-1,fig-3-correlation,fig-4-shares,fig-5-stream");
    assert_eq!(page.browser.text("location.hash.includes('unfolded=')"), "false");
}

/// Entries of the index that lead nowhere, or behind the entry before them.
const ASTRAY: &str = "
    const entries = [...document.querySelectorAll('.index a')];
    const parts = entries.map(entry => document.querySelector(entry.getAttribute('href')));
    const is_behind = (part, before) => part.compareDocumentPosition(before) & Node.DOCUMENT_POSITION_FOLLOWING;
    return entries.filter((_, i) => !parts[i] || parts[i - 1] && is_behind(parts[i], parts[i - 1])).map(entry => entry.textContent);";

#[test]
fn the_index_of_a_long_view_stays_in_sight() {
    for width in [1440, 390] {
        let page = Page::new(width, 844);
        page.open("#view=survey");
        page.until_unfolded("table-1,fig-3-correlation,fig-4-shares,fig-5-stream");
        page.browser.click(".index a[href='#stream-title']");
        page.browser.until(
            "it leads there",
            "Math.abs(document.querySelector('#stream-title').getBoundingClientRect().top) < 100",
        );
        page.browser.until(
            "the entry is marked",
            "document.querySelector('.index [aria-current]')?.getAttribute('href') === '#stream-title'",
        );
        let edges = "return (({ left, right, top }) => [left, right, top])(document.querySelector('.index [aria-current]').getBoundingClientRect())";
        page.browser.until(
            "the entry is in sight",
            &format!("(() => {{ const [left, right, top] = (() => {{ {edges} }})(); return left >= 0 && right <= innerWidth && top >= 0 && top < 60; }})()"),
        );

        // Its entries lead to parts that are there, in the order in which these stand.
        assert_eq!(page.browser.run(ASTRAY), json!([]), "{width} px");
        page.browser.run("document.querySelector('.of-page input[value=smollm2]').click()");
        page.until_says(".means thead", "SmolLM2-135M-Instruct");
        page.browser.until_gone("#shares-title");
        assert_eq!(page.browser.run(ASTRAY), json!([]), "{width} px, of one model");
        page.browser.run("scrollTo(0, document.documentElement.scrollHeight)");
        page.browser.until(
            "the last entry is marked",
            "document.querySelector('.index [aria-current]')?.getAttribute('href') === '#cells-title'",
        );
        page.assert_quiet();
    }
}

#[test]
fn one_menu_holds_what_can_be_done_with_a_figure() {
    let open = "document.querySelector('#menu-votes').matches(':popover-open')";
    let shut = format!("!{open}");
    for (width, height) in [(1440, 900), (390, 844)] {
        let page = Page::new(width, height);
        page.open_live();
        page.until_settled();

        // By keys: in, through, and out again.
        page.browser.focus("#figure-votes .opens-menu");
        page.browser.keys(ENTER);
        page.browser.until("it opens", open);
        page.browser.keys(TAB);
        assert_eq!(page.browser.text("document.activeElement.textContent"), "SVG");
        page.browser.keys(ESCAPE);
        page.browser.until("it closes", &shut);
        page.until_focused("#figure-votes .opens-menu");

        // The Tab key behind its last entry leaves it.
        page.browser.keys(ENTER);
        page.browser.until("it opens", open);
        page.browser.focus("#menu-votes > button:last-of-type");
        page.browser.keys(TAB);
        page.browser.until("it closes", &shut);

        // By the mouse: all of it in the window, each entry large enough for a finger.
        page.browser.click("#figure-votes .opens-menu");
        page.browser.until("it opens", open);
        assert_eq!(
            page.browser.texts("#menu-votes button"),
            ["SVG", "PNG", "CSV", "JSON", "Copy picture", "Copy link", "Copy iframe"]
        );
        let cut = page.browser.run(
            "return [...document.querySelectorAll('#menu-votes, #menu-votes button')].filter(e => { const r = e.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth || r.top < 0 || r.bottom > innerHeight || r.height < 24 || r.width < 24; }).length",
        );
        assert_eq!(cut, Value::from(0), "{width} px");
        page.assert_accessible_as_it_is(&format!("a figure's menu, {width} wide"));
        page.screenshot_of_window(&format!("figure-menu-{width}"));
        page.browser.click("#figure-votes h3");
        page.browser.until("it closes", &shut);
        page.assert_quiet();
    }
}
