//! `atelier doctor`: what it measures, when it says that something is wrong, and what it refuses.

use std::path::Path;

use serde_json::Value;

use super::support::{atelier, in_project, model};

/// A folder with goldens of two models that travel with the project.
fn goldens() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for golden in ["random-llama2.json", "families/random-gpt2.json"] {
        let from = in_project("tests/golden").join(golden);
        let name = from.file_name().expect("a name");
        std::fs::copy(&from, folder.path().join(name)).expect("a copy");
    }
    folder
}

fn checked(folder: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let folder = folder.display().to_string();
    let models = in_project("tests/models").display().to_string();
    let args = ["doctor", "--quick", "--json", "--goldens", &folder, "--models", &models];
    let output = atelier(&[&args[..], more].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    // A GPU's driver may say something of its own there.
    let is_ours = |line: &str| line.starts_with("atelier") || line.contains("panicked");
    assert!(!errors.lines().any(is_ours), "{errors}");
    let report = serde_json::from_slice(&output.stdout).expect("a report");
    (output.status.code(), report)
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().expect(field)
}

#[test]
fn a_quick_look_measures_this_machine_and_goldens_hold_on_every_engine() {
    let folder = goldens();
    let (code, report) = checked(folder.path(), &["--model", &model("random-llama2")]);
    assert_eq!(code, Some(0), "{report}");
    let processor = &report["processor"];
    assert!(processor["threads"].as_u64() > Some(0), "{processor}");
    assert_eq!(processor["instruction_set"], processor["instruction_sets"][0]);
    assert!(processor["processors"].as_u64() > Some(0), "{processor}");
    assert_eq!(report["is_quick"], true);
    assert!(report["browser"].is_null(), "{}", report["browser"]);
    let sentence = report["choice"].as_str().expect("a sentence");
    assert!(sentence.starts_with("The command line takes the CPU"), "{sentence}");

    // The processor, and every adapter.
    let devices = 1 + list(&report, "adapters").len();
    if cfg!(feature = "webgpu") {
        assert!(devices > 1, "tests need an adapter: install Mesa's lavapipe");
        let limits = &report["adapters"][0]["limits"];
        assert!(limits["binding"].as_u64() >= Some(128 << 20), "{limits}");
    }
    assert_eq!(list(&report, "kernels").len(), devices);
    for device in list(&report, "kernels") {
        assert_eq!(device["is_whole"], true, "{device}");
        let kernels = list(device, "kernels");
        assert!(kernels.len() >= 11, "{device}");
        for kernel in kernels {
            assert_eq!(kernel["is_right"], true, "{kernel}");
            let off = kernel["off"].as_f64().expect("a number");
            assert!(off <= kernel["most"].as_f64().expect("a number"), "{kernel}");
        }
    }
    assert_eq!(list(&report, "rates").len(), devices);
    for rates in list(&report, "rates") {
        let measured = list(rates, "products");
        let said = list(rates, "unmeasured");
        assert_eq!(measured.len() + said.len(), 25, "{rates}");
        assert!(!measured.is_empty(), "{rates}");
        for product in measured {
            assert!(product["gflops"].as_f64() > Some(0.0), "{product}");
        }
        assert!(rates["copy"]["gb"].as_f64() > Some(0.0), "{rates}");
    }

    let goldens = list(&report, "goldens");
    assert_eq!(goldens.len(), 2 * devices);
    for golden in goldens {
        assert_eq!(golden["passes"], true, "{golden}");
        assert!(golden["runs"].as_u64() >= Some(25), "{golden}");
        assert!(golden["largest_difference"].as_f64() > Some(0.0), "{golden}");
    }

    assert_eq!(list(&report, "prefill").len(), devices);
    for engine in list(&report, "prefill") {
        let prompts = list(engine, "prompts");
        assert_eq!(prompts[0]["tokens"], 12, "{engine}");
        assert_eq!(prompts[0]["members"], 13, "{engine}");
        assert!(prompts[0]["tokens_a_second"].as_f64() > Some(0.0));
        assert_eq!(prompts.len() + list(engine, "unmeasured").len(), 3, "{engine}");
        assert!(engine["drop_sweep"]["ratio"].as_f64() > Some(0.0), "{engine}");
        assert_eq!(engine["drop_sweep"]["plans"], 6, "{engine}");
    }
}

#[test]
fn a_damaged_golden_fails_by_its_place_and_exit_code_1() {
    let folder = goldens();
    let path = folder.path().join("random-llama2.json");
    let text = std::fs::read_to_string(&path).expect("a golden");
    let mut golden: Value = serde_json::from_str(&text).expect("JSON");
    let logit = golden["plans"][3]["logits"][1].as_f64().expect("a logit");
    golden["plans"][3]["logits"][1] = (logit + 0.05 * (1.0 + logit.abs())).into();
    std::fs::write(&path, golden.to_string()).expect("a golden");
    let (code, report) = checked(folder.path(), &[]);
    assert_eq!(code, Some(1));
    for golden in list(&report, "goldens") {
        let is_damaged = golden["golden"] == "random-llama2";
        assert_eq!(golden["passes"], !is_damaged, "{golden}");
        if is_damaged {
            let at = golden["at"].as_str().expect("a place");
            assert!(at.ends_with("logits[1]"), "{at}");
        }
    }
    let said = report["unmeasured"].to_string();
    assert!(said.contains("--model MODEL"), "{said}");
}
