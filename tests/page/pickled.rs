//! MobileLLM as it is published: PyTorch's weights, SentencePiece's words; numbers are random, and come with goldens.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{TOLERANCE, assert_close_to, goldens_in, model_folder, skipped, strings};
use crate::gpu::golden_runs_hold;
use crate::page::{Page, root};
use crate::program;

const MODEL: &str = "pickled/mobilellm-layer-share";
const GOLDENS: &str = "../shared/golden/pickled";

/// The files of a repository of MobileLLM that are a model.
pub const FILES: [&str; 4] =
    ["config.json", "pytorch_model.bin", "tokenizer.model", "tokenizer_config.json"];

/// The folder of the model and its golden, where they are here.
pub fn published() -> Option<(PathBuf, Value)> {
    let folder = model_folder(MODEL)?;
    let golden = root().join(GOLDENS).join("mobilellm-layer-share.json");
    let Ok(golden) = std::fs::read_to_string(&golden) else {
        skipped(&format!("{} is not here", golden.display()));
        return None;
    };
    Some((folder, serde_json::from_str(&golden).expect("JSON")))
}

impl Page {
    /// Asks the model that is open, which the page calls `name`, the golden's question, and holds its answer to
    /// the golden and to the command line's.
    pub fn assert_answers_as_golden(&self, name: &str, folder: &Path, golden: &Value) {
        let encode = |text: &str| {
            text.replace('%', "%25").replace('+', "%2B").replace(' ', "+").replace(',', "%2C")
        };
        let prompt = golden["prompt"].as_str().expect("a prompt");
        let options = strings(&golden["options"]);
        let asked: String =
            options.iter().map(|option| format!("&option={}", encode(option))).collect();
        let answer = &golden["answer"];
        let address = format!("#folder={name}&prompt={}{asked}&answer={answer}", encode(prompt));
        self.browser.run(&format!("location.hash = {}", Value::from(address)));
        self.until_says(".provenance", &format!("Computed here by {name} "));
        self.until_settled();

        let written = program::lens(&folder.display().to_string(), golden, &[]);
        let lens = &self.report()["lens"];
        for expected in [&golden["baseline"], &written["lens"]] {
            for field in ["member_logits", "logits"] {
                assert!(!expected[field].is_null(), "{field}");
                assert_close_to(&lens[field], &expected[field], field, TOLERANCE);
            }
        }
    }
}

#[test]
fn a_dropped_folder_as_it_is_published_answers_as_its_golden() {
    const NAME: &str = "MobileLLM-125M-layer-share";
    let Some((model, golden)) = published() else { return };
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join(NAME);
    std::fs::create_dir(&folder).expect("a folder");
    for file in FILES {
        std::fs::copy(model.join(file), folder.join(file)).expect("copied");
    }
    // A program that comes with it, and is no part of the model.
    std::fs::write(folder.join("modeling_mobilellm.py"), "raise SystemExit").expect("written");

    let page = Page::live();
    page.drop_in(&[&folder]);
    page.until_says("#model", &format!("{NAME} (opened here)"));
    page.assert_answers_as_golden(NAME, &folder, &golden);
    page.assert_quiet();
}

/// Every checkpoint of the goldens on the processor, and on whatever WebGPU offers.
#[test]
fn every_pickled_golden_in_the_browser() {
    let Some(_) = published() else { return };
    let page = Page::with_gpu();
    page.open_live();
    let goldens = goldens_in(GOLDENS);
    for (engine, tolerance) in [("Cpu", TOLERANCE), ("Gpu", crate::gpu::TOLERANCE)] {
        let checked = golden_runs_hold(&page, &goldens, engine, tolerance);
        say!("{checked} golden runs of {} PyTorch checkpoints equal: {engine}", goldens.len());
        assert!(goldens.len() >= 9 && checked >= 2 * goldens.len(), "{checked}");
    }
}

/// A file that asks for a program to be run is one sentence, and the model that was open stays.
#[test]
fn a_hostile_pickle_is_refused_in_a_sentence() {
    let bad = root().join("../shared/models/bad");
    if !bad.join("pickle-index.json").exists() {
        say!("SKIPPED: ../shared/models/bad is not on this machine");
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("hostile");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::copy(bad.join("pickle-config.json"), folder.join("config.json")).expect("copied");
    let page = Page::live();
    for (file, sentence) in [
        ("pickle-exec-os-system.bin", "pytorch_model.bin asks for posix.system"),
        ("pickle-deep-value.bin", "pytorch_model.bin"),
        ("pickle-zip-length-huge.bin", "it is a zip archive that was cut off or damaged"),
    ] {
        std::fs::copy(bad.join(file), folder.join("pytorch_model.bin")).expect("copied");
        page.drop_in(&[&folder]);
        page.until_says(".of-model", sentence);
    }
    assert!(!page.text("#model").contains("hostile"), "{}", page.text("#model"));
}
