//! One page: what outlives a change of view, what a link and going back restore, and the clicks that
//! a newcomer's tasks take.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::model_folder;
use crate::driver::{ENTER, TAB};
use crate::page::{Page, root};
use crate::program;

impl Page {
    /// Opens a view by its name in the head.
    fn view(&self, name: &str) {
        self.press_text("[aria-label=Views] a", name);
        self.until_view(name);
    }

    fn forward(&self) {
        self.browser.run("history.forward()");
    }

    /// Waits until the view of this name is open.
    pub fn until_view(&self, name: &str) {
        self.browser.until(
            &format!("the view is {name}"),
            &format!(
                "document.querySelector('[aria-label=Views] [aria-current]')?.textContent === {}",
                Value::from(name)
            ),
        );
    }

    fn sent_of(&self, ending: &str) -> usize {
        let sent = self.server.sent();
        sent.iter().filter(|sent| sent.path.ends_with(ending)).count()
    }
}

#[test]
fn model_prompt_plan_and_sweep_outlive_every_view_and_back_restores_each() {
    let page = Page::live();
    page.choose("scholar-8");
    page.browser.click(".examples button:nth-of-type(3)");
    page.until_settled();
    page.browser.type_into("#plan", "0-5,7");
    page.browser.until_count("#component option", 15);
    page.until_settled();
    let (prompt, picture) = (page.prompt(), page.picture());

    page.view("Orders");
    page.until_lab();
    page.tick("#sweep-kinds", &["drop", "swap", "skip", "shuffle", "loop"]);
    page.set_number("rows per task", 1000);
    page.press_button("Run the sweep");
    page.browser.until_there("#cancel-sweep");
    page.view("Survey");
    page.browser
        .until("the survey is drawn", "document.querySelectorAll('.figure .chart svg').length > 2");
    page.view("Theory");
    page.browser.until_count(".theorem .chart svg", 9);
    page.view("Lens");
    page.until_live();
    page.until_settled();
    assert_eq!((page.prompt(), page.picture()), (prompt.clone(), picture.clone()));
    assert_eq!(page.browser.value("#plan"), "0-5,7");
    assert_eq!(page.text(".model-name"), "scholar-8");
    page.view("Orders");
    page.browser.until_there("#cancel-sweep");
    // One worker, and each model fetched once.
    assert_eq!(page.sent_of("worker_bg.wasm"), 1);
    assert_eq!(page.sent_of("scholar-8/model.safetensors"), 1);

    for name in ["Lens", "Theory", "Survey", "Orders", "Lens"] {
        page.back();
        page.until_view(name);
    }
    page.until_live();
    page.until_settled();
    assert_eq!((page.prompt(), page.picture()), (prompt, picture));
    page.forward();
    page.until_view("Orders");
    page.browser.until(
        "what is swept is as it was",
        "[...document.querySelectorAll('#sweep-kinds input:checked')].length === 5",
    );
    page.cancel_sweep();
    assert_eq!(page.sent_of("worker_bg.wasm"), 1);
    page.assert_quiet();
}

#[test]
fn back_undoes_a_step_and_not_an_edit() {
    let page = Page::live();
    let first = page.prompt();
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_settled();
    let second = page.prompt();
    page.choose("scholar-2");
    page.back();
    page.until_says(".provenance", "Computed here by scholar-12 ");
    page.until_settled();
    assert_eq!(page.prompt(), second);
    page.back();
    page.browser.until(
        "the first prompt is there",
        &format!("document.querySelector('#prompt').value === {}", Value::from(first)),
    );
    page.until_settled();
    page.forward();
    page.browser.until(
        "the second prompt is there",
        &format!("document.querySelector('#prompt').value === {}", Value::from(second)),
    );
    page.assert_quiet();
}

#[test]
fn every_setting_of_a_survey_and_of_a_theorem_is_in_the_address() {
    let page = Page::new(1440, 1000);
    page.open("#view=survey");
    page.browser.until_count(".mean", 50);
    page.press_text(".cells label", "bias");
    page.browser.run(
        "[...document.querySelectorAll('.of-tasks input')].find(i => i.value === 'sum').click()",
    );
    page.browser.until(
        "both are in the address",
        "location.hash.includes('mean=bias') && location.hash.includes('without-task=sum')",
    );
    let table = page.text(".means");
    page.browser.reload();
    page.browser.until_count(".mean", 45);
    assert_eq!(page.text(".means"), table);

    page.view("Theory");
    page.browser.until_count(".theorem .chart svg", 9);
    page.browser.run(
        "const c = document.querySelector('.knob input[type=range]'); c.value = '0.35'; c.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    page.browser.until("the control is in the address", "/knob[1-8]=0.35/.test(location.hash)");
    let title = "document.querySelector('.knob input[type=range]').closest('section').querySelector('.figure h3').textContent";
    let said = page.browser.text(title);
    page.browser.reload();
    page.browser.until(
        "the picture is that of the control",
        &format!(
            "document.querySelectorAll('.theorem .chart svg').length === 9 && {title} === {}",
            Value::from(said)
        ),
    );
    page.assert_quiet();
}

#[test]
fn a_burst_of_typing_is_one_address() {
    let page = Page::live();
    page.until_settled();
    page.browser.run_async(
        "const done = arguments[0];
         window.addresses = [];
         for (const name of ['replaceState', 'pushState']) {
           const own = history[name];
           history[name] = (...all) => { window.addresses.push(String(all[2])); return own.apply(history, all); };
         }
         const field = document.querySelector('#prompt');
         (async () => {
           for (const letter of ' and more') {
             field.value += letter;
             field.dispatchEvent(new Event('input', { bubbles: true }));
             await new Promise(resolve => setTimeout(resolve));
           }
           done(null);
         })();",
    );
    page.browser.until("the address has the prompt", "/and.{1,3}more/.test(location.hash)");
    let addresses = page.browser.run("return window.addresses");
    assert_eq!(addresses.as_array().map(Vec::len), Some(1), "{addresses:#}");

    // Going back from a step that follows at once leads to what was typed.
    page.browser.run(
        "const field = document.querySelector('#prompt');
         field.value += ' still';
         field.dispatchEvent(new Event('input', { bubbles: true }));
         queueMicrotask(() => document.querySelector('.examples button:nth-of-type(2)').click());",
    );
    page.browser.until(
        "the example is there",
        "!/still/.test(location.hash) && !/more/.test(location.hash)",
    );
    page.back();
    page.browser.until("what was typed is there", "/more.{1,3}still/.test(location.hash)");
    assert!(page.prompt().ends_with("and more still"), "{}", page.prompt());
    page.assert_quiet();
}

#[test]
fn the_way_to_the_picture_changes_no_view() {
    let page = Page::new(1440, 1000);
    page.open("#view=theory&of=scholar-2");
    page.browser.until_count(".theorem", 9);
    let before = page.hash();
    page.browser.focus(".skip");
    page.browser.keys(ENTER);
    page.browser.until("the focus is there", "document.activeElement.id === 'main'");
    assert_eq!(page.hash(), before);
    // Nor does it where it stands in an address.
    page.browser.run("location.hash = '#main'");
    std::thread::sleep(std::time::Duration::from_millis(300));
    page.until_view("Theory");
    page.browser.keys(TAB);
    page.assert_quiet();
}

#[test]
fn a_report_of_another_model_is_answered_by_that_model() {
    let page = Page::live();
    page.choose("scholar-2");
    page.open_file(&root().join("public/examples/first.atelier.json"));
    page.until_says(".provenance", "From a report: scholar-12");
    assert_eq!(page.text(".model-name"), "scholar-12");
    // The next run is that model's, not the one's that was there before.
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_says(".provenance", "Computed here by scholar-12 ");
    page.until_settled();
    assert_eq!(page.report()["model"]["name"], "scholar-12");
    page.assert_quiet();
}

#[test]
fn a_link_to_another_folder_is_not_answered_by_the_one_that_is_open() {
    let Some(folder) = model_folder("tinystories-656k") else { return };
    let page = Page::live();
    page.open_folder(&folder);
    page.until_hash("folder=tinystories-656k");
    page.browser.run("location.hash = location.hash.replace('tinystories-656k', 'another-model')");
    page.until_says(".of-model", "made with the model “another-model”");
    page.browser.click(".examples button:nth-of-type(1)");
    page.until_says(".provenance", "Computed here by scholar-12 ");
    page.assert_quiet();
}

#[test]
fn a_check_during_the_first_load_leaves_it_alone() {
    let page = Page::new(1440, 1000);
    page.server.hold(Some("model.safetensors"));
    page.open("");
    page.browser.until_there("#cancel");
    page.open_bar();
    assert_eq!(
        page.browser
            .run("const b = document.querySelector('#compare'); b.click(); return b.disabled"),
        Value::Bool(true)
    );
    page.server.hold(None);
    page.until_live();
    page.assert_quiet();
}

#[test]
fn a_cancelled_sweep_that_waited_never_starts() {
    let page = Page::new(1440, 1000);
    page.server.hold(Some("model.safetensors"));
    page.open("#view=orders");
    page.browser.until_there("#cancel");
    page.press_button("Run the sweep");
    page.browser.click("#cancel");
    page.browser.until_gone("#cancel");
    page.server.hold(None);
    page.view("Lens");
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_says(".provenance", "Computed here");
    page.view("Orders");
    page.until_lab();
    assert_eq!(page.browser.count("#cancel-sweep, .own-orders, #figure-neighbours"), 0);
    page.assert_quiet();
}

#[test]
fn words_nobody_taught_the_model_are_marked() {
    let page = Page::live();
    page.focus_prompt();
    page.browser.keys(" xylophone");
    page.until_says(".strangers", "“xylophone”");
    let strangers = page.browser.texts(".token.stranger");
    assert_eq!(strangers.iter().map(|text| text.trim()).collect::<Vec<_>>(), ["xylophone"]);
    let words = page.text(".strangers");
    assert!(words.chars().any(|c| c.is_ascii_digit()), "how many words it knows: {words}");
    // Two options that are the same to the model are named.
    page.browser.run(
        "for (const i of document.querySelectorAll('.option-text')) { i.value = i === document.querySelector('.option-text') ? ' qwert' : ' zuiop'; i.dispatchEvent(new Event('input', { bubbles: true })); }",
    );
    page.until_says(".of-prompt", "qwert");
    page.until_says(".of-prompt", "zuiop");
    println!("{}", page.text(".of-prompt"));
    page.assert_quiet();
}

#[test]
fn a_line_that_is_no_plan_is_answered_with_the_notation() {
    let page = Page::live();
    page.browser.type_into("#plan", "skip 5");
    page.until_says("#plan-error", "`skip 5` is not a plan: name one of `skip:s`");
    assert_eq!(page.browser.count("#component option"), 25, "nothing ran");
    page.browser.clear("#plan");
    page.browser.type_into("#plan", "drop:5");
    page.browser.until_count("#component option", 23);
    page.until_settled();
    page.assert_quiet();
}

#[test]
fn your_own_order_is_tried_on_many_rows() {
    let page = Page::orders(1440, 1000, "&plan=0-5,8-11");
    page.browser.until("it can be tried", "!document.querySelector('#sweep-own').disabled");
    page.browser.click("#sweep-own");
    page.until_says(".own-orders caption", "This plan on rows of sum");
    page.until_says("[role=status]", "sweep is done");
    let report = page.saved(1);
    let orders = &report["orders"][0];
    assert_eq!(orders["rows"], 200);
    assert_eq!(orders["variants"][0]["plan"], "0-5,8-11");
    let accuracy = orders["variants"][0]["measures"]["accuracy"]["mean"].as_f64().expect("a mean");
    let said = page.text(".own-orders tbody tr:nth-child(2)");
    assert!(said.contains(&format!("{:.1}\u{a0}%", 100.0 * accuracy)), "{accuracy} in {said}");
    page.assert_quiet();
}

/// Clicks that a newcomer's tasks take; typing is no click. Beside them the clicks that they took when every view
/// was a page of sections (commit 06ad6b4, counted from its code): a prompt's right answer stayed and was not asked
/// for, and a plan had to be typed in its notation.
#[test]
fn a_newcomers_tasks_take_few_clicks() {
    let page = Page::live();
    let mut clicks: Vec<(&str, usize, usize)> = Vec::new();
    // Counted by the browser, so that none is forgotten here.
    page.browser.run("window.clicked = 0; addEventListener('click', e => { if (e.detail > 0 && !e.target.closest('label input')) window.clicked++; }, true)");
    let taken = || {
        let n = page.browser.run("const n = window.clicked; window.clicked = 0; return n");
        usize::try_from(n.as_u64().expect("a count")).expect("few")
    };

    // A prompt of one's own.
    page.browser.click("#prompt");
    page.browser.run("document.querySelector('#prompt').select()");
    page.browser.keys("Ann says that the film is good. So it is");
    page.until_says(".tokens", "film");
    page.until_says(".identity", "MSE");
    page.until_settled();
    clicks.push(("own prompt", 1, taken()));

    // Leave out a layer.
    page.browser.click("#plan");
    page.browser.keys("drop:5");
    page.browser.until_count("#component option", 23);
    page.until_settled();
    clicks.push(("leave out a layer", 1, taken()));

    // Shuffle the middle.
    page.go_to_view("Orders");
    page.until_lab();
    page.browser.run("[...document.querySelectorAll('.strategy')].find(b => b.textContent.startsWith('Shuffle the middle')).setAttribute('data-this', '')");
    page.browser.click("[data-this]");
    page.until_hash("plan=");
    page.until_lab_is_current();
    clicks.push(("shuffle the middle", 2, taken()));

    // Two blocks against twelve.
    page.go_to_view("Lens");
    page.until_live();
    page.show_models();
    page.press_model("scholar-2");
    page.until_says(".provenance", "Computed here by scholar-2 ");
    page.until_settled();
    clicks.push(("2 against 12 blocks", 3, taken()));

    // A link, and a picture.
    page.browser.run("[...document.querySelectorAll('.keep > button')].find(b => /link/i.test(b.textContent)).setAttribute('data-copies', '')");
    page.browser.click("[data-copies]");
    clicks.push(("a link", 1, taken()));
    page.saved_figure("votes", "PNG");
    clicks.push(("a picture", 1, taken()));
    for (task, before, clicks) in &clicks {
        say!("{task}: {clicks} clicks (was {before})");
        assert!(*clicks <= 3, "{task} took {clicks} clicks");
    }
}

/// Reports of every kind, as they were made before there was one page.
#[test]
fn every_kind_of_report_opens_in_its_own_view() {
    let folder = tempfile::tempdir().expect("a folder");
    let sweep = folder.path().join("sweep.atelier.json");
    let out = sweep.display().to_string();
    let words = ["orders", "--model", "scholar-4", "--task", "topic", "--strategy", "drop"];
    program::printed(&[&words[..], &["--rows", "8", "--out", &out]].concat());
    let page = Page::live();
    let open = |path: PathBuf| {
        // Views of reports have a button of their own.
        if page.browser.count("#report") > 0 {
            page.browser.type_into("#report", &path.display().to_string());
        } else {
            page.open_file(&path);
        }
    };
    open(root().join("public/examples/survey.atelier.json"));
    page.until_view("Survey");
    page.browser.until_count(".opened li", 2);
    open(root().join("public/examples/first.atelier.json"));
    page.until_view("Lens");
    page.until_says(".provenance", "From a report: ");
    open(sweep);
    page.until_view("Orders");
    page.until_says(".sweeps .provenance", "From a report: scholar-4");
    page.until_figure("neighbours");
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, json!({ "name": "x" }).to_string()).expect("written");
    open(broken);
    page.until_says(".of-model", "broken.json cannot be shown: it is no atelier report");
    page.assert_quiet();
}
