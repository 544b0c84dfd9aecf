//! The question at the top of every view: the prompt edited where it stands, and the first figure below it.

use serde_json::json;

use crate::common::real_model;
use crate::page::Page;

/// Lines of the prompt's field and of the layer that marks its tokens, and whether the field shows all of its text.
const LINES: &str = "
    const field = document.querySelector('#prompt');
    const size = parseFloat(getComputedStyle(field).lineHeight);
    const copy = field.cloneNode();
    copy.removeAttribute('id');
    copy.value = field.value;
    field.after(copy);
    copy.style.height = '0';
    copy.style.padding = '0';
    const own = Math.round(copy.scrollHeight / size);
    copy.remove();
    const range = document.createRange();
    range.selectNodeContents(document.querySelector('.tokens > [aria-hidden]'));
    const tops = [...range.getClientRects()].map(rect => Math.round(rect.top + rect.height / 2));
    const lines = new Set(tops.map(top => Math.round((top - Math.min(...tops)) / size)));
    return [own, Math.max(...lines) + 1, field.scrollHeight <= field.clientHeight];";

impl Page {
    /// Puts the cursor at the end of the prompt.
    pub fn focus_prompt(&self) {
        self.browser.click("#prompt");
        self.browser.run(
            "const t = document.querySelector('#prompt'); t.setSelectionRange(t.value.length, t.value.length)",
        );
    }

    /// The texts of the marked tokens.
    fn marked(&self) -> Vec<String> {
        self.browser.texts(".token")
    }
}

/// The upper edge of the heading of every view's first figure, in pixels of the window.
#[test]
fn the_first_figure_begins_on_the_first_screen() {
    for (width, height, bound) in [(1440, 900, 420.0), (390, 844, 760.0)] {
        for view in ["lens", "logit-lens", "attention", "orders", "coupling", "survey"] {
            let page = Page::new(width, height);
            page.open(&format!("#view={view}"));
            // In Orders that figure is the row of tiles.
            let heading = match view {
                "orders" => {
                    "document.querySelector('.tiles-frame') && document.querySelector('#order-title')"
                }
                _ => "document.querySelector('main :is(.figure h3, .tiles-frame)')",
            };
            page.browser.until(
                "the first figure is drawn",
                &format!("!document.querySelector('.drawn') && {heading}"),
            );
            if view != "survey" {
                page.until_says(".provenance", "Computed here");
            }
            page.until_settled();
            let top = page.browser.number(&format!("({heading}).getBoundingClientRect().top"));
            say!(
                "{view} at {width} px: the first figure's heading is at y = {top:.0} (at most {bound})"
            );
            assert!(top <= bound, "{view} at {width} px: {top}");
            page.screenshot_of_window(&format!("first-{view}-{width}"));
        }
    }
}

/// The caption of the Lens's first figure, and the equation with what its numbers are, in a desk's window.
const ENDS: &str = "
    const bottom = css => Math.max(...[...document.querySelectorAll(css)].map(e => e.getBoundingClientRect().bottom));
    return ['#figure-votes figcaption p', '.identity .term-number', '.identity .meaning'].map(bottom);";

#[test]
fn the_lens_says_its_first_numbers_on_the_first_screen() {
    let hold = |page: &Page, what: &str| {
        page.until_settled();
        page.browser.run("scrollTo(0, 0)");
        let ends = page.browser.run(ENDS);
        let [caption, numbers, meanings] = [0, 1, 2].map(|i| ends[i].as_f64().expect("pixels"));
        say!(
            "{what}: caption ends at y = {caption:.0}, numbers at {numbers:.0}, their words at {meanings:.0} of 900"
        );
        assert!(caption <= 900.0 && numbers <= 900.0 && meanings <= 900.0, "{what}: {ends}");
    };
    let page = Page::new(1440, 900);
    page.open_live();
    hold(&page, "scholar-12");
    page.open_plain();
    page.until_drawn();
    hold(&page, "the first picture");
    let Some(model) = real_model() else { return };
    page.browser.type_into("#own-file", &model.display().to_string());
    page.until_says(".provenance", "Computed here by ");
    hold(&page, "SmolLM2, live");
    page.screenshot_of_window("first-lens-smollm2");
}

#[test]
fn tokens_are_marked_in_the_prompt_itself() {
    let page = Page::live();
    page.until_settled();
    let report = page.report();
    let tokens: Vec<String> =
        serde_json::from_value(report["lens"]["tokens"].clone()).expect("texts");
    // The first stands for no text of the prompt.
    assert_eq!(tokens[0], "<bos>");
    assert_eq!(page.marked(), tokens[1..]);
    assert_eq!(page.text(".tokens > [aria-hidden]").replace('\u{200b}', ""), page.prompt());
    assert!(page.text(".gap").contains('A'), "{}", page.text(".gap"));

    // Marks of another text would be wrong: there are none until the run of this one has come.
    page.focus_prompt();
    let after_a_letter = page.browser.run_async(
        "const done = arguments[0], field = document.querySelector('#prompt');
         field.value = field.value.replace('horse', 'dog');
         field.dispatchEvent(new Event('input', { bubbles: true }));
         requestAnimationFrame(() => done([
           document.querySelectorAll('.token').length,
           getComputedStyle(document.querySelector('.gap')).visibility,
           getComputedStyle(document.querySelector('.shares')).visibility,
         ]))",
    );
    assert_eq!(after_a_letter, json!([0, "hidden", "hidden"]));
    page.until_settled();
    page.browser.until("the marks are there", "document.querySelectorAll('.token').length > 5");
    assert!(page.marked().contains(&" dog".to_owned()), "{:?}", page.marked());

    // Spaces are shown where somebody asks for them.
    let spaces = page.prompt().matches(' ').count() + 4;
    page.browser.click(".question-more");
    page.browser.click("#show-spaces");
    page.browser.until_count(".white", spaces);
    page.assert_accessible("the question with its fold open");
    page.assert_quiet();
}

/// The layer breaks its lines where the field does, whatever stands in it.
#[test]
fn the_marks_lie_below_their_words() {
    let long = "We see horse A, hat B and axe C. ".repeat(40);
    let word = "unbreakable".repeat(30);
    for width in [1440, 390] {
        let page = Page::new(width, 900);
        page.open_live();
        for text in [
            "",
            "short",
            long.as_str(),
            word.as_str(),
            "two\nlines",
            "ends in a break\n",
            "two   spaces  and office affix fjord, AVATAR To. \u{201c}Wörter\u{201d} 日本語の文",
        ] {
            page.set_prompt(text);
            page.browser.run_async("requestAnimationFrame(() => arguments[0]())");
            let lines = page.browser.run(LINES);
            assert_eq!(lines[0], lines[1], "{width} px: {text:?}");
            assert_eq!(lines[2], true, "{width} px: {text:?} is cut");
        }
    }
}

#[test]
fn the_prompt_is_typed_pasted_composed_and_undone() {
    let page = Page::live();
    let first = page.prompt();
    page.focus_prompt();
    let compose = |command: &str, text: &str| {
        let params = match command {
            "Input.imeSetComposition" => {
                json!({ "text": text, "selectionStart": text.len(), "selectionEnd": text.len() })
            }
            _ => json!({ "text": text }),
        };
        page.browser.devtools(command, &params);
    };

    // A word that is being composed is drawn anew at every step, and loses nothing by it.
    for part in ["n", "ni", "nih"] {
        compose("Input.imeSetComposition", part);
    }
    compose("Input.insertText", "日本");
    assert_eq!(page.prompt(), format!("{first}日本"));
    page.browser.run("document.execCommand('insertText', false, ' pasted\\ntext')");
    assert_eq!(page.prompt(), format!("{first}日本 pasted\ntext"));
    page.until_settled();

    // What ran meanwhile leaves the field's own history alone.
    page.browser.run("document.execCommand('undo')");
    assert_eq!(page.prompt(), format!("{first}日本"));
    page.browser.run("document.execCommand('undo')");
    assert_eq!(page.prompt(), first);

    // Shift and Enter break the line, Enter alone does not.
    page.focus_prompt();
    page.browser.type_into("#prompt", "\u{E008}\u{E007}\u{E008}");
    page.browser.type_into("#prompt", "\u{E007}");
    assert_eq!(page.prompt(), format!("{first}\n"));
    page.until_settled();
}

/// Before the model has run there are no numbers, not zeros.
#[test]
fn numbers_come_with_the_run() {
    let page = Page::new(1440, 900);
    page.server.hold(Some("model.safetensors"));
    page.open("#prompt=The+film+is+bad.+So+it+is&option=+bad&option=+good&answer=0");
    page.browser.until(
        "the program has drawn the options",
        "!document.querySelector('.drawn') && document.querySelector('.option-text')",
    );
    let counts = "['.shares', '.bar-of', '.gap', '.token', '.says-first'].map(css => document.querySelectorAll(css).length).join()";
    assert_eq!(page.browser.text(counts), "0,0,0,0,0");
    page.server.hold(None);
    page.until_live();
    page.until_settled();
    assert!(page.text(".shares").contains("rank 1"), "{}", page.text(".shares"));
    // The field is as wide as its text.
    page.browser.type_into(".option-text", "ness");
    page.browser.until(
        "the field has grown with its text",
        "(e => e.scrollWidth <= e.clientWidth + 1)(document.querySelector('.option-text'))",
    );
}
