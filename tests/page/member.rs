//! One member by itself: reached from every picture, by keyboard too, with the command line's numbers.

use serde_json::{Value, json};

use crate::driver::{ENTER, ESCAPE};
use crate::page::{LOOKS, Page};
use crate::program;

impl Page {
    /// Waits for the own row of the member of this name.
    fn until_member(&self, name: &str) {
        self.browser.until(
            &format!("the own row of {name} is shown"),
            &format!(
                "document.querySelector('#member')?.value === {} && document.querySelector('#figure-member-writes .chart svg')",
                Value::from(name)
            ),
        );
        self.until_settled();
    }

    /// A figure's table, opened; its first way to a member, focused.
    fn focus_member_link(&self, key: &str) -> String {
        self.browser.run(&format!("document.querySelector('#figure-{key} details').open = true"));
        let link = format!("#figure-{key} tbody a[href*=\"view=member\"]");
        self.browser.until_there(&link);
        self.browser.run(&format!("document.querySelector('{link}').focus()"));
        let href = self.browser.text(&format!("document.querySelector('{link}').href"));
        let name = href.split("member=").nth(1).expect("its name");
        name.replace("%3A", ":")
    }
}

/// Returns the command line's report on the same member.
fn cli(report: &Value) -> Value {
    program::lens_of(report, &["--member", report["member"]["name"].as_str().expect("a name")])
}

fn near(found: &Value, expected: &Value, at: &str) {
    program::assert_near(found, expected, at, 1e-3);
}

#[test]
fn a_stroke_of_the_lens_leads_to_its_own_row_with_the_command_lines_numbers() {
    let page = Page::live();
    let first = page.focus_member_link("votes");
    assert_eq!(first, "emb");
    // The third row of the table: block 0's MLP.
    page.browser.run("document.querySelectorAll('#figure-votes tbody a')[2].focus()");
    page.browser.keys(ENTER);
    page.until_member("0m");
    assert!(page.hash().contains("member=0m"));
    let report = page.report();
    let expected = cli(&report);
    for part in ["raises", "lowers", "mean_vote", "lead", "without"] {
        near(&report["member"][part], &expected["member"][part], part);
    }
    page.until_says(".reads-alone", "no MLP reads another token");
    // What it costs is said, and can be tried.
    let plan = expected["member"]["without"]["plan"].as_str().expect("a plan");
    page.until_says("#leave-out", plan);
    page.browser.click("#leave-out");
    page.until_says("h1", "What if the blocks change places?");
    let plan = page.browser.text("document.querySelector('#plan, #line')?.value ?? ''");
    assert!(plan.len() > 1, "{plan}");
    page.back();
    page.until_member("0m");
    page.assert_quiet();
}

#[test]
fn an_attention_says_where_its_heads_look() {
    let page = Page::new(1440, 1000);
    page.open("#view=member&member=2a");
    page.until_member("2a");
    page.until_says("#figure-member-reads h3", "attends most to");
    let report = page.report();
    near(&report["member"]["reads"], &cli(&report)["member"]["reads"], "reads");
    // The neighbours, by their buttons and by name.
    page.press_text(".tools button", "The next");
    page.until_member("2m");
    page.choose_by("#member", "emb");
    page.until_member("emb");
    page.until_says("#member-cost", "It cannot be left out");

    // Under a plan the answer is compared with the original order's.
    page.open("#view=member&member=1m&plan=drop:0");
    page.until_member("1m");
    page.until_says(".says-first", "KL from the original order over the whole vocabulary");
    page.assert_quiet();
}

#[test]
fn every_picture_with_members_leads_to_them() {
    let page = Page::live();
    for key in ["votes", "spread", "running"] {
        assert_eq!(page.focus_member_link(key), "emb", "{key}");
    }
    page.browser.hover(&[page.column_of("votes", 1)]);
    page.browser.until_there("#figure-votes .chart.pickable");
    page.go_to_view("Logit lens");
    page.until_figure("doubt");
    for key in ["depths", "doubt", "followed"] {
        page.focus_member_link(key);
    }
    page.go_to_view("Attention");
    page.until_figure("heads");
    assert!(page.focus_member_link("heads").ends_with('a'));
    page.browser.until_there(".one-head a[href*=\"view=member\"]");
    page.go_to_view("Orders");
    page.until_figure("both");
    for key in ["both", "votes"] {
        page.focus_member_link(key);
    }
    page.go_to_view("Coupling");
    page.browser.until(
        "the two steps lead to theirs",
        "document.querySelectorAll('.tools a[href*=\"view=member\"]').length >= 2",
    );
    page.browser.run("document.querySelector('.tools a[href*=\"view=member\"]').click()");
    page.until_figure("member-writes");
    page.go_to_view("Survey");
    page.until_survey();
    page.drill("scholar-2", "mood");
    page.browser.until_there(".sample a[href*=\"view=member\"]");
    page.browser.run("document.querySelector('.sample a[href*=\"view=member\"]').click()");
    page.until_member("0a");
    page.assert_quiet();
}

#[test]
fn words_of_a_picture_stay_as_long_as_it_is_pointed_at() {
    let page = Page::live();
    let tip = "#figure-votes .tip";
    let column = page.column_of("votes", 3);
    let point = || {
        page.browser.hover(&[column]);
        page.browser.until_there(tip);
    };
    point();
    page.browser.hover(&[(2.0, 2.0)]);
    page.browser.until_gone(tip);
    point();
    page.browser.keys(ESCAPE);
    page.browser.until_gone(tip);

    // Another view, and back.
    page.browser.hover(&[(2.0, 2.0)]);
    point();
    page.go_to_view("Orders");
    page.go_to_view("Lens");
    page.until_picture();
    assert_eq!(page.browser.count(tip), 0);

    let touch = |kind: &str, points: Value| {
        let touched = json!({ "type": kind, "touchPoints": points });
        page.browser.devtools("Input.dispatchTouchEvent", &touched);
    };
    let (x, y) = page.column_of("spread", 5);
    // A finger that goes on to scroll the page has pointed at nothing.
    touch("touchStart", json!([{ "x": x, "y": y }]));
    page.browser.until_there(tip);
    touch("touchCancel", json!([]));
    page.browser.until_gone(tip);
    page.assert_quiet();
}

#[test]
fn a_click_on_a_mark_leads_there() {
    let page = Page::live();
    let column = page.column_of("votes", 3);
    page.browser.drag(&[column, column]);
    page.until_member("1a");
    page.back();
    page.until_says("h1", "What does each layer add to an answer?");
}

#[test]
fn a_member_that_did_not_run_is_refused() {
    let page = Page::new(1440, 1000);
    page.open("#view=member&member=77a");
    page.until_says(".problem", "has no member 77a");
}

#[test]
fn it_is_accessible_on_desk_and_telephone() {
    for (width, height, schemes) in LOOKS {
        let page = Page::new(width, height);
        page.open("#view=member&member=2a");
        page.until_member("2a");
        page.assert_looks("a member", "member", width, schemes);
    }
}

#[test]
fn nothing_is_judged_before_somebody_says_what_is_right() {
    let page = Page::new(1440, 900);
    page.open(
        "#model=scholar-4&prompt=The+film+is+bad.+So+it+is&option=+bad&option=+good&answer=none&view=member&member=1m",
    );
    page.until_member("1m");
    let words = page.text("#member-votes") + &page.text("#member-cost");
    for judged in ["✓", "right option", "stays right", "turns wrong", "stays wrong", "turns right"]
    {
        assert!(!words.contains(judged), "{judged} in {words}");
    }
    page.browser.click(".judging button");
    page.until_says("#member-votes", "the right option");
    page.until_says("#member-cost", "logit difference");
    page.assert_quiet();
}
