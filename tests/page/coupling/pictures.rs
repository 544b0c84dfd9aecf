//! One prompt's pictures: at once from the baked report, by clicks and by keys, with the control that the
//! map must pass.

use serde_json::Value;

use crate::driver::{DOWN, RIGHT};
use crate::page::Page;

/// Before the worker has so much as begun.
#[test]
fn the_baked_couplings_are_there_at_once() {
    let page = Page::new(1440, 1000);
    page.server.hold(Some("worker_loader.js"));
    page.open("#view=coupling");
    page.until_mapped();
    page.until_says(".bar .provenance", "Precomputed");
    for key in ["map", "self", "paths", "relation"] {
        page.until_figure(&format!("coupling-{key}"));
    }
    for key in ["distance", "pair", "input", "output", "straightness", "linearised"] {
        page.unfold(&format!("coupling-{key}"));
    }
    let baked = page.said_of("coupling-map");
    page.server.hold(None);
    page.until_coupled();
    assert_eq!(page.said_of("coupling-map"), baked, "the live map says the same");
    page.assert_quiet();
}

/// A real model's stored pictures are one link away, and the address says so.
#[test]
fn the_real_models_couplings_are_a_choice_in_the_address() {
    let page = Page::new(1440, 1000);
    page.open("#view=coupling");
    page.until_mapped();
    page.browser.run("document.querySelector('.stored a:not([aria-current])').click()");
    page.until_says(".bar .provenance", "From a report: SmolLM2-135M-Instruct.Q4_1");
    page.until_mapped();
    let real = page.said_of("coupling-map");
    assert_eq!(page.text(".stored a[aria-current]"), "SmolLM2-135M");
    let address = page.browser.text("location.href");
    assert!(address.contains("?report=examples/smollm2-coupling.atelier.json"), "{address}");
    assert!(address.contains("view=coupling"), "{address}");
    page.screenshot("coupling-smollm2");
    page.browser.reload();
    page.until_mapped();
    assert_eq!(page.said_of("coupling-map"), real);
    page.browser.run("document.querySelector('.stored a:not([aria-current])').click()");
    page.until_says(".bar .provenance", "Precomputed by scholar");
    page.assert_quiet();
}

#[test]
fn a_pair_is_chosen_by_click_and_by_keys_and_is_in_the_address() {
    let page = Page::coupling(1440, 1000, "");
    // A cell of row 2, column 5.
    page.until_pointable();
    let cell = page.mark_of("coupling-map", CELL);
    page.browser.hover(&[cell]);
    page.until_says("#figure-coupling-map .tip", "2");
    page.browser.drag(&[cell, cell]);
    page.until_hash("pair=2,5");
    page.until_says("#figure-coupling-pair h3", "Step 2 sends");
    page.browser
        .until("its fold is open", "document.querySelector('#figure-coupling-pair .fold').open");
    // The same by keys: the next of the list.
    page.browser.focus("#pair-basis");
    page.browser.keys(DOWN);
    page.until_hash("pair=2,6");
    page.until_says("#figure-coupling-pair h3", "makes of 6's 8 directions");
    page.press_button("The other way round");
    page.until_hash("pair=6,2");
    // K and the metric.
    page.browser.focus("#coupling-k");
    page.browser.keys(RIGHT);
    page.until_hash("k=10");
    page.until_says("#figure-coupling-map figcaption", "The K = 10 leading");
    page.browser.run("document.querySelectorAll('[name=coupling-metric]')[1].click()");
    page.until_hash("metric=singular");
    page.until_says("#figure-coupling-map figcaption", "metric of the paper's code");
    // Another token and step are another run.
    page.choose_by("#token-step", "3");
    page.until_hash("step=3");
    page.until_settled();
    page.until_says("#figure-coupling-self h3", "steps 3 and 4");
    page.choose_by("#token-in", "2");
    page.until_hash("t-in=2");
    page.until_settled();
    let said = ["map", "pair", "self", "input"].map(|key| page.said_of(&format!("coupling-{key}")));
    page.browser.reload();
    page.until_coupled();
    page.until_says("#figure-coupling-self h3", "steps 3 and 4");
    let again =
        ["map", "pair", "self", "input"].map(|key| page.said_of(&format!("coupling-{key}")));
    assert_eq!(said, again, "a reload restores the pictures");
    page.assert_quiet();
}

/// The cell in the map's column 5, of 12 rows the third from above.
const CELL: &str = "
    (() => {
      const cells = [...chart.querySelectorAll('.cells rect')].map(cell => [cell, cell.getBoundingClientRect()]);
      const nth = (side, n) => [...new Set(cells.map(([, box]) => Math.round(box[side])))].sort((a, b) => a - b)[n];
      const [left, top] = [nth('left', 5), nth('top', 2)];
      return cells.find(([, box]) => Math.round(box.left) === left && Math.round(box.top) === top)[0];
    })()";

/// The control: six blocks, each run twice.
#[test]
fn the_shared_twins_are_bright() {
    let page = Page::coupling(1440, 1000, "");
    let own = page.numbers_of("coupling-map");
    page.browser.click("#coupling-control");
    page.until_says(".bar .provenance", "Computed here by scholar-12-shared ");
    page.until_settled();
    page.until_says("#figure-coupling-map h3", "share most of their directions");
    let shared = page.numbers_of("coupling-map");
    say!("coupling: scholar-12 {own:?}, its shared twin {shared:?}");
    let table = page.table_of("coupling-map");
    let at = |row: usize, column: usize| -> f64 {
        table[12 * row + column][2].replace('−', "-").parse().expect("a coupling")
    };
    let twins: Vec<f64> =
        (0..6).map(|n| (at(2 * n, 2 * n + 1) + at(2 * n + 1, 2 * n)) / 2.0).collect();
    let others: Vec<f64> =
        (0..5).map(|n| (at(2 * n + 1, 2 * n + 2) + at(2 * n + 2, 2 * n + 1)) / 2.0).collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    assert!(mean(&twins) > 3.0 * mean(&others), "{twins:?} {others:?}");
    page.browser.run("document.querySelector('#figure-coupling-map').scrollIntoView()");
    page.screenshot("coupling-twin-1440");
    // Back is the model before.
    page.back();
    page.until_says(".bar .provenance", "Computed here by scholar-12 ");
    page.until_settled();
    assert_eq!(page.numbers_of("coupling-map"), own);
    page.assert_quiet();
}

#[test]
fn the_ways_play_and_stop_and_step() {
    let page = Page::coupling(1440, 1000, "");
    page.browser.click("#film-on");
    page.until_hash("frame=0");
    page.until_says(".film output", "before the first step");
    page.browser.click("#film-on");
    page.until_hash("frame=1");
    page.browser.click("#film-back");
    page.until_hash("frame=0");
    page.browser.click("#film-play");
    page.browser.until("it plays", "/frame=([2-9]|1[0-9])/.test(location.hash)");
    page.browser.click("#film-play");
    let paused = page.text(".film output");
    std::thread::sleep(std::time::Duration::from_millis(1600));
    assert_eq!(page.text(".film output"), paused, "it stands");
    page.browser.focus("#film-frame");
    page.browser.keys(RIGHT);
    page.browser.until(
        "the next frame",
        &format!("document.querySelector('.film output').textContent !== {}", Value::from(paused)),
    );
    page.browser.click("#film-all");
    page.browser.until("no frame", "!location.hash.includes('frame=')");
    page.until_says(".film output", "whole ways");
    page.assert_quiet();
    // Nothing plays where motion is not wanted.
    let features = serde_json::json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    page.browser.devtools("Emulation.setEmulatedMedia", &features);
    page.browser.reload();
    page.until_coupled();
    assert_eq!(page.browser.count("#film-play"), 0);
    page.browser.click("#film-on");
    page.until_hash("frame=0");
}

#[test]
fn couplings_fit_a_telephone() {
    let page = Page::new(390, 844);
    // A picture of the whole page lays it out anew, and is taken before a drawing has moved to its place.
    let prefer = |scheme: &str| {
        let features = serde_json::json!([
            { "name": "prefers-reduced-motion", "value": "reduce" },
            { "name": "prefers-color-scheme", "value": scheme },
        ]);
        let features = serde_json::json!({ "features": features });
        page.browser.devtools("Emulation.setEmulatedMedia", &features);
    };
    prefer("light");
    page.open("#view=coupling");
    page.until_coupled();
    page.until_pointable();
    page.assert_accessible("couplings at 390 px");
    page.screenshot("coupling-390");
    prefer("dark");
    page.until_theme("dark");
    page.screenshot("coupling-390-dark");
    page.assert_quiet();
}
