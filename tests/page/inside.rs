//! The inside of a run: the logit lens and the attention view, against the command line's numbers.

use serde_json::Value;

use crate::driver::DOWN;
use crate::page::Page;
use crate::program;

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
        self.until_figure(figure);
        self.until_settled();
    }
}

fn near(found: &Value, expected: &Value, at: &str) {
    program::assert_near(found, expected, at, 1e-4);
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
    let expected = program::lens_of(&report, &more);
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
    page.choose_by("#depth-colour", "entropy");
    page.until_hash("colour=entropy");
    page.browser.click("#norm-held");
    page.until_hash("norm=held");
    page.until_settled();
    page.until_says("#figure-depths figcaption", "that of the run's end");
    page.choose_by("#follow", " good");
    page.until_hash("follow=+good");
    page.until_settled();
    page.until_says("#figure-followed h3", "good");
    page.browser.reload();
    page.until_inside("logit-lens");
    page.until_says("#figure-followed h3", "good");
    assert_eq!(page.browser.count("#norm-held:checked"), 1);
    // A click on a cell, by its plan in the table of another view: the workshop holds the blocks so far.
    page.choose_by("#follow", " good.");
    page.until_says(".problem", "good");
    page.assert_quiet();
}

#[test]
fn attention_is_the_command_lines_and_a_head_is_switched_off() {
    let page = Page::inside(1440, 1000, "attention", "");
    page.until_pointable();
    let report = page.report();
    let expected = program::lens_of(&report, &["--attention"]);
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
    page.choose_by("#run", "7");
    page.until_hash("run=7");
    page.choose_by("#head", "2");
    page.until_hash("head=2");
    page.until_settled();
    page.until_says("#figure-matrix h3", "Block 7, head 2");
    page.browser.click("#switch-head");
    page.until_hash("plan=0-6,7~h2,8-11");
    page.until_settled();
    page.browser.until_there("#switched tbody tr");
    page.until_says(".one-head h3", "switched off");
    let report = page.report();
    let own = program::lens_of(&report, &[]);
    near(&report["lens"]["probabilities"], &own["lens"]["probabilities"], "without the head");
    let mut original = report.clone();
    original["lens"]["plan"] = "0-11".into();
    let own = program::lens_of(&original, &[]);
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
    page.browser.until_gone("#switched");
    page.assert_quiet();
}

/// The keys walk through the tokens, and the lines follow.
#[test]
fn tokens_are_walked_through_with_the_keys() {
    let page = Page::inside(1440, 1000, "attention", "&query=1");
    page.browser.focus(".token-lists .asking [aria-pressed=true]");
    page.browser.keys(DOWN);
    page.until_hash("query=2");
    page.until_settled();
    page.browser.until(
        "the focus went along",
        "document.activeElement?.getAttribute('aria-pressed') === 'true' && document.activeElement.textContent.startsWith('2 ')",
    );
    let ahead = page.browser.count(".token-lists .looks");
    assert!((1..=3).contains(&ahead), "{ahead}: of the three tokens it sees");
    page.assert_quiet();
}

#[test]
fn both_views_fit_a_telephone() {
    for view in ["logit-lens", "attention"] {
        let page = Page::inside(390, 844, view, "");
        page.assert_accessible(&format!("{view} at 390 px"));
        assert!(page.browser.number("document.body.scrollHeight") > 844.0);
        page.screenshot(&format!("{view}-390"));
        page.browser.run("document.querySelector('.pictures').scrollIntoView()");
        page.screenshot(&format!("{view}-390-figures"));
        page.browser.prefer("dark");
        page.screenshot(&format!("{view}-390-dark"));
        page.assert_quiet();
    }
}
