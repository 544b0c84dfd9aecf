//! The lens: its first picture, what changes it, and what keeps it.

use serde_json::Value;

use crate::common::model_folder;
use crate::driver::{DOWN, ENTER, RIGHT, TAB};
use crate::page::{LOOKS, Page, picture_file, root};
use crate::program;

/// The most that may be sent before the page's program has drawn, a tenth above what is printed, and in all with
/// one scholar. One program serves all views.
const DRAWN: usize = 1_450_000;
const IN_ALL: usize = 4_250_000;

#[test]
fn the_first_picture_is_there_before_any_weight() {
    let page = Page::new(1440, 1000);
    // The worker is asked for when the picture is drawn; what it brings is not part of the picture.
    page.server.hold(Some("worker_loader.js"));
    page.open_plain();
    page.until_drawn();
    page.until_says(".provenance", "not running here");
    let weights = page.server.sent().iter().any(|sent| sent.path.ends_with(".safetensors"));
    assert!(!weights, "weights were sent before the first picture");
    let first = page.sent_bytes();
    page.screenshot("first-picture");
    page.server.hold(None);
    page.browser.click("#try-live");
    page.until_live();
    let all = page.sent_bytes();
    for sent in page.server.sent() {
        println!("{:>9} bytes  {}", sent.bytes, sent.path);
    }
    say!(
        "sent, compressed: {first} bytes before the program has drawn (at most {DRAWN}), {all} in all (at most {IN_ALL})"
    );
    assert!(first <= DRAWN && all <= IN_ALL, "{first} and {all} bytes");
    // Hovering adds exact values, in all pictures with these columns, and breaks no rule of the content security policy.
    page.browser.hover(&[page.column_of("running", 2)]);
    page.until_says("#figure-running .tip", "up to");
    page.until_says("#figure-spread .tip", "bias");
    page.screenshot("live");
    page.assert_quiet();
}

#[test]
fn examples_prompts_plans_and_columns_change_the_picture() {
    let page = Page::live();
    let before = page.picture();
    page.browser.click(".examples button:nth-of-type(2)");
    page.browser.until_gone(".late");
    page.until_settled();
    let example = page.picture();
    assert_ne!(before, example);

    // The prompt, by typing.
    page.browser.click(".examples button:nth-of-type(1)");
    page.until_settled();
    let tokens = page.text(".tokens");
    page.browser.run("const t = document.querySelector('#prompt'); t.focus(); t.setSelectionRange(0, t.value.indexOf(' ') + 1);");
    page.browser.keys("\u{E017}");
    page.browser.until(
        "the new prompt ran",
        &format!("document.querySelector('.tokens').textContent !== {}", Value::from(tokens)),
    );
    // The options are what they were, and so is the right one.
    page.until_settled();
    page.until_picture();
    assert!(!page.hash().contains("answer=none"));
    // Which option is right is asked anew where one changes: until then nothing is measured from it.
    page.browser.run("const o = document.querySelector('.option-text'); o.focus(); o.setSelectionRange(1, o.value.length);");
    page.browser.keys("horse");
    page.until_says(".judging", "Which option is right?");
    assert_eq!(page.browser.count("#figure-votes, .identity"), 0);
    page.until_hash("answer=none");
    // The run that is there was made with the first option: nothing of it is shown as the second one's.
    let seen = page.browser.run_async(
        "const done = arguments[0]; document.querySelector('.judging button:nth-of-type(2)').click(); \
         let wait = Promise.resolve(); for (let i = 0; i < 20; i++) wait = wait.then(() => {}); \
         wait.then(() => done(document.querySelectorAll('#figure-votes, .identity').length))",
    );
    assert_eq!(seen, Value::from(0));
    page.until_settled();
    page.until_picture();

    // The plan, by keyboard alone: wrong first, then right.
    page.browser.focus("#plan");
    page.browser.keys("0-99");
    page.browser.until(
        "the plan's error is said",
        "document.querySelector('#plan-error').textContent.length > 20",
    );
    assert!(page.text("#plan-error").ends_with('.'), "{}", page.text("#plan-error"));
    let components = page.browser.count("#component option");
    page.browser.clear("#plan");
    page.browser.type_into("#plan", "0,1,1,0-1");
    page.browser.until_count("#component option", 11);
    assert_ne!(components, 11);
    page.until_settled();
    page.browser.keys(TAB);
    page.browser.keys(" ");
    page.browser.until_count("#component option", components);

    // The column, by arrow keys.
    page.until_settled();
    let identity = page.text(".identity");
    page.browser.focus("input[name=column][value=probability]");
    page.browser.keys(RIGHT);
    page.until_hash("column=logit");
    assert_ne!(page.text(".identity"), identity);
    page.browser.keys(RIGHT);
    page.until_hash("column=paper");
    assert!(page.text(".identity-note").contains("not one identity"));
    page.screenshot("paper-column");
    page.assert_quiet();
}

/// Returns the command line's text after a prompt; an empty `plan` is the model's own order.
pub fn written(model: &str, prompt: &str, plan: &str, tokens: &str) -> String {
    let mut words = ["generate", "--json", "--model", model, "--prompt", prompt].to_vec();
    words.extend(["--tokens", tokens]);
    if !plan.is_empty() {
        words.extend(["--plan", plan]);
    }
    let written = program::report(&words);
    written["written"].as_str().expect("a text").to_owned()
}

#[test]
fn the_model_goes_on_by_itself_under_the_plan_in_force() {
    let page = Page::live();
    let wrote = |line: &str, prompt: &str, tokens: &str| {
        let model = page.report()["model"]["name"].clone();
        written(model.as_str().expect("a name"), prompt, line, tokens)
    };
    let prompt = page.prompt();
    let go_on = |expected: &str| {
        page.browser.click("#go-on");
        let is_there =
            format!("document.querySelector('.written').textContent === {}", Value::from(expected));
        page.browser.until("the model has written", &is_there);
        page.until_settled();
    };
    let own = wrote("", &prompt, "40");
    go_on(&own);
    // Once more: it goes on with what it wrote.
    let more = wrote("", &format!("{prompt}{own}"), "40");
    go_on(&format!("{own}{more}"));
    // Another order writes something of its own, and what was written before is gone.
    page.browser.type_into("#plan", "0-1,1");
    page.browser.until_count("#component option", 7);
    assert_eq!(page.text(".written"), "");
    go_on(&wrote("0-1,1", &prompt, "40"));
    // Cancelled in the middle it keeps what it wrote.
    page.browser.clear("#plan");
    let long = ["(0-1)x64"; 30].join(",");
    page.browser.type_into("#plan", &long);
    page.until_settled();
    page.browser.click("#go-on");
    // By the page itself: a driver may come when it is over.
    page.browser.run(
        "const look = () => {
           const cancel = document.querySelector('.status.visible #cancel');
           if (document.querySelector('.written').textContent && cancel) {
             window.cancelled = true;
             cancel.click();
           } else requestAnimationFrame(look);
         };
         look();",
    );
    page.browser.until("it is cancelled", "window.cancelled");
    page.until_settled();
    let kept = page.text(".written");
    let all = wrote(&long, &prompt, "40");
    assert!(!kept.is_empty() && all.starts_with(&kept), "{kept}\n{all}");
    page.assert_quiet();
}

#[test]
fn going_on_waits_for_a_model_that_is_on_its_way() {
    let page = Page::new(1440, 1000);
    page.server.hold(Some("model.safetensors"));
    page.open("");
    page.browser.until_there("#cancel");
    page.browser.click("#go-on");
    page.until_says("[role=status]", "The model goes on as soon as it is here.");
    page.server.hold(None);
    page.browser.until(
        "the model has written",
        "document.querySelector('.written')?.textContent.length > 20",
    );
    // And its first picture is there.
    page.until_live();
    page.until_settled();
    let sent = page.server.sent();
    let weights = sent.iter().filter(|sent| sent.path.ends_with("model.safetensors"));
    assert_eq!(weights.count(), 1, "{sent:?}");
    page.assert_quiet();
}

#[test]
fn what_it_says_by_itself_stands_with_its_true_probabilities() {
    let page = Page::live();
    let prompt = page.prompt();
    let words = ["next", "--json", "--model", "scholar-12", "--prompt", &prompt];
    let found = program::report(&words);
    let shares = found["next"].as_array().expect("tokens").iter();
    let shares: Vec<f64> = shares.filter_map(|one| one["probability"].as_f64()).collect();
    page.browser.click(".says");
    page.until_says("#offered", "the options are the five likeliest that can be one");
    page.until_settled();
    let all = page.browser.texts(".options .of-all");
    assert_eq!(all.len(), shares.len());
    for (n, (text, share)) in all.iter().zip(shares).enumerate() {
        assert!(text.ends_with(&format!("rank {}", n + 1)), "{text}");
        let shown = text.split('\u{a0}').next().and_then(|number| number.parse::<f64>().ok());
        assert!(
            shown.is_none_or(|shown| (shown - 100.0 * share).abs() <= 0.051),
            "{text}: {share}"
        );
    }
    // Other options are no longer what it said.
    page.browser.click(".examples button:nth-of-type(2)");
    page.browser.until("it is said no more", "!document.querySelector('#offered').textContent");
    page.assert_quiet();
}

#[test]
fn a_link_restores_the_picture() {
    let page = Page::live();
    page.browser.type_into("#plan", "0-1,1");
    page.browser.until_count("#component option", 7);
    page.browser.click("input[name=column][value=logit]");
    page.until_settled();
    let before = page.picture();
    page.browser.reload();
    page.until_live();
    page.until_settled();
    assert_eq!(page.picture(), before);
    page.assert_quiet();
}

#[test]
fn the_page_and_the_command_line_give_the_same_numbers() {
    let page = Page::live();
    let report = page.report();
    let lens = &report["lens"];
    let native = program::lens(report["model"]["name"].as_str().expect("a name"), lens, &[]);
    let worst = compare(lens, &native["lens"], "lens");
    say!("page and command line differ by at most {worst:.1e} relative");

    // What is drawn is what is reported.
    let mse = lens["probability"]["mse"].as_f64().expect("mse");
    let drawn: f64 = page.text(".identity .mse .term-number").parse().expect("a number");
    assert!((mse - drawn).abs() < 6e-4, "{mse} is drawn as {drawn}");
    page.assert_quiet();
}

/// The largest relative difference of two reports' numbers, which must have the same shape.
pub fn compare(a: &Value, b: &Value, at: &str) -> f64 {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().expect("finite"), y.as_f64().expect("finite"));
            let error = (x - y).abs() / x.abs().max(y.abs()).max(1e-2);
            // `sum_error` is rounding itself.
            if at.ends_with("sum_error") {
                assert!(x < 1e-3 && y < 1e-3, "{at}: {x} and {y}");
                return 0.0;
            }
            assert!(error < 1e-4, "{at}: the page says {x}, the command line {y}");
            error
        }
        // Of numbers that are one thing, those near 0 are no surer than the largest.
        (Value::Array(a), Value::Array(b)) if a.iter().chain(b).all(Value::is_number) => {
            assert_eq!(a.len(), b.len(), "{at}");
            let number = |x: &Value| x.as_f64().expect("finite");
            let most = a.iter().chain(b).map(|x| number(x).abs());
            let floor = most.fold(1e-2, |most: f64, x| most.max(0.1 * x));
            let pairs = a.iter().zip(b).map(|(x, y)| {
                let (x, y) = (number(x), number(y));
                let error = (x - y).abs() / x.abs().max(y.abs()).max(floor);
                assert!(error < 1e-4, "{at}: the page says {x}, the command line {y}");
                error
            });
            pairs.fold(0.0, f64::max)
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            a.iter().zip(b).map(|(a, b)| compare(a, b, at)).fold(0.0, f64::max)
        }
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{at}");
            a.iter().map(|(key, a)| compare(a, &b[key], &format!("{at}.{key}"))).fold(0.0, f64::max)
        }
        _ => {
            assert_eq!(a, b, "{at}");
            0.0
        }
    }
}

#[test]
fn a_folder_on_this_machine_opens() {
    let page = Page::live();
    let random = root().join("tests/models/random-llama2");
    page.open_folder(&random);
    page.until_says(".problem", "tokenizer");
    println!("without a tokenizer the page says: {}", page.text(".problem:not(.empty)"));
    if let Some(folder) = model_folder("tinystories-656k") {
        page.open_folder(&folder);
        page.until_hash("folder=tinystories-656k");
        let fragment = "#folder=tinystories-656k&prompt=Once+upon+a+time,+there+was+a+little+girl+named+Lily.+She+loved+to+play&option=.&option=%21&option=%3F&answer=0";
        page.browser.run(&format!("location.hash = {}", Value::from(fragment)));
        page.until_says(".provenance", "Computed here by tinystories-656k");
        page.until_settled();
        let golden: Value = serde_json::from_str(
            &std::fs::read_to_string(root().join("tests/golden/tinystories-656k-lily.json"))
                .expect("the golden"),
        )
        .expect("JSON");
        let report = page.report();
        for field in ["token_ids", "option_token_ids"] {
            assert_eq!(report["lens"][field], golden[field], "{field}");
        }
        for field in ["member_logits", "logits", "probability", "logit", "paper"] {
            compare(&report["lens"][field], &golden["baseline"][field], field);
        }
        page.screenshot("opened-folder");
    }
    page.assert_quiet();
}

#[test]
fn broken_files_give_a_sentence_and_the_rest_still_works() {
    let page = Page::live();
    let random = root().join("tests/models/random-llama2");
    let folder = tempfile::tempdir().expect("a folder");
    let whole = std::fs::read(random.join("model.safetensors")).expect("a model");
    std::fs::copy(random.join("config.json"), folder.path().join("config.json")).expect("copied");
    std::fs::write(folder.path().join("model.safetensors"), &whole[..whole.len() / 2])
        .expect("written");
    page.open_folder(folder.path());
    page.until_says(".of-model", "model.safetensors");
    println!("of half a file the page says: {}", page.text(".of-model"));
    std::fs::remove_file(folder.path().join("config.json")).expect("removed");
    page.open_folder(folder.path());
    page.until_says(".of-model", "config.json");

    // The picture is still there, and a scholar still runs.
    assert_eq!(page.browser.count(".chart svg"), 3);
    page.choose("scholar-12");
    page.browser.until_gone(".of-model:not(.empty)");

    // Options the tokenizer cannot use.
    page.browser.type_into(".option-text", "xyzzy ? ! .");
    page.until_says(".of-prompt", ".");
    println!("of a bad option the page says: {}", page.text(".of-prompt"));
    page.browser.click(".examples button:nth-of-type(1)");
    page.until_settled();
    page.browser.until_gone(".of-prompt:not(.empty)");
    page.assert_quiet();
}

#[test]
fn loading_can_be_cancelled_and_taken_up_again() {
    let page = Page::new(1440, 1000);
    page.server.hold(Some("model.safetensors"));
    page.open("");
    page.browser.until_there("#cancel");
    page.screenshot("loading");
    page.browser.click("#cancel");
    page.browser.until_gone("#cancel");
    page.until_says("[role=status]", "Stopped");
    page.server.hold(None);
    page.again();
    page.until_live();
    page.assert_quiet();
}

#[test]
fn a_bar_and_the_list_open_their_component() {
    let page = Page::live();
    page.until_pointable();
    // The list begins at the component that the heading names.
    let named = page.text("#figure-votes h3").to_lowercase();
    let first = page.browser.text("document.querySelector('#component').selectedOptions[0].text");
    let name = first.split(':').next().expect("a name").to_lowercase();
    assert!(named.contains(&name), "{first} is not in: {named}");

    // By keys: the list, what it points at, and the link.
    page.browser.run("const s = document.querySelector('#component'); s.focus(); s.value = '0'");
    page.browser.keys(DOWN);
    page.until_says("#figure-votes .tip", "sum so far");
    page.until_says("#open-component", "Open block 0's attention");
    page.browser.keys(TAB);
    page.until_focused("#open-component");
    page.browser.keys(ENTER);
    page.browser.until("its row is shown", "document.querySelector('#member')?.value === '0a'");
    page.back();
    page.until_picture();
    page.until_pointable();

    // A click in the column of the third component, far from its short bar.
    let column = page.column_of("votes", 2);
    page.browser.drag(&[column, column]);
    page.browser.until("its row is shown", "document.querySelector('#member')?.value === '0m'");
    page.assert_quiet();
}

/// Texts of the first figure's drawing that the list of components lies on.
const COVERED: &str = "
    const list = document.querySelector('.votes .component').getBoundingClientRect();
    const texts = [...document.querySelectorAll('#figure-votes .chart svg text')];
    return texts.filter(text => {
      const box = text.getBoundingClientRect();
      return Math.min(box.right, list.right) - Math.max(box.left, list.left) > 0
        && Math.min(box.bottom, list.bottom) - Math.max(box.top, list.top) > 0;
    }).map(text => text.textContent);";

#[test]
fn the_list_of_components_covers_no_text_of_the_picture() {
    // Wide windows have it in the line of the axis' name, others above the picture.
    for width in [1440, 1152, 1140, 390] {
        let page = Page::new(width, 900);
        page.open("#model=scholar-12&plan=0,1,(2-5),6-11");
        page.until_live();
        page.until_pointable();
        page.until_settled();
        assert_eq!(page.browser.run(COVERED), serde_json::json!([]), "{width} px");
        let over = page.over_width();
        assert!(over <= 0, "{width} px: the page is {over} px too wide");
    }
}

/// Texts of drawings that reach beyond their drawing.
const CUT: &str = "
    return [...document.querySelectorAll('.chart svg text')].filter(text => {
      const [box, chart] = [text, text.closest('.chart')].map(e => e.getBoundingClientRect());
      return box.left < chart.left - 1 || box.right > chart.right + 1;
    }).map(text => text.textContent);";

/// Where bars are too narrow for a finger, a tap chooses one and the list holds it.
#[test]
fn on_a_telephone_a_tap_chooses_and_the_list_opens() {
    let page = Page::new(390, 844);
    page.open_live();
    page.until_pointable();
    let column = page.column_of("votes", 2);
    page.browser.drag(&[column, column]);
    page.until_says("#open-component", "Open block 0's MLP");
    assert_eq!(page.browser.value("#component"), "2");
    let small = page.browser.text(
        "[...document.querySelectorAll('#component, #open-component')].filter(e => e.getBoundingClientRect().height < 24).map(e => e.id).join()",
    );
    assert_eq!(small, "", "targets under 24 px");
    // Drawn to the width that there is: no text is scaled down.
    let smallest = page.browser.number(
        "Math.min(...[...document.querySelectorAll('#figure-votes .chart svg text')].map(e => e.getBoundingClientRect().height))",
    );
    assert!(smallest >= 10.0, "a text of {smallest} px");
    assert_eq!(page.browser.run(CUT), serde_json::json!([]), "texts that the figure's edge cuts");
    page.browser.click("#open-component");
    page.browser.until("its row is shown", "document.querySelector('#member')?.value === '0m'");
    page.assert_quiet();
}

#[test]
fn figures_are_saved_as_svg_png_csv_and_json() {
    let page = Page::live();
    let forms = [("SVG", "<svg"), ("PNG", "data:image/png"), ("CSV", "component"), ("JSON", "{\n")];
    for (form, start) in forms {
        let file = page.saved_figure("votes", form);
        assert!(file.starts_with(start), "{form}: {}", &file[..file.len().min(80)]);
        if form == "SVG" {
            let title = page.text("#figure-votes h3");
            let first = title.split(' ').next().expect("a word").to_owned();
            assert!(file.contains(&first), "the drawing carries its sentence: {title}");
            if let Some(path) = picture_file("votes.svg") {
                std::fs::write(path, file).expect("written");
            }
        } else if form == "JSON" {
            let file: serde_json::Value = serde_json::from_str(&file).expect("JSON");
            assert_eq!(file["title"], page.text("#figure-votes h3"));
            assert_eq!(file["rows"].as_array().map(Vec::len), Some(25));
        }
    }
    page.assert_quiet();
}

#[test]
fn everyone_can_use_it() {
    for (width, height, schemes) in LOOKS {
        let page = Page::new(width, height);
        for &scheme in schemes {
            page.browser.prefer(scheme);
            page.open_live();
            page.until_settled();
            assert_eq!(page.browser.text("document.documentElement.dataset.theme"), scheme);
            page.assert_look("the lens", width, scheme);
            page.screenshot(&format!("{width}-{scheme}"));
        }
        page.assert_quiet();
    }
}
