//! The view of couplings: at once from its baked report, live against the command line, by clicks and by
//! keys, with the control that its map must pass.

use std::process::Command;

use serde_json::Value;

use crate::driver::RIGHT;
use crate::page::Page;

impl Page {
    /// The view with the live model's pictures.
    fn coupling(width: u32, height: u32, more: &str) -> Self {
        let page = Self::new(width, height);
        page.open(&format!("#view=coupling{more}"));
        page.until_coupled();
        page
    }

    fn until_mapped(&self) {
        self.browser.until(
            "the map is drawn",
            "document.querySelector('#figure-coupling-map .chart svg')",
        );
    }

    fn until_coupled(&self) {
        self.until_mapped();
        self.until_says("#coupling-prompt .provenance", "Computed here");
        self.until_settled();
    }

    fn said_of(&self, key: &str) -> String {
        self.text(&format!("#figure-{key} h3"))
    }

    /// The number of decimals that a sentence holds, in order.
    fn numbers_of(&self, key: &str) -> Vec<f64> {
        let text = self.said_of(key).replace('−', "-");
        let words = text.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c)));
        words
            .filter_map(|word| word.trim_end_matches('.').parse().ok())
            .collect()
    }

    fn until_hash(&self, has: &str) {
        let quoted = Value::from(has);
        self.browser.until(
            &format!("the address has {has}"),
            &format!("location.hash.includes({quoted})"),
        );
    }

    fn choose_by(&self, css: &str, value: &str) {
        self.browser.run(&format!(
            "const s = document.querySelector('{css}'); s.value = '{value}'; s.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    fn table_of(&self, key: &str) -> Vec<Vec<String>> {
        self.browser.run(&format!(
            "document.querySelector('#figure-{key} .numbers').open = true"
        ));
        self.browser.until(
            "the table is there",
            &format!("document.querySelector('#figure-{key} tbody tr')"),
        );
        let rows = self.browser.run(&format!(
            "return [...document.querySelectorAll('#figure-{key} tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        ));
        self.browser.run(&format!(
            "document.querySelector('#figure-{key} .numbers').open = false"
        ));
        serde_json::from_value(rows).expect("a table")
    }
}

/// What the command line says of the page's own report: the same prompt, vectors, steps and tokens.
fn cli(report: &Value) -> Value {
    let coupling = &report["coupling"];
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let listed = |value: &Value| {
        let all = value.as_array().expect("a list").iter();
        all.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let tokens = &coupling["token_wise"];
    let mut words: Vec<String> = ["coupling", "--json", "--engine", "cpu"]
        .map(str::to_owned)
        .to_vec();
    words.extend(["--model".into(), text(&report["model"]["name"])]);
    words.extend(["--prompt".into(), text(&coupling["prompt"])]);
    words.extend(["--plan".into(), text(&coupling["plan"])]);
    words.extend(["--top".into(), listed(&coupling["top"])]);
    for pair in tokens["self"]["pairs"].as_array().expect("pairs") {
        words.extend(["--steps".into(), listed(&pair["steps"])]);
    }
    words.extend(["--self".into(), listed(&tokens["self"]["t"])]);
    let (input, output) = (&tokens["fixed_input"], &tokens["fixed_output"]);
    words.extend([
        "--input".into(),
        format!("{}:{}", input["t_in"], listed(&input["t_out"])),
        "--output".into(),
        format!("{}:{}", output["t_out"], listed(&output["t_in"])),
    ]);
    let found = Command::new(env!("CARGO_BIN_EXE_atelier"))
        .args(&words)
        .output()
        .expect("atelier starts");
    assert!(
        found.status.success(),
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    serde_json::from_slice(&found.stdout).expect("a report")
}

/// The largest difference of two reports' numbers; everything else is the same.
fn apart(found: &Value, expected: &Value, at: &str) -> f64 {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            (a - b).abs() / b.abs().max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            let both = a.iter().zip(b).enumerate();
            both.map(|(n, (a, b))| apart(a, b, &format!("{at}[{n}]")))
                .fold(0.0, f64::max)
        }
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            b.iter()
                .map(|(key, b)| apart(&a[key], b, &format!("{at}.{key}")))
                .fold(0.0, f64::max)
        }
        (a, b) => {
            assert_eq!(a, b, "{at}");
            0.0
        }
    }
}

#[test]
fn the_couplings_are_the_command_lines() {
    let page = Page::new(1440, 1000);
    page.open("");
    page.until_live();
    page.browser.run("window.begun = performance.now()");
    page.browser.run(
        "[...document.querySelectorAll('[aria-label=Views] a')].find(a => a.getAttribute('href').includes('view=coupling')).click()",
    );
    page.until_coupled();
    let took = page
        .browser
        .text("Math.round(performance.now() - window.begun)");
    let said = page.text("#coupling-prompt .provenance");
    say!(
        "coupling: drawn live {took} ms after the click, maps between tokens with it; the page says: {said}"
    );
    page.until_pointable();
    let report = page.report();
    let expected = cli(&report);
    let (found, expected) = (&report["coupling"], &expected["coupling"]);
    assert_eq!(
        found["depth_wise"]["8"]["off_diagonal"]
            .as_array()
            .map(Vec::len),
        Some(12)
    );
    for field in [
        "token_ids",
        "tokens",
        "steps",
        "plan",
        "spectrum",
        "depth_wise",
        "token_wise",
        "linearised",
        "trajectories",
        "line_shape_score",
        "expodistance",
    ] {
        let far = apart(&found[field], &expected[field], field);
        say!("coupling: {field} lies {far:.1e} from the command line's");
        assert!(far <= 1e-5, "{field}: {far}");
    }
    // The picture's numbers are the report's, in its table and in its files.
    let table = page.table_of("coupling-map");
    assert_eq!(table.len(), 144);
    let mis = found["depth_wise"]["8"]["off_diagonal"][3][4]
        .as_f64()
        .expect("a number");
    let shown: f64 = table[3 * 12 + 4][2]
        .replace('−', "-")
        .parse()
        .expect("a number");
    assert!((1.0 - mis - shown).abs() < 1e-3, "{mis} {shown}");
    page.catch_files();
    page.browser.run(
        "window.caught.length = 0; [...document.querySelectorAll('#figure-coupling-map .keep button')].find(b => b.textContent === 'CSV').click()",
    );
    page.browser.until("the file", "window.caught.length > 0");
    let csv = page.browser.text("window.caught.pop()");
    let line = csv.lines().nth(1 + 3 * 12 + 4).expect("a line");
    let written: f64 = line
        .split(',')
        .nth(3)
        .expect("a number")
        .parse()
        .expect("a number");
    assert_eq!(written, mis, "{line}");
    // What is printed of the paper and is not what it says stands where its picture is.
    for (key, slip) in [
        ("coupling-map", "different metrics"),
        ("coupling-map", "names no K"),
        ("coupling-pair", "signs of their vectors"),
        ("coupling-output", "subtracts the identity"),
        ("coupling-linearised", "final norm"),
        ("coupling-linearised", "no test of coupling"),
    ] {
        page.until_says(&format!("#figure-{key} figcaption"), slip);
    }
    page.assert_quiet();
    page.assert_accessible("couplings");
    page.screenshot("coupling-1440");
    page.browser.prefer("dark");
    page.browser.until(
        "it is dark",
        "document.documentElement.dataset.theme === 'dark'",
    );
    page.screenshot("coupling-1440-dark");
}

/// Before the worker has so much as begun.
#[test]
fn the_baked_couplings_are_there_at_once() {
    let page = Page::new(1440, 1000);
    page.server.hold(Some("worker_loader.js"));
    page.open("#view=coupling");
    page.until_mapped();
    page.until_says("#coupling-prompt .provenance", "Baked example");
    for key in [
        "map",
        "distance",
        "pair",
        "self",
        "input",
        "output",
        "paths",
        "straightness",
        "linearised",
        "relation",
    ] {
        page.browser.until(
            key,
            &format!("document.querySelector('#figure-coupling-{key} .chart svg')"),
        );
    }
    let baked = page.said_of("coupling-map");
    page.server.hold(None);
    page.until_coupled();
    assert_eq!(
        page.said_of("coupling-map"),
        baked,
        "the live map says the same"
    );
    page.assert_quiet();
}

#[test]
fn a_pair_is_chosen_by_click_and_by_keys_and_is_in_the_address() {
    let page = Page::coupling(1440, 1000, "");
    // On our own drawing, before ECharts has come, or on ECharts': a cell of row 2, column 5.
    page.until_pointable();
    let (x, y) = page.middle("#figure-coupling-map .chart svg");
    let place = page.browser.run(
        "const c = echarts.getInstanceByDom(document.querySelector('#figure-coupling-map .chart')); const p = c.convertToPixel({ seriesIndex: 0 }, [5, 9]); const r = c.getDom().getBoundingClientRect(); return [r.left + p[0], r.top + p[1]]",
    );
    let place: (f64, f64) = serde_json::from_value(place).expect("a place");
    assert!((x - place.0).abs() < 900.0 && (y - place.1).abs() < 900.0);
    page.browser
        .run("document.querySelector('#figure-coupling-map').scrollIntoView()");
    let place = page.browser.run(
        "const c = echarts.getInstanceByDom(document.querySelector('#figure-coupling-map .chart')); const p = c.convertToPixel({ seriesIndex: 0 }, [5, 9]); const r = c.getDom().getBoundingClientRect(); return [r.left + p[0], r.top + p[1]]",
    );
    let place: (f64, f64) = serde_json::from_value(place).expect("a place");
    page.browser.drag(&[place, place]);
    page.until_hash("pair=2,5");
    page.until_says("#figure-coupling-pair h3", "Step 2 sends");
    // The same by keys.
    page.browser
        .run("document.querySelector('#pair-basis').focus()");
    page.choose_by("#pair-basis", "6");
    page.until_hash("pair=2,6");
    page.until_says("#figure-coupling-pair h3", "makes of 6's 8 directions");
    page.press_button("The other way round");
    page.until_hash("pair=6,2");
    // K and the metric.
    page.browser
        .run("document.querySelector('#coupling-k').focus()");
    page.browser.keys(RIGHT);
    page.until_hash("k=10");
    page.until_says("#figure-coupling-map figcaption", "The K = 10 leading");
    page.browser
        .run("document.querySelectorAll('[name=coupling-metric]')[1].click()");
    page.until_hash("metric=singular");
    page.until_says(
        "#figure-coupling-map figcaption",
        "metric of the paper's code",
    );
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

#[test]
fn our_own_drawing_answers_a_click_too() {
    let page = Page::new(1440, 1000);
    page.server.refuse("echarts.js");
    page.open("#view=coupling");
    page.until_mapped();
    page.browser.run(
        "document.querySelector('#figure-coupling-map [data-pick=\"5,9\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    );
    page.until_hash("pair=2,5");
}

/// The control: six blocks, each run twice.
#[test]
fn the_shared_twins_are_bright() {
    let page = Page::coupling(1440, 1000, "");
    let own = page.numbers_of("coupling-map");
    page.browser.click("#coupling-control");
    page.until_says(
        "#coupling-prompt .provenance",
        "Computed here by apprentice-12-shared ",
    );
    page.until_settled();
    page.until_says("#figure-coupling-map h3", "share most of their directions");
    let shared = page.numbers_of("coupling-map");
    say!("coupling: apprentice-12 {own:?}, its shared twin {shared:?}");
    let table = page.table_of("coupling-map");
    let at = |row: usize, column: usize| -> f64 {
        table[12 * row + column][2]
            .replace('−', "-")
            .parse()
            .expect("a coupling")
    };
    let twins: Vec<f64> = (0..6)
        .map(|n| (at(2 * n, 2 * n + 1) + at(2 * n + 1, 2 * n)) / 2.0)
        .collect();
    let others: Vec<f64> = (0..5)
        .map(|n| (at(2 * n + 1, 2 * n + 2) + at(2 * n + 2, 2 * n + 1)) / 2.0)
        .collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    assert!(mean(&twins) > 3.0 * mean(&others), "{twins:?} {others:?}");
    page.browser
        .run("document.querySelector('#figure-coupling-map').scrollIntoView()");
    page.screenshot("coupling-twin-1440");
    // Back is the model before.
    page.browser.run("history.back()");
    page.until_says(
        "#coupling-prompt .provenance",
        "Computed here by apprentice-12 ",
    );
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
    page.until_hash("frame=2");
    page.browser.click("#film-play");
    let paused = page.text(".film output");
    std::thread::sleep(std::time::Duration::from_millis(1600));
    assert_eq!(page.text(".film output"), paused, "it stands");
    page.browser
        .run("document.querySelector('#film-frame').focus()");
    page.browser.keys(RIGHT);
    page.browser.until(
        "the next frame",
        &format!(
            "document.querySelector('.film output').textContent !== {}",
            Value::from(paused)
        ),
    );
    page.browser.click("#film-all");
    page.browser
        .until("no frame", "!location.hash.includes('frame=')");
    page.until_says(".film output", "whole ways");
    page.assert_quiet();
    // Nothing plays where motion is not wanted.
    let features = serde_json::json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    page.browser
        .devtools("Emulation.setEmulatedMedia", &features);
    page.browser.reload();
    page.until_coupled();
    assert_eq!(
        page.browser.text("document.querySelector('#film-play')"),
        "null"
    );
    page.browser.click("#film-on");
    page.until_hash("frame=0");
}

#[test]
fn rows_are_measured_and_a_point_is_taken_away() {
    let page = Page::coupling(1440, 1000, "");
    page.browser.until(
        "the baked rows",
        "document.querySelector('#figure-coupling-relation .chart svg')",
    );
    page.browser.run(
        "const i = document.querySelector('#coupling-rows'); i.value = 4; i.dispatchEvent(new Event('change', { bubbles: true }))",
    );
    page.browser.click("#couple-rows");
    page.until_says(
        "#cost-title ~ .provenance",
        "Computed here by apprentice-12 ",
    );
    page.browser
        .until("it is done", "!document.querySelector('#cancel-sweep')");
    page.until_says("#figure-coupling-relation h3", "over 11 pairs");
    let whole = page.said_of("coupling-relation");
    say!("coupling: {whole}");
    page.browser
        .run("document.querySelector('.points [aria-label=\"Point 0-1\"]').click()");
    page.until_hash("without=0-1");
    page.until_says("#figure-coupling-relation h3", "over 10 pairs");
    page.until_says(
        "#figure-coupling-relation figcaption",
        "1 point is taken away",
    );
    let table = page.table_of("coupling-relation");
    assert_eq!((table.len(), table[0][3].as_str()), (11, "no"));
    page.browser.click("#points-back");
    page.until_says("#figure-coupling-relation h3", "over 11 pairs");
    assert_eq!(page.said_of("coupling-relation"), whole);
    page.choose_by("#coupling-against", "drop");
    page.until_hash("against=drop");
    page.until_says("#figure-coupling-relation h3", "a step's absence");
    page.assert_quiet();
    page.assert_accessible("couplings over rows");

    // One that takes long is stopped; what was there stays.
    page.browser.run(
        "const i = document.querySelector('#coupling-rows'); i.value = 200; i.dispatchEvent(new Event('change', { bubbles: true }))",
    );
    page.browser.click("#couple-rows");
    page.browser
        .until("it lasts", "document.querySelector('#cancel-sweep')");
    page.browser.click("#cancel-sweep");
    page.browser
        .until("it is stopped", "!document.querySelector('#cancel-sweep')");
    page.until_says("[role=status]", "Stopped");
    page.assert_quiet();
}

/// Whatever the workshop makes of the blocks has its own steps.
#[test]
fn another_order_is_another_map_and_a_report_opens_again() {
    let page = Page::coupling(1440, 1000, "&plan=0,1,(2-3),4a,1");
    page.until_says("#coupling-prompt .hint", "Plan 0,1,(2-3),4a,1, 5 steps");
    let table = page.table_of("coupling-map");
    assert_eq!(table.len(), 25);
    assert_eq!(table[0][..2], ["0", "0"]);
    let names: Vec<&str> = table[..5].iter().map(|row| row[1].as_str()).collect();
    assert_eq!(names, ["0", "1", "(2-3)", "4a", "1 (2nd)"]);
    let report = page.report();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.atelier.json");
    std::fs::write(&path, report.to_string()).expect("written");
    let said = page.said_of("coupling-map");
    // On a fresh page that shows something else.
    let other = Page::live_after(page);
    other.open_file(&path);
    other.until_mapped();
    other.until_says(
        "#coupling-prompt .provenance",
        "From a report: apprentice-12",
    );
    assert_eq!(other.said_of("coupling-map"), said);
    other.until_hash("view=coupling");
    other.until_hash("plan=0,1,(2-3),4a,1");
    other.assert_quiet();
}

impl Page {
    /// A live page, once this one is closed: browsers take turns.
    fn live_after(page: Self) -> Self {
        drop(page);
        Self::live()
    }
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
        page.browser
            .devtools("Emulation.setEmulatedMedia", &features);
    };
    prefer("light");
    page.open("#view=coupling");
    page.until_coupled();
    page.until_pointable();
    page.assert_accessible("couplings at 390 px");
    page.screenshot("coupling-390");
    prefer("dark");
    page.browser.until(
        "it is dark",
        "document.documentElement.dataset.theme === 'dark'",
    );
    page.screenshot("coupling-390-dark");
    page.assert_quiet();
}
