//! Surveys and theorems: the baked report, reports of the reader's own, and the way from a mean to a
//! row and into the lens.

use std::path::{Path, PathBuf};

use atelier::measure::interval::wilson;
use serde_json::{Value, json};

use crate::page::{LOOKS, Page, picture_file, root};
use crate::program;

const OVERVIEW: [&str; 8] = [
    "table-1",
    "fig-6-depth",
    "levels",
    "fig-3-correlation",
    "tradeoff",
    "identity",
    "uniform",
    "fig-4-shares",
];
const OF_A_MODEL: [&str; 3] = ["fig-5-stream", "information-votes", "information-copula"];

impl Page {
    fn survey(at: &str) -> Self {
        let page = Self::new(1440, 1000);
        page.open(at);
        page
    }

    /// The baked survey, drawn.
    fn surveyed() -> Self {
        let page = Self::survey("#view=survey");
        page.until_survey();
        page
    }

    /// Waits until these figures, and no others, are drawn.
    fn until_figures(&self, keys: &[&str]) {
        let keys = Value::from(keys.to_vec());
        self.browser.until(
            &format!("the figures {keys} are drawn"),
            &format!(
                "JSON.stringify([...document.querySelectorAll('.figure')].map(f => f.id.slice(7))) === {} && [...document.querySelectorAll('.chart')].every(c => c.querySelector('svg'))",
                Value::from(keys.to_string())
            ),
        );
    }

    pub fn until_survey(&self) {
        self.until_figures(&[&OVERVIEW[..], &OF_A_MODEL[..]].concat());
    }

    /// The elements of a figure's drawing.
    fn drawn(&self, key: &str) -> String {
        self.until_pointable();
        self.browser.text(&format!("document.querySelector('#figure-{key} .canvas').innerHTML"))
    }

    fn open_report(&self, path: &Path) {
        self.browser.type_into("#report", &path.display().to_string());
    }

    fn turn(&self, group: &str, name: &str) {
        self.browser.run(&format!(
            "[...document.querySelectorAll('.{group} input')].find(i => i.value === {}).click()",
            Value::from(name)
        ));
    }

    /// Chooses the mean of a model on a task.
    pub fn drill(&self, model: &str, task: &str) {
        let label = Value::from(format!("Rows of {model} on {task}:"));
        self.browser.run(&format!(
            "[...document.querySelectorAll('.mean')].find(b => b.ariaLabel.startsWith({label})).click()"
        ));
        self.until_says(".rows h3", &format!("{model} on {task}"));
    }
}

fn baked() -> Value {
    let text = std::fs::read_to_string(root().join("public/examples/survey.atelier.json"));
    serde_json::from_str(&text.expect("the baked survey")).expect("JSON")
}

fn written(folder: &Path, name: &str, value: &Value) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, value.to_string()).expect("a file written");
    path
}

#[test]
fn the_baked_survey_shows_at_once_and_fetches_no_model() {
    let page = Page::surveyed();
    page.until_says(".opened .report-name", "precomputed");
    assert_eq!(page.browser.count(".mean"), 50);
    let other = ["worker", ".safetensors"];
    for sent in page.server.sent() {
        assert!(!other.iter().any(|name| sent.path.contains(name)), "{sent:?}");
    }
    say!("the survey's view was sent {} bytes, compressed", page.sent_bytes());
    // The views are one way apart.
    let views = || page.browser.texts("[aria-label=Views] a").join(",");
    let every = "Lens,Logit lens,Attention,Orders,Coupling,Survey,Theory,Lessons";
    assert_eq!(views(), every);
    page.screenshot("survey");
    page.assert_quiet();

    page.open_live();
    assert_eq!(views(), every);
    page.browser.run("document.querySelector('nav a[href*=\"view=theory\"]').click()");
    page.browser.until_count(".theorem", 9);
    page.go_to_view("Orders");
    page.browser.until_there(".bench");
}

#[test]
fn means_over_the_whole_vocabulary_stand_beside_those_of_the_options() {
    let page = Page::surveyed();
    for (words, name) in [
        ("first word", "share of rows whose right answer is the model's first word"),
        ("surprise", "surprise of the right answer, bits (whole vocabulary)"),
        ("that the options hold", "share of the whole vocabulary that the options hold"),
    ] {
        page.browser.run(&format!(
            "[...document.querySelectorAll('.cells .columns label')].find(l => l.textContent.includes('{words}')).click()"
        ));
        page.until_says(".means caption", name);
        // Written texts have none of these.
        assert!(page.browser.count(".mean") > 0);
    }
    page.browser.run("document.querySelector('.mean').click()");
    page.until_says(".rows h3", "the first word right in");
    page.until_says(".sample-numbers", "surprise");
    page.assert_quiet();
}

/// Shares of rows have Wilson's interval below them; other means of a report have none.
#[test]
fn a_share_of_rows_stands_with_its_interval_and_its_rows() {
    let cell = "[...document.querySelectorAll('.mean')].find(b => b.ariaLabel.startsWith('Rows of scholar-2 on mood:'))";
    let averages = &baked()["survey"]["cells"][6]["outcome"]["found"]["averages"];
    let rows = averages["rows"].as_u64().expect("rows");
    let right = wilson(averages["accuracy"].as_f64().expect("a share"), rows as usize);
    let ends = [right.low, right.high].map(|end| format!("{:.1}", 100.0 * end)).join(" to ");

    for (width, height) in [(1440, 900), (390, 844)] {
        let page = Page::new(width, height);
        page.open("#view=survey");
        page.until_survey();
        let shown = page.browser.text(&format!("{cell}.querySelector('.beside').textContent"));
        assert_eq!(shown, ends);
        let label = page.browser.text(&format!("{cell}.ariaLabel"));
        assert!(label.ends_with(&format!(" {ends} (95 % interval)")), "{label}");
        page.until_says(".means caption", "interval");
        let heading =
            page.browser.text(&format!("{cell}.closest('tr').querySelector('th').textContent"));
        assert_eq!(heading, format!("mood n = {rows}"));

        // On a desk all of it is seen at once; a telephone swipes the table, and not the page.
        let over = "return [document.querySelector('.cells .scroll'), document.documentElement].map(e => e.scrollWidth - e.clientWidth)";
        let over = page.browser.run(over);
        assert!(width == 390 || over[0].as_i64() <= Some(0), "{width} px: {over}");
        assert!(over[1].as_i64() <= Some(0), "{width} px: {over}");
        let size =
            format!("parseFloat(getComputedStyle({cell}.querySelector('.beside')).fontSize)");
        assert!(page.browser.number(&size) >= 12.0, "{width} px");
        page.screenshot(&format!("survey-means-{width}"));

        page.press_text(".cells .columns label", "MSE");
        page.until_says(".means caption", "MSE");
        assert_eq!(page.browser.count(".mean .beside"), 0);
        assert!(!page.text(".means caption").contains("interval"));
        page.assert_quiet();
    }
}

/// SmolLM2's survey comes when it is chosen, by hand or by the address.
#[test]
fn the_real_models_survey_is_a_choice_in_the_address() {
    let page = Page::surveyed();
    let is_fetched = || page.server.sent().iter().any(|sent| sent.path.contains("smollm2-survey"));
    assert!(!is_fetched(), "it comes before it is chosen");
    page.browser.run("document.querySelector('.of-page input[value=smollm2]').click()");
    page.until_says(".means thead", "SmolLM2-135M-Instruct");
    assert!(is_fetched());
    page.until_says(".opened .report-name", "SmolLM2's survey, precomputed");
    assert_eq!(page.browser.count(".opened li"), 1);
    assert!(page.hash().contains("shipped=smollm2"));
    page.screenshot("survey-smollm2");

    // The rows of atelier's own tasks have their prompts.
    page.drill("SmolLM2-135M-Instruct.Q4_1", "capitals");
    assert_eq!(page.browser.count(".sample-prompt"), 8);

    // The address says which, at a reload and in both views.
    page.browser.reload();
    page.until_says(".rows h3", "SmolLM2-135M-Instruct.Q4_1 on capitals");
    page.browser.run("location.hash = '#view=survey'");
    page.until_says(".means thead", "scholar-12");
    page.browser.run("location.hash = '#view=theory&shipped=smollm2'");
    page.until_says(".theory", "SmolLM2's survey");
    page.browser.until_count(".theorem", 9);
    page.assert_quiet();
}

/// A report that was made to be shared has rows without text: their numbers and the task's options are there.
#[test]
fn rows_without_text_have_their_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bare = baked();
    for sample in
        bare["survey"]["cells"][6]["outcome"]["found"]["samples"].as_array_mut().expect("samples")
    {
        let sample = sample.as_object_mut().expect("a sample");
        sample.retain(|key, _| !["prompt", "choices", "right"].contains(&key.as_str()));
    }
    let page = Page::surveyed();
    page.open_report(&written(folder.path(), "bare.json", &bare));
    page.until_says(".means thead", "scholar-2 (bare.json)");
    page.drill("scholar-2 (bare.json)", "mood");
    page.until_says(".rows", "no text of its rows");
    assert_eq!(page.browser.count(".sample-prompt"), 0);
    page.until_says(".sample-options", "good");
    page.until_says(".sample-numbers", "surprise");
    page.assert_quiet();
}

#[test]
fn a_second_report_is_compared_where_it_asked_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own").display().to_string();
    let words = ["survey", "--models", "scholar-2,scholar-4", "--tasks", "mood", "--rows", "500"];
    program::printed(&[&words[..], &["--out", &own]].concat());
    let page = Page::surveyed();
    let before = page.drawn("table-1");
    page.open_report(&folder.path().join("own/survey.atelier.json"));
    page.browser.until_count(".opened li", 2);
    page.until_says(".means thead", "scholar-4 (survey.atelier.json)");
    assert_ne!(page.drawn("table-1"), before);
    // The same rows and the same model give the same mean, run here and now.
    let row = page.browser.run(
        "const r = [...document.querySelectorAll('.means tbody tr')].find(r => r.querySelector('.task-name').textContent === 'mood');
         return [...r.querySelectorAll('td')].map(c => c.textContent)",
    );
    assert_eq!(row[5], row[0]);
    assert_eq!(row[6], row[1]);
    assert_eq!(page.browser.count(".reports .note"), 0);

    // Two models side by side, on two tasks.
    for model in ["scholar-8", "scholar-12", "scholar-12-shared"] {
        page.turn("of-models", model);
    }
    let all = ["topic", "quiz", "fact", "often", "same", "follows", "sense", "last"];
    for task in all {
        page.turn("of-tasks", task);
    }
    page.browser.until_count(".means tbody tr", 2);
    let rows = page.table("table-1");
    let named = |name: &str| rows.iter().filter(|row| row.iter().any(|cell| cell == name)).count();
    assert_eq!(named("scholar-2"), 2, "two tasks: {rows:?}");
    assert_eq!(named("scholar-4 (survey.atelier.json)"), 1);
    assert_eq!(named("scholar-12"), 0);
    page.screenshot("survey-compared");

    // What is ticked is in the address.
    let address = page.hash();
    assert!(
        address.contains("without=scholar-8") && address.contains("without-task=topic"),
        "{address}"
    );

    // Nothing ticked is a sentence, not an empty picture.
    for model in [
        "scholar-2",
        "scholar-4",
        "scholar-2 (survey.atelier.json)",
        "scholar-4 (survey.atelier.json)",
    ] {
        page.turn("of-models", model);
    }
    page.until_says(".pictures .problem", "tick another one");

    // Another question under the same name stands apart, and it is said.
    let mut other = baked();
    other["survey"]["tasks"][6]["fingerprint"] = json!("other");
    page.open_report(&written(folder.path(), "other.json", &other));
    page.until_says(".reports .note", "other.json asked other questions of mood");
    page.until_says(".means tbody", "mood (other.json)");
    page.browser.run("[...document.querySelectorAll('.opened button')].pop().click()");
    page.browser.until_count(".opened li", 2);
    page.assert_quiet();
}

#[test]
fn a_mean_leads_to_its_rows_and_a_row_to_the_lens() {
    let page = Page::surveyed();
    page.drill("scholar-2", "mood");
    let samples = &baked()["survey"]["cells"][6]["outcome"]["found"]["samples"];
    assert_eq!(page.browser.count(".sample"), samples.as_array().map_or(0, Vec::len));
    let prompt = samples[3]["prompt"].as_str().expect("a prompt");
    assert_eq!(page.browser.texts(".sample-prompt")[3], prompt);
    page.screenshot("survey-rows");
    // The address keeps the place.
    page.browser.reload();
    page.until_says(".rows h3", "scholar-2 on mood");
    page.browser.run("document.querySelectorAll('.sample a:not(.to-members)')[3].click()");
    page.browser.until_there("#prompt");
    page.until_live();
    page.until_says(".provenance", "scholar-2");
    assert_eq!(page.prompt(), prompt);
    // It draws what the survey measured.
    let lens = &page.report()["lens"];
    let [mse, bias] = ["mse", "bias"].map(|name| lens["probability"][name].as_f64().expect(name));
    let known = &samples[3]["probability"];
    assert!((mse - known[0].as_f64().expect("mse")).abs() < 1e-4, "{mse} {known}");
    assert!((bias - known[1].as_f64().expect("bias")).abs() < 1e-4, "{bias} {known}");
    assert_eq!(lens["answer"], samples[3]["answer"]);
    page.assert_quiet();
}

#[test]
fn a_model_of_the_readers_own_says_how_its_rows_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut own = baked();
    own["survey"]["models"][0]["name"] = json!("my-model");
    let failed = json!({ "failed": "its weights ended early" });
    own["survey"]["cells"][1]["outcome"] = failed;
    let page = Page::surveyed();
    page.open_report(&written(folder.path(), "own.json", &own));
    page.until_says(".means thead", "my-model");
    page.until_says(".failed", "my-model on quiz: its weights ended early");
    page.drill("my-model", "mood");
    page.until_says(".rows .hint", "open its folder in the lens first");
    assert_eq!(page.browser.count(".sample a"), 0);
    page.assert_quiet();
}

#[test]
fn every_theorem_is_computed_and_its_control_moves_the_picture() {
    let page = Page::survey("#view=theory");
    let keys: Vec<String> = (1..=8).map(|n| format!("theorem-{n}")).collect();
    // A drawn formula stands behind them, and says so.
    let drawn = keys.iter().map(String::as_str).chain(["fig-2-shapes"]);
    page.until_figures(&drawn.collect::<Vec<_>>());
    page.until_says("#figure-fig-2-shapes h3", "Drawn from a formula");
    for key in &keys {
        let before = (page.drawn(key), page.text(&format!("#figure-{key} h3")));
        page.browser.run(&format!(
            "const c = document.querySelector('#{key}-control');
             if (c.tagName === 'SELECT') {{ c.value = String(c.options.length - 1); c.dispatchEvent(new Event('change', {{ bubbles: true }})); }}
             else {{ c.value = c.value === '1' ? '0' : '1'; c.dispatchEvent(new Event('input', {{ bubbles: true }})); }}"
        ));
        let title = Value::from(before.1.clone());
        page.browser.until(
            &format!("{key} says something else"),
            &format!("document.querySelector('#figure-{key} h3').textContent !== {title}"),
        );
        assert_ne!(page.drawn(key), before.0, "{key}");
    }
    page.screenshot("theory-moved");
    // Another model and task move what is of rows.
    let before = page.drawn("theorem-1");
    page.choose_by(".model-choice", "scholar-2");
    page.until_says("#figure-theorem-1 figcaption", "scholar-2,");
    assert_ne!(page.drawn("theorem-1"), before);
    assert!(page.hash().contains("view=theory&of=scholar-2"));
    page.assert_quiet();
}

#[test]
fn files_hold_the_numbers_of_the_picture() {
    let page = Page::surveyed();
    let csv = page.saved_figure("table-1", "CSV");
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().expect("a header");
    let column = |name: &str| head.iter().position(|h| *h == name).expect("the column");
    let (model, accuracy) = (column("model"), column("accuracy"));
    let rows: Vec<Vec<&str>> = lines.collect();
    let shown = page.table("table-1");
    assert!(!rows.is_empty() && rows.len() == shown.len());
    for (saved, shown) in rows.iter().zip(&shown) {
        assert_eq!(saved[model], shown[model]);
        let [saved, shown] = [saved[accuracy], shown[accuracy].as_str()]
            .map(|text| text.parse::<f64>().expect("a number"));
        assert!((saved - shown).abs() < 0.0006, "{saved} is shown as {shown}");
    }

    let svg = page.saved_figure("table-1", "SVG");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
    for words in [
        "scholar-12-shared",
        "majority class",
        "right among the options, share of rows",
        "(level: majority class)",
        "diversity, squared logits",
        "the scholars' survey",
    ] {
        assert!(svg.contains(words), "{words} is not in the SVG");
    }
    if let Some(path) = picture_file("table-1.svg") {
        std::fs::write(path, svg).expect("written");
    }
    assert!(page.saved_figure("table-1", "PNG").starts_with("data:image/png;base64,"));
    page.assert_quiet();
}

#[test]
fn reports_on_this_site_open_by_a_link_and_no_others() {
    let page = Page::survey("?report=examples/survey.atelier.json#view=survey");
    page.until_survey();
    assert_eq!(page.text(".report-name"), "survey.atelier.json");
    page.open("?report=https://example.org/survey.json#view=survey");
    page.until_says(".problem", "https://example.org/survey.json is not on this site");
    page.until_says(".report-name", "precomputed");
    page.assert_quiet();
    // A link is no way to keep a reader's machine busy, nor to hand it what is no file of the site.
    let many = vec!["report=examples/survey.atelier.json"; 300].join("&");
    page.open(&format!("?{many}#view=survey"));
    page.until_says(".problem", "names more than 32 reports");
    page.until_says(".report-name", "precomputed");
    let origin = page.browser.text("location.origin");
    page.open(&format!("?report=blob:{origin}/0#view=survey"));
    page.until_says(".problem", "is not on this site");
    page.assert_quiet();
    page.open("?report=nowhere.json#view=survey");
    page.until_says(".problem", "nowhere.json could not be fetched");
    page.browser.run("[...document.querySelectorAll('.openers button')][0].click()");
    page.until_survey();
}

#[test]
fn files_that_are_no_survey_are_refused_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = Page::surveyed();
    let mut newer = baked();
    newer["atelier"] = json!(99);
    let mut edited = baked();
    let found = &mut edited["survey"]["cells"][0]["outcome"]["found"];
    found["averages"]["by_depth"].as_array_mut().expect("a list").pop();
    let mut empty = baked();
    empty["survey"]["cells"] = json!([]);
    let lens = std::fs::read_to_string(root().join("public/examples/first.atelier.json"))
        .expect("the lens's report");
    let lens: Value = serde_json::from_str(&lens).expect("JSON");
    for (name, value, words) in [
        ("newer.json", newer, "written by a newer atelier"),
        ("edited.json", edited, "was it edited by hand?"),
        ("empty.json", empty, "it has no cells"),
        ("other.json", json!({ "name": "x" }), "it is no atelier report"),
    ] {
        page.open_report(&written(folder.path(), name, &value));
        page.until_says(".reports .problem", name);
        page.until_says(".reports .problem", words);
        let said = page.text(".reports .problem");
        assert!(!said.ends_with("?."), "{said}");
    }
    assert_eq!(page.browser.count(".opened li"), 1);
    // A report of another kind is no mistake: it opens in its own view.
    page.open_report(&written(folder.path(), "lens.json", &lens));
    page.until_says(".provenance", "From a report: ");
    page.until_picture();
    page.assert_quiet();
}

#[test]
fn everyone_can_use_surveys_and_theorems() {
    for (width, height, schemes) in LOOKS {
        let page = Page::new(width, height);
        for &scheme in schemes {
            page.browser.prefer(scheme);
            // Addresses that differ after the # only are no new page.
            page.browser.go("about:blank");
            page.open("#view=survey&of=scholar-4&task=mood&rows=open");
            page.until_survey();
            page.until_says(".rows h3", "scholar-4 on mood");
            page.assert_look("the survey", width, scheme);
            page.screenshot(&format!("survey-{width}-{scheme}"));
            page.browser.run("document.querySelector('nav a[href*=\"view=theory\"]').click()");
            page.browser.until_count(".theorem .chart svg", 9);
            page.assert_look("theory", width, scheme);
            page.screenshot(&format!("theory-{width}-{scheme}"));
        }
        page.assert_quiet();
    }
}
