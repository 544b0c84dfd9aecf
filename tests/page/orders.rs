//! The page of orders: tiles by mouse and keyboard, sweeps, and what a link brings back.

use std::f64::consts::LN_2;

use crate::common::{model_folder, numbers, real_model};
use crate::driver::{ESCAPE, RIGHT};
use crate::lens::{compare, written};
use crate::page::{LOOKS, Page};
use crate::program;
use serde_json::Value;

const LEFT: &str = "\u{E012}";

/// Kinds of orders that a sweep runs.
pub const EVERY_KIND: [&str; 8] =
    ["drop", "swap", "skip", "repeat", "reverse", "shuffle", "parallel", "loop"];

impl Page {
    /// The lab of orders, live, with the row of tiles.
    pub fn orders(width: u32, height: u32, fragment: &str) -> Self {
        let page = Self::new(width, height);
        page.open(&format!("#view=orders{fragment}"));
        page.until_lab();
        page
    }

    pub fn until_lab(&self) {
        self.browser.until(
            "the row and the lab's four drawings are there",
            "document.querySelectorAll('.row .spot').length > 1 && document.querySelectorAll('.pictures .chart svg').length === 4",
        );
        self.until_lab_is_current();
    }

    /// Nothing of the one prompt is under way; a sweep may be.
    pub fn until_lab_is_current(&self) {
        self.browser.until(
            "the lab's run is over",
            "!document.querySelector('.late') && !document.querySelector('.bar .status.visible')",
        );
    }

    pub fn until_plan(&self, plan: &str) {
        let hash = format!("plan={plan}");
        self.browser.until(
            &format!("the plan is {plan}"),
            &format!("location.hash.includes({})", Value::from(hash)),
        );
        self.until_lab_is_current();
        self.browser.until(
            "the tiles are painted",
            "[...document.querySelectorAll('.row .half:not(.off) .paint')].some(p => parseFloat(p.style.height) > 1)",
        );
    }

    /// Middle of an element, as two numbers.
    pub fn middle(&self, css: &str) -> (f64, f64) {
        let at = self.browser.run(&format!(
            "const e = document.querySelector({}); e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]",
            Value::from(css)
        ));
        (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
    }

    pub fn press_button(&self, words: &str) {
        self.press_text("button", words);
    }

    /// A strategy's button, by its notation.
    pub fn press_strategy(&self, notation: &str) {
        let found = self.browser.run(&format!(
            "const b = [...document.querySelectorAll('.strategy')].find(b => b.querySelector('code').textContent === {}); b?.click(); return Boolean(b)",
            Value::from(notation)
        ));
        assert_eq!(found, Value::Bool(true), "no strategy {notation:?}");
    }

    /// Switches a stroke of the chosen tile: its first or its second.
    pub fn switch(&self, stroke: usize) {
        self.browser.run(&format!("document.querySelectorAll('.switch input')[{stroke}].click()"));
    }

    pub fn focus_tile(&self, place: usize) {
        self.browser.run(&format!(
            "document.querySelectorAll('.row .grip')[{place}].focus(); document.querySelectorAll('.row .grip')[{place}].click()"
        ));
    }

    pub fn tick(&self, fieldset: &str, names: &[&str]) {
        self.browser.run(&format!(
            "const wanted = {}; document.querySelectorAll('{fieldset} label').forEach(l => {{ const i = l.querySelector('input'); if (i.checked !== wanted.includes(l.textContent.trim())) i.click(); }})",
            Value::from(names.to_vec())
        ));
    }

    /// The number field with this label.
    pub fn set_number(&self, label: &str, n: usize) {
        self.browser.run(&format!(
            "const i = [...document.querySelectorAll('label.number')].find(l => l.textContent.trim() === {}).querySelector('input'); i.value = {n}; i.dispatchEvent(new Event('change', {{ bubbles: true }}))",
            Value::from(label)
        ));
    }

    /// Returns the number in a field.
    pub fn number_typed(&self, label: &str) -> String {
        self.browser.text(&format!(
            "[...document.querySelectorAll('label.number')].find(l => l.textContent.trim() === {}).querySelector('input').value",
            Value::from(label)
        ))
    }

    pub fn until_swept(&self, figure: &str) {
        self.browser.until(
            "the sweep is done",
            &format!(
                "!document.querySelector('#cancel-sweep') && document.querySelector('#figure-{figure} .chart svg') && [...document.querySelectorAll('.sweeps .provenance')].some(p => /^Computed here/.test(p.textContent)) && document.querySelector('[role=status]').textContent.includes('sweep is done')"
            ),
        );
    }

    /// Stops the sweep that runs.
    pub fn cancel_sweep(&self) {
        self.browser.until_there("#cancel-sweep");
        self.browser.click("#cancel-sweep");
        self.browser.until_gone("#cancel-sweep");
    }

    /// A report as its button saves it: 0 the lab's, 1 the sweep's.
    pub fn saved(&self, which: usize) -> Value {
        self.catch_files();
        self.browser.run(&format!(
            "window.caught.length = 0; [...document.querySelectorAll('button')].filter(b => b.textContent.includes('Save the report'))[{which}].click()"
        ));
        serde_json::from_str(&self.caught()).expect("the report is JSON")
    }
}

/// A real model's stored sweeps are one link away: the orders' curves, and the states over the rows.
#[test]
fn the_real_models_sweeps_are_a_choice_in_the_address() {
    let page = Page::new(1440, 1000);
    page.open("#view=orders");
    page.until_lab();
    page.browser.click(".stored a:not([aria-current])");
    page.until_says(".sweeps .provenance", "From a report: SmolLM2-135M-Instruct.Q4_1");
    for key in ["neighbours", "family", "states"] {
        page.until_figure(key);
    }
    assert_eq!(page.text(".stored a[aria-current]"), "SmolLM2-135M");
    let address = page.browser.text("location.href");
    assert!(address.contains("?report=examples/smollm2-orders.atelier.json"), "{address}");
    let title = page.text("#figure-states h3");
    assert_eq!(title, "From block 11 to block 28 the residual stream keeps its direction");
    page.screenshot("orders-smollm2");
    page.assert_quiet();
}

#[test]
fn a_tile_that_was_let_go_outside_stays_where_it_is() {
    let page = Page::orders(1440, 1000, "");
    let row = "[...document.querySelectorAll('.row .grip')].map(e => e.textContent).join()";
    let before = page.browser.text(row);
    let (x, y) = page.middle(".row .spot:nth-child(3)");
    let top = page.browser.number("document.querySelector('.row').getBoundingClientRect().y");
    page.browser.drag(&[(x, top + 3.0), (x, top - 60.0)]);
    // Back over the row, with no button pressed, and a click on another tile.
    let (to, _) = page.middle(".row .spot:nth-child(5)");
    page.browser.hover(&[(x, y), (to - 10.0, y)]);
    page.browser.drag(&[(to, y)]);
    let chosen = "document.querySelector('.row .spot:nth-child(5)').classList.contains('chosen')";
    page.browser.until("the tile is chosen", chosen);
    assert_eq!(page.browser.text(row), before);
    page.assert_quiet();
}

#[test]
fn drag_and_keyboard_make_the_same_plan_and_the_command_lines_numbers() {
    let page = Page::orders(1440, 1000, "");
    let tiles = "document.querySelectorAll('.row .spot').length";
    assert_eq!(page.browser.run(&format!("return {tiles}")), Value::from(12));

    // By mouse: the third tile to the sixth place.
    let (x, y) = page.middle(".row .spot:nth-child(3) .grip");
    let to = page.middle(".row .spot:nth-child(6) .grip");
    page.browser.drag(&[(x, y), (x + 20.0, y + 4.0), (to.0 - 30.0, to.1), to]);
    page.until_plan("0-1,3-5,2,6-11");
    let dragged = page.saved(0);

    // Undone by its button, then the same by keyboard alone.
    page.press_button("Undo");
    page.browser.until("it is undone", "!location.hash.includes('plan=')");
    page.until_lab_is_current();
    page.focus_tile(2);
    page.browser.keys(&format!(" {RIGHT}{RIGHT}"));
    page.until_says("[role=status]", "Place 5 of 12");
    page.browser.keys(ESCAPE);
    page.until_says("[role=status]", "Back at step 3 of 12");
    page.browser.keys(&format!(" {RIGHT}{RIGHT}{RIGHT}{RIGHT}{LEFT} "));
    page.until_plan("0-1,3-5,2,6-11");
    page.until_says("[role=status]", "which is");
    let walked = page.saved(0);
    assert_eq!(dragged["lab"], walked["lab"]);

    // And the command line's.
    let arranged = &walked["lab"]["arranged"];
    let model = walked["model"]["name"].as_str().expect("a name");
    let native = program::lens(model, arranged, &["--plan", "0-1,3-5,2,6-11"]);
    let worst = compare(arranged, &native["lens"], "lens");
    say!("the lab's order and `atelier lens --plan` differ by at most {worst:.1e} relative");
    page.assert_quiet();
}

#[test]
fn tiles_are_switched_joined_repeated_and_refused() {
    let page = Page::orders(1440, 1000, "");
    // A click on a tile chooses it, wherever it lands, and switches nothing.
    page.browser.click(".row .spot:nth-child(2) .half.attention");
    page.until_says(".chosen-name", "block 1");
    assert!(!page.hash().contains("plan="));
    // A stroke, by its switch and by its key.
    page.switch(0);
    page.until_plan("0,1m,2-11");
    page.switch(1);
    page.until_says(".bench .problem", "only this component left");
    page.focus_tile(1);
    page.browser.keys("a");
    page.browser.until("it is on again", "!location.hash.includes('plan=')");

    // One half of every block, from the chosen one on.
    page.focus_tile(9);
    page.press_button("Attention off from block 9");
    page.until_plan("0-8,9m,10m,11m");
    page.press_button("Undo");
    page.browser.until("the own order again", "!location.hash.includes('plan=')");

    // Three tiles side by side, four times over.
    page.focus_tile(4);
    page.browser.run(
        "for (const _ of [1, 2]) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true }))",
    );
    page.press_button("In parallel");
    page.until_plan("0-3,(4-6),7-11");
    page.set_number("Times", 4);
    page.until_plan("0-3,(4-6)x4,7-11");
    page.set_number("Times", 65);
    page.until_says(".bench .problem", "choose 1 to 64");
    page.press_button("One by one");
    page.browser.until("the own order again", "!location.hash.includes('plan=')");

    // A strategy's button and the line, both ways; undo by keys.
    page.press_strategy("reverse:2");
    page.until_plan("0-2,9-3,10-11");
    assert_eq!(page.browser.value("#plan"), "0-2,9-3,10-11");
    page.browser.clear("#plan");
    page.browser.type_into("#plan", "shuffle:2:0");
    page.browser.until(
        "the row follows the line",
        "[...document.querySelectorAll('.row .grip')].map(g => g.firstChild.textContent).join() === '0,1,2,7,5,4,3,8,6,9,10,11'",
    );
    page.until_lab_is_current();
    page.focus_tile(0);
    page.browser.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true }))");
    page.browser.until(
        "the typing is undone",
        "!document.querySelector('#plan').value.includes('shuffle')",
    );

    // A link brings it all back.
    page.press_strategy("loop:2:3");
    page.until_plan("0-2,(3-9)x3,10-11");
    let before = page.saved(0);
    page.browser.reload();
    page.until_lab();
    page.until_plan("0-2,(3-9)x3,10-11");
    assert_eq!(page.saved(0)["lab"], before["lab"]);
    page.screenshot("orders-loop");
    page.assert_quiet();
}

/// A destroyed model's answer among the options is neither its first word nor its text: the page shows all three.
#[test]
fn a_destroyed_model_is_seen_beyond_the_options() {
    let prompt = "We see horse A, hat B and axe C. So take beast";
    let options = "&option=+A&option=+B&option=+C&option=+D&answer=0";
    let encoded = prompt.replace(' ', "+");
    let page = Page::orders(1440, 1000, &format!("&prompt={encoded}{options}"));
    let texts = || {
        page.browser.until(
            "the texts are whole",
            "document.querySelector('#written-texts .text') && !document.querySelector('#written-texts .coming')",
        );
        let all = page.browser.texts("#written-texts .text").into_iter();
        all.map(|text| text.strip_suffix('…').unwrap_or(&text).to_owned()).collect::<Vec<_>>()
    };
    let wrote = |plan: &str| written("scholar-12", prompt, plan, "12");
    let table = || page.text("#both-answers tbody .right");

    // The model's own order: one text, no warning.
    assert_eq!(texts(), [wrote("")]);
    assert!(table().matches("rank 1").count() == 2, "{}", table());
    assert_eq!(page.browser.count(".answers .small-mass"), 0);
    page.until_says(".facts", "right → right");

    // A plan without the first block; while its text is written, nothing else is asked for.
    page.browser.run(
        "window.asked = [];
         const post = Worker.prototype.postMessage;
         Worker.prototype.postMessage = function (message, ...more) { asked.push(message[0]); return post.call(this, message, ...more); };",
    );
    page.browser.type_into("#plan", "1-11");
    page.until_plan("1-11");
    page.until_says(".answers .small-mass", "This plan: These four options together hold");
    let lab = page.saved(0)["lab"].clone();
    let beyond = &lab["arranged"]["vocabulary"];
    let mass = beyond["mass"].as_f64().expect("a mass");
    assert!(mass < 0.01, "{mass}");
    let rank = beyond["option_ranks"][0].as_u64().expect("a rank");
    assert!(rank > 1 && table().contains(&format!("rank {rank}")), "{rank} in {}", table());
    let first = beyond["top"][0]["text"].as_str().expect("a token").trim().to_owned();
    page.until_says(".first-words", &format!("This plan: by itself “{first}”, "));
    let kl = page.browser.text(
        "[...document.querySelectorAll('.facts dt')].find(e => e.textContent.startsWith('KL')).nextSibling.textContent",
    );
    let known = beyond["kl"].as_f64().expect("a distance");
    let kl: f64 = kl.parse().expect("a number");
    // The page shows bits, files hold nats.
    assert!(known > 0.1 && (kl * LN_2 / known - 1.0).abs() < 0.01, "{kl}, {known}");
    assert_eq!(texts(), [wrote(""), wrote("1-11")]);
    let asked = "JSON.stringify(asked.filter(text => text.includes('GoOn')).map(text => JSON.parse(text).ask.GoOn.plan))";
    assert_eq!(page.browser.text(asked), "[\"1-11\"]");
    page.screenshot("orders-destroyed");

    // Beside a sweep a text is written, too, and one that was written before is asked for no more.
    page.set_number("rows per task", 400);
    page.press_button("Run the sweep");
    page.browser.until_there("#cancel-sweep");
    page.press_strategy("skip:2");
    page.until_plan("0-2,10-11");
    assert_eq!(texts(), [wrote(""), wrote("0-2,10-11")]);
    page.cancel_sweep();
    page.press_button("Undo");
    page.until_plan("1-11");
    assert_eq!(texts(), [wrote(""), wrote("1-11")]);
    assert_eq!(page.browser.text(asked), "[\"1-11\",\"0-2,10-11\"]");
    page.assert_quiet();
}

#[test]
fn sweeps_fill_in_are_cancelled_and_put_a_point_in_the_lab() {
    let page = Page::orders(1440, 1000, "");
    page.tick("#sweep-tasks", &["same", "sum"]);
    page.tick("#sweep-kinds", &EVERY_KIND);
    page.set_number("rows per task", 400);
    page.press_button("Run the sweep");
    page.browser.until_there("#cancel-sweep");
    // The lab is live meanwhile, and the other view too.
    page.press_strategy("skip:2");
    page.until_plan("0-2,10-11");
    page.go_to_view("Lens");
    page.until_live();
    page.go_to_view("Orders");
    page.until_lab();
    page.cancel_sweep();

    // Again, smaller: drop and swap.
    page.tick("#sweep-kinds", &["drop", "swap"]);
    page.tick("#sweep-tasks", &["same"]);
    page.set_number("rows per task", 16);
    page.press_button("Run the sweep");
    page.until_swept("neighbours");
    page.screenshot("orders-drop");
    assert_drawn(&page, "neighbours", 1.0);

    // A click on the fourth point opens its plan.
    page.until_pointable();
    let mark = page.mark_of("neighbours", "chart.querySelectorAll('.series circle')[3]");
    page.browser.hover(&[mark]);
    page.until_says("#figure-neighbours .tip", "drop:3");
    page.browser.drag(&[mark, mark]);
    page.browser.until(
        "the point's plan is in the lab",
        "document.querySelector('#plan').value === 'drop:3' && document.querySelectorAll('.row .spot').length === 11",
    );
    page.until_lab_is_current();

    // The family, and loops.
    page.tick("#sweep-kinds", &["skip", "repeat", "reverse", "shuffle", "parallel", "loop"]);
    page.set_number("shuffles", 3);
    page.set_number("most rounds", 4);
    page.press_button("Run the sweep");
    page.until_swept("loops");
    assert_drawn(&page, "family", 1.0);
    assert_drawn(&page, "loops", 1.0);
    for (quantity, unit) in [("kl", LN_2), ("diversity", 1.0)] {
        page.choose_by("#plotted", quantity);
        page.until_hash(&format!("plot={quantity}"));
        assert_drawn(&page, "family", unit);
        assert_drawn(&page, "loops", unit);
    }
    page.screenshot("orders-family");
    page.assert_quiet();
}

/// The vote of every part and the losses without it, started on the page, are the command line's numbers. A lens is
/// answered meanwhile, and the sweep before stays.
#[test]
fn every_part_is_left_out_once() {
    let page = Page::orders(1440, 1000, "");
    page.tick("#sweep-kinds", &["drop"]);
    page.tick("#sweep-tasks", &["same"]);
    // As often as too many are typed, the field says how many are run.
    for _ in 0..2 {
        page.set_number("rows per task", 99_999);
        assert_eq!(page.number_typed("rows per task"), "1000");
    }
    page.set_number("rows per task", 8);
    page.press_button("Run the sweep");
    page.until_swept("neighbours");
    page.set_number("rows per task", 16);
    page.browser.click("#run-need");
    page.browser.until(
        "it says how far it is",
        "document.body.textContent.includes('Leaving out every part')",
    );
    page.press_strategy("skip:2");
    page.until_plan("0-2,10-11");
    page.browser.until(
        "it is drawn",
        "!document.querySelector('#cancel-sweep') && document.querySelector('#figure-need .chart svg')",
    );
    page.browser.until_there("#figure-neighbours");
    let report = page.saved(2);
    let words = ["need", "--model", "scholar-12", "--task", "same", "--rows", "16", "--json"];
    let expected = program::report(&words);
    let parts = |report: &Value| report["need"][0]["parts"].as_array().cloned().expect("parts");
    let (found, expected) = (parts(&report), parts(&expected));
    assert!(found.len() == expected.len() && found.len() > 24, "{}", found.len());
    for (a, b) in found.iter().zip(&expected) {
        assert_eq!(a["plan"], b["plan"]);
        for field in ["vote", "loss", "accuracy"] {
            let of = |part: &Value| part[field]["mean"].as_f64().expect("a mean");
            assert!((of(a) - of(b)).abs() < 1e-3, "{} {field}: {a} {b}", a["plan"]);
        }
    }
    page.screenshot("orders-need");
    page.assert_quiet();
}

/// Every mean that a figure holds is one of the report's; `unit` is the figure's, in the report's.
fn assert_drawn(page: &Page, figure: &str, unit: f64) {
    let report = page.saved(1);
    let mut known = Vec::new();
    numbers(&report["orders"], &mut known);
    known.sort_by(f64::total_cmp);
    let held: Value =
        serde_json::from_str(&page.saved_figure(figure, "JSON")).expect("the figure is JSON");
    let rows = held["rows"].as_array().expect("rows");
    assert!(!rows.is_empty());
    for row in rows {
        let x = unit * row[1].as_f64().expect("a mean");
        let near = known.partition_point(|k| *k < x - 1e-5 * x.abs().max(1e-6));
        let known = known.get(near).copied().unwrap_or(f64::NAN);
        assert!(
            (known - x).abs() <= 1e-5 * x.abs().max(1e-6),
            "{figure} holds {x}, which the report lacks"
        );
    }
}

#[test]
fn a_small_model_says_which_orders_it_lacks_and_a_stranger_that_it_cannot_read() {
    let page = Page::orders(1440, 1000, "&model=scholar-2");
    page.until_says(".sweep .hint", "needs at least 3");
    let off = page.browser.run(
        "return [...document.querySelectorAll('#sweep-kinds input:disabled')].map(i => i.parentElement.textContent.trim())",
    );
    assert_eq!(off, serde_json::json!(["reverse", "shuffle", "parallel"]));
    if let Some(folder) = model_folder("tinystories-656k") {
        page.go_to_view("Lens");
        page.until_live();
        page.open_folder(&folder);
        page.until_hash("folder=tinystories-656k");
        page.go_to_view("Orders");
        page.browser
            .until("its row is there", "document.querySelectorAll('.row .spot').length > 1");
        // What it cannot be asked is grey before anything is pressed, with the reason.
        page.until_says("#sweep-tasks .hint", "cannot be asked");
        println!("{}", page.text("#sweep-tasks .hint"));
    }
    page.assert_quiet();
}

/// Names of the tasks whose boxes match.
fn tasks_with(page: &Page, css: &str) -> Value {
    page.browser.run(&format!(
        "return [...document.querySelectorAll('#sweep-tasks input{css}')].map(i => i.parentElement.textContent.trim())"
    ))
}

#[test]
fn a_real_model_is_offered_plain_english_and_a_scholar_its_own_tasks() {
    let plain = [
        "capitals",
        "opposites",
        "plurals",
        "past",
        "counting",
        "kinds",
        "colours",
        "agreement",
        "who",
    ];
    let Some(model) = real_model() else { return };
    let page = Page::orders(1440, 1000, "");
    page.until_says("#sweep-tasks .hint", "scholar-12 cannot be asked these tasks");
    assert_eq!(tasks_with(&page, ":disabled"), serde_json::json!(plain));
    assert_eq!(tasks_with(&page, ":checked"), serde_json::json!(["sum"]));

    // The first press on a real model is not an error: what it cannot be asked is grey.
    page.open_file(&model);
    page.browser.until_count(".row .spot", 30);
    page.until_lab_is_current();
    page.until_says("#sweep-own", "Try this plan on 67 rows of capitals");
    assert_eq!(tasks_with(&page, ":checked"), serde_json::json!(["capitals"]));
    let off = tasks_with(&page, ":disabled").to_string();
    assert!(off.contains("\"sum\"") && !plain.iter().any(|task| off.contains(task)), "{off}");
    page.until_says("#sweep-tasks .hint", "cannot be asked");
    println!("{}", page.text("#sweep-tasks .hint"));

    page.tick("#sweep-tasks", &["agreement"]);
    page.tick("#sweep-kinds", &["drop"]);
    page.set_number("rows per task", 1);
    page.screenshot("orders-plain-tasks");
    page.press_button("Run the sweep");
    page.until_swept("neighbours");
    page.until_says(".sweeps .provenance", "of “agreement”");
    page.assert_quiet();

    // Coupling offers the same.
    page.go_to_view("Coupling");
    page.browser.until(
        "the task is capitals, and sum is grey",
        "document.querySelector('#coupling-task')?.value === 'capitals' && document.querySelector('#coupling-task option[value=sum]').disabled",
    );
    page.assert_quiet();
}

#[test]
fn everyone_can_use_the_page_of_orders() {
    for (width, height, schemes) in LOOKS {
        let page = Page::orders(width, height, "&plan=0-2,(3-5)x2,7m,6,8-11");
        page.tick("#sweep-kinds", &EVERY_KIND);
        page.tick("#sweep-tasks", &["same"]);
        page.set_number("rows per task", 16);
        page.set_number("shuffles", 2);
        page.set_number("most rounds", 6);
        page.press_button("Run the sweep");
        page.until_swept("loops");
        for &scheme in schemes {
            page.browser.prefer(scheme);
            page.until_theme(scheme);
            page.assert_look("the lab", width, scheme);
            // Tiles of one width, however many rows they take; what runs side by side takes two columns.
            let spread = "(w => Math.max(...w) - Math.min(...w) <= 1)([...document.querySelectorAll('.spot:not(.group)')].map(e => e.offsetWidth))";
            assert_eq!(page.browser.text(spread), "true");
            page.screenshot(&format!("orders-{width}-{scheme}"));
        }
        page.assert_quiet();
    }
}

#[test]
fn the_papers_questions_are_a_lesson_a_click_away() {
    let page = Page::orders(1440, 1000, "");
    page.choose("scholar-4");
    page.browser.until(
        "the link keeps the model",
        "document.querySelector('#paper-questions a').href.includes('model=scholar-4')",
    );
    page.browser.click("#paper-questions a");
    page.until_says("#lesson-title", "What painters do");
    page.assert_quiet();
}

#[test]
fn what_was_undone_on_one_model_is_not_brought_to_another() {
    let page = Page::orders(1440, 1000, "");
    page.press_strategy("reverse:2");
    page.until_plan("0-2,9-3,10-11");
    let undo = "[...document.querySelectorAll('button')].find(b => b.textContent === 'Undo')";
    page.browser.until("it can be undone", &format!("!{undo}.disabled"));
    page.choose("scholar-4");
    page.browser.until("there is nothing to undo", &format!("{undo}.disabled"));
}
