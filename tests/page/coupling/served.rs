//! Couplings that `atelier open` serves.

use crate::opening::Opening;
use crate::page::Page;
use crate::program;

/// The address's settings of a coupling count before those of its report.
#[test]
fn a_served_coupling_comes_back_as_it_was_left() {
    let page = Page::new(1440, 1000);
    let home = tempfile::tempdir().expect("a folder");
    let place = |name: &str| home.path().join(name).display().to_string();
    let couple = |words: &[&str], out: &str| {
        let first = ["coupling", "--engine", "cpu", "--out", out];
        program::printed(&[&first[..], words].concat());
    };
    let one = place("one.atelier.json");
    couple(&["--model", "scholar-4", "--prompt", "1 + 2 ="], &one);
    let opening = Opening::of(&[&one]);
    page.go_to(&opening);
    let is_from_report = || {
        page.until_says(".bar .provenance", "From a report: scholar-4");
        page.until_mapped();
    };
    is_from_report();
    page.choose_by("#pair-jacobian", "3");
    page.choose_by("#pair-basis", "1");
    page.until_hash("pair=3,1");
    page.browser.click("#film-on");
    page.until_hash("frame=0");
    page.browser.reload();
    is_from_report();
    for (css, chosen) in [("#pair-jacobian", "3"), ("#pair-basis", "1")] {
        page.browser.until(
            "the pair is looked at again",
            &format!("document.querySelector('{css}')?.value === '{chosen}'"),
        );
    }
    page.until_says(".film output", "before the first step");
    // Another prompt is the reader's, and so it stays.
    page.browser.clear("#prompt");
    page.browser.type_into("#prompt", "2 + 2 =");
    let is_live = || {
        page.until_says(".bar .provenance", "Computed here by scholar-4 ");
        page.until_settled();
        assert_eq!(page.prompt(), "2 + 2 =");
    };
    is_live();
    page.browser.reload();
    is_live();

    // Several models are there, whatever the link shows first.
    let many = place("many.atelier.json");
    couple(&["--models", "scholar-2,scholar-4", "--prompt", "1 + 2 ="], &many);
    let opening = Opening::of(&[&many]);
    page.browser.go(&format!("{}#view=orders", opening.url));
    page.browser.until(
        "Orders is open",
        "document.querySelector('[aria-label=Views] [aria-current]')?.textContent === 'Orders' && document.querySelector('#sweep-kinds')",
    );
    page.browser.click("[aria-label=Views] a[href*=\"view=coupling\"]");
    page.until_says("#models-title ~ .provenance", "scholar-2, scholar-4");
}
