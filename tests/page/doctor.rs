//! "What can this machine do?": opened, measured, stopped and saved, beside a lens that is asked meanwhile.

use std::time::Duration;

use atelier::study::doctor::DoctorReport;
use atelier::study::doctor::rates::{MEASUREMENTS, Rates};

use crate::driver::{ENTER, ESCAPE};
use crate::gpu::{DESTROYABLE, LINE, NOTICE};
use crate::page::Page;

/// A software adapter on a busy machine takes its time over every kernel.
const LONG: Duration = Duration::from_secs(300);

const LABEL: &str = "document.querySelector('#doctor-measure')?.textContent";

impl Page {
    /// Opens the dialog from the bar, by keyboard.
    pub fn open_doctor(&self) {
        self.open_bar();
        self.browser.focus("#doctor-open");
        self.browser.keys(ENTER);
        self.browser.until(
            "the dialog is open, and the way to begin in focus",
            "document.querySelector('#doctor').open && document.activeElement.id === 'doctor-measure'",
        );
    }

    /// Presses the one button, which has the focus.
    pub fn press_measure(&self, was: &str) {
        assert_eq!(self.browser.text(LABEL), was);
        self.browser.keys(ENTER);
    }

    pub fn until_measured(&self) {
        self.browser.until_within(LONG, "it is measured", &format!("{LABEL} === 'Again'"));
    }

    /// A step is told as a sentence.
    fn until_step(&self, words: &str) {
        let css = "document.querySelector('#doctor-step')?.textContent";
        let step = format!("{css}?.includes('{words}')");
        self.browser.until_within(LONG, words, &step);
    }

    /// Saves the findings, and reads them as a report of the command line's.
    fn saved_findings(&self) -> DoctorReport {
        self.catch_files();
        self.browser.click("#doctor-save");
        let text = self.caught();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    fn rows_of_kernels(&self) -> (u64, u64) {
        let count = |more: &str| {
            let rows = format!(
                "return [...document.querySelectorAll('.kernels tbody tr')].filter(r => {more}).length"
            );
            self.browser.run(&rows).as_u64().expect("a count")
        };
        (count("r.cells[2].textContent === 'right'"), count("true"))
    }
}

fn check(rates: &Rates) {
    assert_eq!(rates.settled(), MEASUREMENTS, "{rates:?}");
    assert!(!rates.products.is_empty(), "{rates:?}");
    assert!(rates.products.iter().all(|of| of.gflops > 0.0), "{rates:?}");
    assert!(rates.best_gflops > Some(0.0), "{rates:?}");
    assert!(rates.copy.as_ref().is_some_and(|of| of.gb > 0.0), "{rates:?}");
}

#[test]
fn what_this_machine_can_do_is_measured_shown_and_saved() {
    let page = Page::live();
    page.open_doctor();
    let said = page.text("#doctor p");
    assert!(said.contains("Nothing of it leaves this machine"), "{said}");
    assert!(said.contains("32 MiB"), "{said}");
    page.press_measure("Measure");
    page.browser.until("it has begun", &format!("{LABEL} === 'Stop'"));
    page.until_measured();
    let choice = page.text("#doctor-choice");
    assert!(
        choice.starts_with("This page takes the CPU, because this browser offers no GPU adapter"),
        "{choice}"
    );
    assert_eq!(page.rows_of_kernels(), (11, 11));
    let numbers = page.browser.run(
        "return [...document.querySelectorAll('.rates td')].filter(c => Number(c.textContent) > 0).length",
    );
    assert!(numbers.as_u64() > Some(5), "{numbers}");
    page.until_says(".said", "Copies");
    page.until_says(".unmeasured", "this browser offers no GPU adapter");

    let report = page.saved_findings();
    assert!(report.is_quick && report.is_optimised && !report.was_interrupted);
    assert!(report.is_well() && report.adapters.is_empty());
    let processor = &report.processor;
    assert_eq!((processor.threads, processor.name.as_deref()), (1, None));
    assert_eq!(processor.instruction_set, "simd128");
    assert!(processor.processors > Some(0));
    let [kernels] = &report.kernels[..] else { panic!("{:?}", report.kernels) };
    assert!(kernels.is_whole && kernels.kernels.len() == 11);
    let [rates] = &report.rates[..] else { panic!("{:?}", report.rates) };
    check(rates);
    assert!(report.browser.is_some_and(|name| name.contains("Chrome")));
    assert!(choice.contains(&report.choice), "{choice}");
    say!("{}", page.text("#doctor .said"));

    page.assert_accessible("with what this machine can do");
    page.screenshot_of_window("doctor");
    page.browser.keys(ESCAPE);
    page.browser.until(
        "it is closed, and what had the focus has it again",
        "!document.querySelector('#doctor').open && document.activeElement.id === 'doctor-open'",
    );
    // What was found stays, and can be measured again.
    page.open_doctor();
    assert_eq!(page.rows_of_kernels(), (11, 11));
    page.press_measure("Again");
    page.browser.until("it has begun again", &format!("{LABEL} === 'Stop'"));
    page.until_measured();
    page.assert_quiet();
}

#[test]
fn a_telephone_has_room_for_it() {
    let page = Page::new(390, 844);
    page.browser.prefer("light");
    page.open_live();
    page.open_doctor();
    page.press_measure("Measure");
    page.until_measured();
    for scheme in ["light", "dark"] {
        page.browser.prefer(scheme);
        page.until_theme(scheme);
        match scheme {
            "light" => page.assert_accessible("390 wide, with what this machine can do"),
            _ => page.assert_contrast("dark, 390 wide, with what this machine can do"),
        }
        let over = page.browser.run(
            "const d = document.querySelector('#doctor'); return [d.scrollWidth - d.clientWidth, Math.max(0, d.getBoundingClientRect().right - innerWidth)]",
        );
        assert_eq!(over, serde_json::json!([0, 0]), "the dialog is too wide");
        page.screenshot_of_window(&format!("doctor-390-{scheme}"));
    }
    page.assert_quiet();
}

#[test]
fn whatever_is_asked_meanwhile_is_answered_and_what_is_stopped_is_kept() {
    // What is measured takes seconds: nobody else is to be busy, and the list of models is there already.
    let page = Page::alone(1440, 1000);
    page.open_live();
    page.show_models();
    page.close_models();
    page.until_settled();
    let picture = page.picture();
    page.open_doctor();
    // Larger matrices, so that there is a meanwhile.
    page.browser.click("#doctor-thorough");
    page.browser.focus("#doctor-measure");
    page.press_measure("Measure");
    page.until_step("Timing f32 at");
    page.browser.keys(ESCAPE);
    page.until_says("#doctor-open", "This machine is being measured");

    page.browser.click(".examples button:nth-of-type(2)");
    page.browser.until_there(".look");
    page.until_settled();
    assert_ne!(page.picture(), picture);
    page.choose("scholar-2");
    // Neither waited for the end of it.
    page.until_says("#doctor-open", "This machine is being measured");

    page.open_doctor();
    page.press_measure("Stop");
    page.until_measured();
    page.until_says("#doctor-choice", "Ended early: what is not here was not measured.");
    page.until_says(".unmeasured", "it was ended");
    let report = page.saved_findings();
    assert!(report.was_interrupted && !report.is_quick);
    assert!(report.kernels[0].is_whole && report.kernels[0].are_right());
    let rates = &report.rates[0];
    assert!(!rates.products.is_empty() && rates.products.len() < MEASUREMENTS - 1);
    // Nobody was disturbed.
    page.browser.keys(ESCAPE);
    page.browser.click(".examples button:nth-of-type(1)");
    page.until_says(".provenance", "Computed here by scholar-2 ");
    page.until_settled();
    page.assert_quiet();
}

#[test]
fn the_gpu_of_a_model_is_measured_beside_it() {
    let page = Page::lens_on_gpu("");
    page.open_doctor();
    page.press_measure("Measure");
    page.until_step("WebGPU on ");
    page.until_measured();
    let choice = page.text("#doctor-choice");
    assert!(choice.contains("is a software GPU"), "{choice}");
    assert!(choice.contains("“Runs on” asks for any WebGPU adapter"), "{choice}");
    let report = page.saved_findings();
    assert!(report.is_well(), "{:?}", report.kernels);
    let [adapter] = &report.adapters[..] else { panic!("{:?}", report.adapters) };
    assert!(adapter.is_software && adapter.limits.binding >= 128 << 20);
    assert_eq!((report.kernels.len(), report.rates.len()), (2, 2));
    assert!(report.kernels.iter().all(|of| of.is_whole));
    let (right, all) = page.rows_of_kernels();
    assert!(right == all && all > 11 + 16, "{right} of {all}");
    report.rates.iter().for_each(check);
    say!("{}", page.browser.texts("#doctor .said").join(" | "));
    page.assert_accessible("with a GPU measured");
    page.browser.keys(ESCAPE);
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_settled();
    page.until_says(LINE, "WebGPU on ");
    assert_eq!(page.text(NOTICE), "");
    page.assert_quiet();
}

#[test]
fn a_gpu_that_is_lost_meanwhile_is_told_and_the_model_recovers() {
    let page = Page::lens_on_gpu(DESTROYABLE);
    page.open_doctor();
    page.press_measure("Measure");
    page.until_step("on WebGPU on ");
    page.browser.run("new BroadcastChannel('devices').postMessage('destroy')");
    page.until_measured();
    let report = page.saved_findings();
    assert!(!report.is_well() && !report.was_interrupted);
    let said = serde_json::to_string(&report).expect("JSON");
    assert!(said.contains("the GPU was lost"), "{said}");
    // Of its kernels that says nothing.
    let choice = page.text("#doctor-choice");
    assert!(!choice.contains("wrong"), "{choice}");
    // Where a kernel is wrong, the table is open.
    let open = page
        .browser
        .run("return [...document.querySelectorAll('#doctor details')].map(d => d.open)");
    assert_eq!(open, serde_json::json!([true]));
    page.browser.keys(ESCAPE);
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_says(NOTICE, "put on the GPU again");
    page.until_settled();
    page.until_says(".provenance", "WebGPU on ");
    page.assert_quiet();
}
