//! `atelier open`: the program serves the page, and what it was given is in it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::page::{Page, copy_model, root, set};
use crate::program;

/// The program, serving; ended when dropped.
pub struct Opening {
    child: Child,
    pub url: String,
    _home: tempfile::TempDir,
}

impl Opening {
    /// With no model at hand.
    pub fn of(words: &[&str]) -> Self {
        Self::beside(Path::new("no-models"), words)
    }

    /// With a models folder.
    pub fn beside(models: &Path, words: &[&str]) -> Self {
        // The page that the tests are of, in a place where the program looks for it.
        let home = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(set("ATELIER_DIST"), home.path().join("dist")).expect("a link");
        let mut child = Command::new(env!("CARGO_BIN_EXE_atelier"))
            .current_dir(home.path())
            .env("ATELIER_MODELS", models)
            .args(["open", "--no-open", "--port", "0"])
            .args(words)
            .stdout(Stdio::piped())
            .spawn()
            .expect("atelier starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        let read = BufReader::new(stdout).read_line(&mut line);
        read.expect("a line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Self { child, url, _home: home }
    }
}

impl Opening {
    /// Where what was opened lies beside the page.
    pub fn opened(&self) -> String {
        let (_, after) = self.url.split_once("=opened/").expect("what was opened");
        let digits = after.get(..16).expect("16 digits");
        format!("opened/{digits}/0/")
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Page {
    pub fn go_to(&self, opening: &Opening) {
        self.browser.go(&opening.url);
    }
}

#[test]
fn a_models_folder_is_read_where_it_lies() {
    let page = Page::new(1440, 1000);
    let home = tempfile::tempdir().expect("a folder");
    // A name that an address has to spell, and a file that is none of the model's.
    let folder = home.path().join("my model & é#1");
    copy_model("scholar-2", &folder);
    std::fs::write(folder.join("notes.json"), "{}").expect("a file");
    let opening = Opening::of(&["--model", &folder.display().to_string()]);
    page.go_to(&opening);
    page.until_says(".provenance", "Computed here by my model & é#1 in ");
    // The folder's name is said to who opens the bar; where it lies stands nowhere on the page.
    page.until_says("#model-from", "my model & é#1");
    let place = folder.canonicalize().expect("it").display().to_string();
    assert!(!page.text("body").contains(&place), "the page shows {place}");
    page.until_settled();
    // What it computes is what the command line computes of the same folder.
    let shown = page.picture();
    assert!(shown.contains('|'), "{shown}");
    let asked = |path: &str| {
        let script =
            format!("const done = arguments[0]; fetch({path:?}).then(r => done(r.status))");
        page.browser.run_async(&script)
    };
    let own = opening.opened() + "my%20model%20%26%20%C3%A9%231/";
    assert_eq!(asked(&format!("{own}config.json")), 200);
    for other in ["notes.json", "..%2Fdist%2Findex.html", "", "%2Fetc%2Fpasswd"] {
        assert_eq!(asked(&format!("{own}{other}")), 404, "{other}");
    }
    // Who does not know the address finds nothing.
    assert_eq!(asked("opened/my%20model%20%26%20%C3%A9%231/config.json"), 404);
    // Back from the first step is the address that names the model and nothing else.
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_says(".look", "Three words of sport");
    page.back();
    page.until_says(".look", "Find the beast, then say its letter");
    page.until_says(".provenance", "Computed here by my model & é#1 in ");
    // The address is the state: read again, it is the same model.
    page.browser.reload();
    page.until_says(".provenance", "Computed here by my model & é#1 in ");
    // Another model is not from there.
    page.choose("scholar-4");
    page.browser.until_gone("#model-from");
}

#[test]
fn reports_of_every_kind_open_where_they_belong() {
    let page = Page::new(1440, 1000);
    let home = tempfile::tempdir().expect("a folder");
    let place = |name: &str| home.path().join(name).display().to_string();
    let lens = place("one & one.atelier.json");
    let question = json!({ "prompt": "1 + 2 =", "options": [" 3", " 4"], "answer": 0 });
    program::lens("scholar-2", &question, &["--out", &lens]);
    let opening = Opening::of(&[&lens]);
    page.go_to(&opening);
    page.until_says(".provenance", "From a report: scholar-2");
    page.until_picture();
    assert_eq!(page.prompt(), "1 + 2 =");

    let orders = place("orders.atelier.json");
    let words = ["orders", "--model", "scholar-2", "--task", "sum", "--strategy", "drop"];
    program::printed(&[&words[..], &["--rows", "8", "--out", &orders]].concat());
    let opening = Opening::of(&[&orders]);
    page.go_to(&opening);
    page.browser.until("Orders is open", "location.hash.includes('view=orders') || document.querySelector('[aria-label=Views] [aria-current]')?.textContent === 'Orders'");

    // Of many prompts: whoever looks elsewhere finds it again.
    let (rows, many) = (place("rows.jsonl"), place("many.atelier.json"));
    program::printed(&["train", "rows", "--task", "mood", "--rows", "3", "--out", &rows]);
    program::printed(&["lens", "--model", "scholar-2", "--prompts", &rows, "--out", &many]);
    let opening = Opening::of(&[&many]);
    page.go_to(&opening);
    page.until_says("#pictures-title", "means of 3 prompts");
    for elsewhere in ["Orders", "Coupling"] {
        page.go_to_view(elsewhere);
        page.browser.until(
            "it is another view",
            "!document.querySelector('#pictures-title')?.textContent.includes('means of')",
        );
        page.go_to_view("Lens");
        page.until_says("#pictures-title", "means of 3 prompts");
        page.until_settled();
        page.until_says("#pictures-title", "means of 3 prompts");
    }

    let survey = root().join("public/examples/survey.atelier.json");
    let opening = Opening::of(&[&survey.display().to_string()]);
    page.go_to(&opening);
    page.until_says(".report-name", "survey.atelier.json");
    page.until_view("Survey");
}

#[test]
fn models_of_other_sites_are_not_fetched() {
    let page = Page::new(1440, 1000);
    for elsewhere in ["https://example.org/model/", "//example.org/m/", "opened/x", "blob:x/"] {
        page.open(&format!("?model={elsewhere}"));
        page.until_says(".problem", "is no model's folder on this site");
    }
    // The page is there all the same.
    page.until_says(".provenance", "not running here");
    page.until_picture();
    page.assert_quiet();
    // One that is of this site and not there is said to be missing.
    page.open("?model=opened/nowhere/");
    page.until_says(".problem", "could not be fetched");
}

#[test]
fn a_page_in_a_folder_is_served_in_place_of_the_programs_own() {
    let pack = tempfile::tempdir().expect("a folder");
    let html = "<!doctype html><meta name=\"atelier-build\" content=\"1\"><p id=\"own\">a pack</p>";
    std::fs::write(pack.path().join("index.html"), html).expect("written");
    std::fs::write(pack.path().join("page_bg.wasm"), "").expect("written");
    let opening = Opening::of(&[&pack.path().display().to_string()]);
    let page = Page::new(1440, 1000);
    page.go_to(&opening);
    page.until_says("#own", "a pack");
}
