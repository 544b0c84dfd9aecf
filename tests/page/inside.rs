//! The inside of a run: the logit lens and the attention view, against the command line's numbers.

use std::process::Command;

use serde_json::Value;

use crate::page::{Page, set};

const DOWN: &str = "\u{E015}";

impl Page {
    /// A view of a run's inside, live.
    fn inside(width: u32, height: u32, view: &str, more: &str) -> Self {
        let page = Self::new(width, height);
        page.open(&format!("#view={view}{more}"));
        page.until_inside(view);
        page
    }

    fn until_inside(&self, view: &str) {
        let figure = if view == "attention" { "matrix" } else { "doubt" };
        self.browser.until(
            &format!("{view} is drawn"),
            &format!("document.querySelector('#figure-{figure} .chart svg')"),
        );
        self.until_settled();
    }

    /// A figure's table as text.
    fn table(&self, key: &str) -> Vec<Vec<String>> {
        self.browser.run(&format!("document.querySelector('#figure-{key} details').open = true"));
        self.browser.until(
            "the table is there",
            &format!("document.querySelector('#figure-{key} tbody tr')"),
        );
        let rows = self.browser.run(&format!(
            "return [...document.querySelectorAll('#figure-{key} tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        ));
        serde_json::from_value(rows).expect("a table")
    }

    fn choose_in(&self, css: &str, value: &str) {
        self.browser.run(&format!(
            "const s = document.querySelector('{css}'); s.value = '{value}'; s.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }
}

/// Returns the command line's report on the run of the page's own report.
fn cli(report: &Value, more: &[&str]) -> Value {
    let lens = &report["lens"];
    let mut words = vec!["lens".to_owned(), "--json".into(), "--engine".into(), "cpu".into()];
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    words.extend(["--model".into(), text(&report["model"]["name"])]);
    words.extend(["--prompt".into(), text(&lens["prompt"])]);
    for option in lens["options"].as_array().expect("options") {
        words.extend(["--option".into(), text(option)]);
    }
    words.extend(["--answer".into(), lens["answer"].to_string()]);
    words.extend(["--plan".into(), text(&lens["plan"])]);
    words.extend(more.iter().map(|&word| word.to_owned()));
    let output =
        Command::new(env!("CARGO_BIN_EXE_atelier")).args(&words).output().expect("atelier starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// Numbers of two reports, deep in them.
fn near(found: &Value, expected: &Value, at: &str) {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            assert!((a - b).abs() <= 1e-4 * b.abs().max(1.0), "{at}: {a}, {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            a.iter().zip(b).for_each(|(a, b)| near(a, b, at));
        }
        (Value::Object(a), Value::Object(b)) => {
            for (key, b) in b {
                near(&a[key], b, &format!("{at}.{key}"));
            }
        }
        (a, b) => assert_eq!(a, b, "{at}"),
    }
}

#[test]
fn the_logit_lens_is_the_command_lines() {
    let page = Page::inside(1440, 1000, "logit-lens", "");
    page.until_pointable();
    let report = page.report();
    let positions = &report["lens"]["logit_lens_grid"]["positions"];
    let at = positions.as_array().expect("positions").iter().map(Value::to_string);
    let at = at.collect::<Vec<_>>().join(",");
    let options = report["lens"]["options"].as_array().expect("options");
    let mut more = vec!["--lens", "5", "--lens-at", &at];
    more.extend(options.iter().flat_map(|option| ["--follow", option.as_str().expect("text")]));
    let expected = cli(&report, &more);
    for field in ["logit_lens", "logit_lens_members", "logit_lens_grid", "logit_lens_words"] {
        near(&report["lens"][field], &expected["lens"][field], field);
    }
    // The top row is the answer, and the table says what the report does.
    let table = page.table("depths");
    let last = table.last().expect("rows");
    let lens = report["lens"]["logit_lens"].as_array().expect("depths");
    let end = lens.last().expect("a depth");
    let id = end["top_ids"][0].to_string();
    let word = report["lens"]["logit_lens_words"][&id].as_str().expect("a word");
    assert_eq!(last[3], word.trim());
    assert_eq!(last.last().map(String::as_str), Some("0"));
    let best = report["lens"]["probabilities"].as_array().expect("numbers");
    let best = (0..best.len())
        .max_by(|&a, &b| best[a].as_f64().partial_cmp(&best[b].as_f64()).expect("numbers"));
    let answer = &report["lens"]["option_token_ids"][best.expect("options")];
    assert_eq!(end["top_ids"][0], *answer, "the model's answer is an option here");
    page.assert_quiet();
    page.assert_accessible("the logit lens");
    page.screenshot("logit-lens-1440");
    page.browser.run("document.querySelector('[name=theme][value=dark]')?.click()");
    page.browser.prefer("dark");
    page.screenshot("logit-lens-1440-dark");
}

/// Words, norm, colour and window are in the address, and a word of several tokens says its pieces.
#[test]
fn what_is_followed_is_in_the_address() {
    let page = Page::inside(1440, 1000, "logit-lens", "");
    page.choose_in("#depth-colour", "entropy");
    page.browser.until("the colour", "location.hash.includes('colour=entropy')");
    page.browser.click("#norm-held");
    page.browser.until("the norm", "location.hash.includes('norm=held')");
    page.until_settled();
    page.until_says("#figure-depths figcaption", "that of the run's end");
    page.choose_in("#follow", " good");
    page.browser.until("the word", "location.hash.includes('follow=+good')");
    page.until_settled();
    page.until_says("#figure-followed h3", "good");
    page.browser.reload();
    page.until_inside("logit-lens");
    page.until_says("#figure-followed h3", "good");
    assert!(
        page.browser.run("return document.querySelector('#norm-held').checked")
            == Value::Bool(true)
    );
    // A click on a cell, by its plan in the table of another view: the workshop holds the blocks so far.
    page.choose_in("#follow", " good.");
    page.until_says(".problem", "good");
    page.assert_quiet();
}

#[test]
fn attention_is_the_command_lines_and_a_head_is_switched_off() {
    let page = Page::inside(1440, 1000, "attention", "");
    page.until_pointable();
    let report = page.report();
    let expected = cli(&report, &["--attention"]);
    for field in ["attention_pattern", "attention_carried", "attention_query"] {
        near(&report["lens"][field], &expected["lens"][field], field);
    }
    assert_eq!(report["lens"]["before"], Value::Null, "nothing is off");
    let table = page.table("heads");
    let first = &report["lens"]["attention_pattern"][0][0];
    let most =
        first.as_array().expect("weights").iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    let row = table.iter().find(|row| row[0].starts_with("block 0, head 0"));
    let shown: f64 = row.expect("its row")[3].parse().expect("a number");
    assert!((most - shown).abs() < 1e-3, "{most} {shown}");
    page.assert_quiet();
    page.assert_accessible("attention");
    page.screenshot("attention-1440");
    page.browser.prefer("dark");
    page.screenshot("attention-1440-dark");
    page.browser.prefer("light");

    // Another head, large; then off, by its button: before and after.
    page.choose_in("#run", "7");
    page.browser.until("the run", "location.hash.includes('run=7')");
    page.choose_in("#head", "2");
    page.browser.until("the head", "location.hash.includes('head=2')");
    page.until_settled();
    page.until_says("#figure-matrix h3", "Block 7, head 2");
    page.browser.click("#switch-head");
    page.browser.until("the plan", "location.hash.includes('plan=0-6,7~h2,8-11')");
    page.until_settled();
    page.browser.until("before and after", "document.querySelector('#switched tbody tr')");
    page.until_says(".one-head h3", "switched off");
    let report = page.report();
    let own = cli(&report, &[]);
    near(&report["lens"]["probabilities"], &own["lens"]["probabilities"], "without the head");
    let mut original = report.clone();
    original["lens"]["plan"] = "0-11".into();
    let own = cli(&original, &[]);
    near(&report["lens"]["before"], &own["lens"]["probabilities"], "with it");
    let carried = &report["lens"]["attention_carried"][7][2];
    assert!(carried.as_array().expect("numbers").iter().all(|x| x.as_f64() == Some(0.0)));
    // In the table every head has its switch: pressed again, it switches the head on.
    page.table("heads");
    page.browser.run(
        "[...document.querySelectorAll('#figure-heads tbody tr')].find(row => row.textContent.startsWith('block 7, head 2')).querySelector('.plan-link').click()",
    );
    page.browser.until("it is on again", "!location.hash.includes('~h')");
    page.until_settled();
    page.browser.until("nothing is off", "!document.querySelector('#switched')");
    page.assert_quiet();
}

/// The keys walk through the tokens, and the lines follow.
#[test]
fn tokens_are_walked_through_with_the_keys() {
    let page = Page::inside(1440, 1000, "attention", "&query=1");
    page.browser.run("document.querySelector('.token-lists .asking [aria-pressed=true]').focus()");
    page.browser.keys(DOWN);
    page.browser.until("the next token", "location.hash.includes('query=2')");
    page.until_settled();
    page.browser.until(
        "the focus went along",
        "document.activeElement?.getAttribute('aria-pressed') === 'true' && document.activeElement.textContent.startsWith('2 ')",
    );
    let lines = "document.querySelectorAll('.token-lists .looks').length";
    let ahead = page.browser.text(lines).parse::<usize>().expect("a number");
    assert!((1..=3).contains(&ahead), "{ahead}: of the three tokens it sees");
    page.assert_quiet();
}

#[test]
fn both_views_fit_a_telephone() {
    for view in ["logit-lens", "attention"] {
        let page = Page::inside(390, 844, view, "");
        page.assert_accessible(&format!("{view} at 390 px"));
        let height =
            page.browser.text("document.body.scrollHeight").parse::<f64>().expect("a height");
        assert!(height > 844.0);
        page.screenshot(&format!("{view}-390"));
        page.browser.run("document.querySelector('.pictures').scrollIntoView()");
        page.screenshot(&format!("{view}-390-figures"));
        page.browser.prefer("dark");
        page.screenshot(&format!("{view}-390-dark"));
        page.assert_quiet();
    }
}

/// From the run's end to both pictures: half a second.
#[test]
fn both_views_are_drawn_soon_after_the_run() {
    let _ = set("ATELIER_DIST");
    for view in ["logit-lens", "attention"] {
        let page = Page::live();
        page.browser.run("window.begun = performance.now()");
        page.browser.run(&format!(
            "[...document.querySelectorAll('[aria-label=Views] a')].find(a => a.getAttribute('href').includes('view={view}')).click()"
        ));
        page.until_inside(view);
        let took = page.browser.text("Math.round(performance.now() - window.begun)");
        say!("{view}: drawn {took} ms after the click, its run with it");
        page.assert_quiet();
    }
}
