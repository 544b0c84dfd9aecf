//! The look for a wall, outside of lessons: the first figure of the Lens and of Orders is large and whole.

use serde_json::Value;

use crate::common::real_model;
use crate::page::Page;

/// Least size of a label at a desk's size, in CSS pixels; on a wall it grows with the page.
const LABEL: f64 = 14.0;

/// Windows of projectors.
const WALLS: [(u32, u32); 2] = [(1440, 900), (1920, 1080)];

/// The labels of an element: each text with its size as shown, and whether it is cut, covered or out of the window.
const LABELS: &str = "
    const whole = document.querySelector(arguments[0]);
    const chart = whole.querySelector('.chart') ?? whole.closest('.chart');
    const frame = whole.getBoundingClientRect();
    const seen = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== 'hidden' && !e.closest('.unseen');
    const texts = [...whole.querySelectorAll('svg text, .block, .grip > span, .who, .readout, .field, .hint, p')].filter(e => seen(e) && e.textContent.trim());
    return texts.map(e => {
      const scale = chart?.contains(e) ? chart.getBoundingClientRect().width / chart.clientWidth : 1;
      const range = document.createRange();
      range.selectNodeContents(e);
      const box = e.tagName === 'text' ? e.getBoundingClientRect() : range.getBoundingClientRect();
      const is_cut = box.left < frame.left - 1 || box.right > frame.right + 1 || box.left < 0 || box.right > innerWidth
        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow === 'hidden';
      return [e.textContent, parseFloat(getComputedStyle(e).fontSize) * scale, is_cut, box.left, box.top, box.right, box.bottom];
    });";

impl Page {
    /// Holds the labels of an element to the wall's size, and to being whole; `what` is said of a fault.
    fn assert_legible(&self, css: &str, what: &str) {
        let scale = "parseFloat(getComputedStyle(document.documentElement).fontSize) / 16";
        let scale = self.browser.number(scale);
        assert!(scale > 1.3, "{what}: the page is {scale} times as large as at a desk");
        let labels =
            self.browser.run(&LABELS.replace("arguments[0]", &Value::from(css).to_string()));
        let labels = labels.as_array().expect("labels");
        assert!(labels.len() > 5, "{what}: {labels:?}");
        let mut least = f64::INFINITY;
        let boxes: Vec<[f64; 4]> = labels
            .iter()
            .map(|label| [3, 4, 5, 6].map(|i| label[i].as_f64().expect("pixels")))
            .collect();
        for label in labels {
            let size = label[1].as_f64().expect("a size");
            assert!(size + 0.05 >= LABEL * scale, "{what}: {} is {size} px large", label[0]);
            assert_eq!(label[2], false, "{what}: {} is cut: {label}", label[0]);
            least = least.min(size);
        }
        // No label lies on another: by more than a hair of its box, which is taller than its letters.
        for (i, a) in boxes.iter().enumerate() {
            for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                let across = a[2].min(b[2]) - a[0].max(b[0]);
                let down = a[3].min(b[3]) - a[1].max(b[1]);
                let (one, other) = (&labels[i][0], &labels[j][0]);
                assert!(across < 1.0 || down < 8.0, "{what}: {one} lies on {other}");
            }
        }
        let edge = |side: &str| {
            let element = format!("document.querySelector({})", Value::from(css));
            self.browser.number(&format!("{element}.getBoundingClientRect().{side}"))
        };
        say!(
            "{what}: y = {:.0} to {:.0}, {} labels of {least:.1} px and more ({:.1} asked)",
            edge("top"),
            edge("bottom"),
            labels.len(),
            LABEL * scale
        );
        let over = self.over_width();
        assert!(over <= 0, "{what}: the page is {over} px too wide");
    }

    fn until_wall(&self, is_on: bool) {
        let is_class = "document.documentElement.classList.contains('projected')";
        self.browser.until("the look has changed", &format!("{is_class} === {is_on}"));
    }

    /// Holds the Lens's first figure, which is on the first screen.
    fn assert_lens_on_wall(&self, what: &str, height: u32) {
        self.until_pointable();
        self.until_settled();
        self.assert_legible("#figure-votes .chart", what);
        let bottom = "document.querySelector('#figure-votes .chart').getBoundingClientRect().bottom + scrollY";
        let bottom = self.browser.number(bottom);
        assert!(bottom <= f64::from(height), "{what}: the first figure ends at y = {bottom}");
    }
}

#[test]
fn the_first_figures_of_lens_and_orders_are_fit_for_a_projector() {
    for (width, height) in WALLS {
        for scheme in ["light", "dark"] {
            let page = Page::new(width, height);
            page.browser.prefer(scheme);
            page.open("#view=lens&projector");
            page.until_live();
            page.until_wall(true);
            page.assert_lens_on_wall(&format!("Lens, {width} wide, {scheme}"), height);
            page.screenshot_of_window(&format!("wall-lens-{width}-{scheme}"));

            let page = Page::orders(width, height, "&projector");
            page.browser.prefer(scheme);
            page.until_wall(true);
            for css in [".tiles-frame", ".row"] {
                page.assert_legible(css, &format!("Orders, {css}, {width} wide, {scheme}"));
            }
            page.screenshot_of_window(&format!("wall-orders-{width}-{scheme}"));
        }
    }
}

/// Thirty blocks stand in one row, and sixty-one components in one figure.
#[test]
fn a_real_models_first_figures_are_fit_for_a_projector() {
    let Some(model) = real_model() else { return };
    let (width, height) = WALLS[0];
    let page = Page::new(width, height);
    page.open_plain();
    page.until_drawn();
    page.browser.type_into("#own-file", &model.display().to_string());
    page.until_says(".provenance", "Computed here by ");
    page.open_bar();
    page.browser.click("#for-wall");
    page.until_wall(true);
    page.open_bar();
    page.browser.click(".bar-more");
    page.assert_lens_on_wall("Lens of SmolLM2", height);
    page.screenshot_of_window("wall-lens-smollm2");

    page.go_to_view("Orders");
    page.until_says(".provenance", "Computed here by ");
    page.until_lab();
    page.until_wall(true);
    for css in [".tiles-frame", ".row"] {
        page.assert_legible(css, &format!("Orders of SmolLM2, {css}"));
    }
    let rows = "return new Set([...document.querySelectorAll('.row .spot')].map(e => Math.round(e.getBoundingClientRect().top))).size";
    assert_eq!(page.browser.run(rows), 1, "the blocks stand in one row");
    page.screenshot_of_window("wall-orders-smollm2");
    page.assert_quiet();
}

/// It is turned on and off where it is, and the address holds it.
#[test]
fn the_look_for_a_wall_is_a_setting_of_the_lens_and_of_orders() {
    let page = Page::live();
    page.open_bar();
    page.browser.click("#for-wall");
    page.until_wall(true);
    page.until_hash("projector=yes");
    page.assert_accessible("the Lens on the wall");
    page.go_to_view("Orders");
    page.until_lab();
    page.until_wall(true);
    // Views without such a look are as at a desk.
    page.go_to_view("Attention");
    page.until_wall(false);
    assert!(!page.hash().contains("projector"));
    page.go_to_view("Lens");
    page.until_live();
    page.until_wall(true);
    page.browser.reload();
    page.until_live();
    page.until_wall(true);
    page.open_bar();
    page.browser.click("#for-wall");
    page.until_wall(false);
    assert!(!page.hash().contains("projector"));
    page.assert_quiet();
}
