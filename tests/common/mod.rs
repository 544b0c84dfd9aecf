//! Shared by several test files: the golden values, and where models are.

#![allow(dead_code)] // each test file uses its own part

// Where the real model is: the chores that fetch it and the tests agree by having one file.
#[path = "../../xtask/src/cache.rs"]
mod cache;
pub mod coupling;
pub mod gguf;
pub mod parity;
pub mod pytorch;
pub mod tangents;
pub mod vocabulary;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use atelier::model::ModelFiles;
use atelier::study::{LoadedModel, Question};
use atelier_server::smollm2::FILE;
use serde_json::Value;

/// Relative agreement asked of f32 code against the float64 goldens.
pub const TOLERANCE: f64 = 1e-4;

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn in_project(path: &str) -> PathBuf {
    root().join(path)
}

/// Says that something is skipped, past the harness, which swallows what a passing test prints.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Returns the standard error of a program that must have ended well.
#[track_caller]
pub fn succeeded(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    errors
}

/// Every number of a value.
pub fn numbers(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Array(all) => all.iter().for_each(|value| numbers(value, into)),
        Value::Object(all) => all.values().for_each(|value| numbers(value, into)),
        value => into.extend(value.as_f64()),
    }
}

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &to);
        } else {
            std::fs::copy(&path, &to).expect("a copy");
        }
    }
}

/// Every file below a folder, by its path there.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_path_buf();
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// Copies a shipped model's files into a new folder.
pub fn copy_model(name: &str, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    let from = root().join("public/models").join(name);
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::copy(from.join(file), to.join(file)).expect("a copy");
    }
}

/// A model of the goldens, a folder or a file: the random ones travel with the project (of the GGUF
/// files one does), the story models do not.
///
/// # Panics
/// The real model has not been fetched: its goldens are never skipped.
pub fn model_folder(name: &str) -> Option<PathBuf> {
    if name == FILE {
        return real_model();
    }
    // Browsers take no path with `..` in it.
    let shared = root().with_file_name("shared").join("models");
    let places = [root().join("tests/models").join(name), shared.join(name)];
    let found =
        places.into_iter().find(|place| place.is_file() || place.join("config.json").exists());
    if found.is_none() {
        skipped(&format!("{name} is not here (../shared/models); what needs it was not checked"));
    }
    found
}

/// The model of a golden, where it is here.
pub fn model_of(golden: &Value) -> Option<PathBuf> {
    model_folder(golden["model"].as_str().expect("a model"))
}

/// SmolLM2-135M-Instruct, in the cache of what is fetched once for all clones; `None` where `--no-real` leaves it out.
///
/// # Panics
/// It has not been fetched, and is not left out.
pub fn real_model() -> Option<PathBuf> {
    if std::env::var_os("ATELIER_NO_REAL").is_some() {
        skipped(&format!("--no-real leaves out {FILE}"));
        return None;
    }
    let cache = cache::folder(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let cache = cache.expect("a home folder, or ATELIER_CACHE");
    let file = root().join(cache::model(&cache));
    assert!(
        file.is_file(),
        "{} is not here. `cargo xtask setup` fetches it (93 MB), once for all clones.",
        file.display()
    );
    Some(file)
}

/// A published data file, which does not travel with the project.
pub fn data(path: &str) -> Option<Vec<u8>> {
    let found = std::fs::read(root().join("../shared/data").join(path)).ok();
    if found.is_none() {
        skipped(&format!("{path} is not here (../shared/data); its rows were not read"));
    }
    found
}

pub fn load(folder: &Path) -> LoadedModel {
    let files = ModelFiles::open(folder).expect("a model folder");
    LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model that loads")
}

/// A model of random weights, which travels with the project.
pub fn random(name: &str) -> LoadedModel {
    load(&model_folder(name).expect("random models travel with the project"))
}

/// A question of seven tokens and three options.
pub fn question(model: &LoadedModel) -> Question {
    let vocabulary = model.shape().vocabulary as u32;
    let ids: Vec<u32> = (0..7).map(|t| (t * 37 + 5) % vocabulary).collect();
    let found = model.question_from_ids(&ids, &[3, 11, 29], 1);
    found.expect("a question")
}

/// Advances a run to its end; it says how much is done of how much.
pub fn run_to_end(mut advance: impl FnMut() -> Option<(usize, usize)>) {
    let mut before = 0;
    while let Some((done, of)) = advance() {
        assert!(before <= done && done <= of, "{before} {done} {of}");
        before = done;
    }
}

/// Golden runs of models of one kind of block.
const RUNS: [&str; 8] = [
    "random-llama2",
    "random-llama3",
    "random-mistral",
    "random-mobilellm-layer-share",
    "random-phi3",
    "stories260k-lily",
    "stories260k-tom",
    "tinystories-656k-lily",
];

/// Golden runs of the other families; GPT-2 is spelled in two ways.
const FAMILIES: [&str; 9] = [
    "random-falcon",
    "random-gemma",
    "random-gpt2",
    "random-gpt2-prefixed",
    "random-olmo2",
    "random-phi2",
    "random-pythia",
    "random-qwen2",
    "random-qwen3",
];

/// Golden runs of GGUF files.
const GGUFS: [&str; 10] = [
    "random-llama3-wide-bf16",
    "random-llama3-wide-q4_k",
    "random-llama3-wide-q6_k",
    "random-llama3-wide-q8_0",
    "stories260k-f16",
    "stories260k-q4_0",
    "stories260k-q4_1",
    "stories260k-q5_0",
    "stories260k-q8_0",
    "tinystories-656k-q5_1",
];

/// Golden runs of the real model.
const REAL: [&str; 3] = ["smollm2-colour", "smollm2-entails", "smollm2-opposite"];

/// Every golden run: file stem and content.
pub fn goldens() -> Vec<(String, Value)> {
    let folders = [
        ("tests/golden", &RUNS[..]),
        ("tests/golden/families", &FAMILIES),
        ("tests/golden/gguf", &GGUFS),
    ];
    folders.into_iter().flat_map(|(folder, names)| named_goldens(folder, names)).collect()
}

/// Golden runs of the real model: file stem and content.
pub fn real_goldens() -> Vec<(String, Value)> {
    named_goldens("tests/golden/real", &REAL)
}

/// The goldens of a folder, which must be those of these names.
fn named_goldens(folder: &str, names: &[&str]) -> Vec<(String, Value)> {
    let goldens = goldens_in(folder);
    let found: Vec<&str> = goldens.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(found, names, "the goldens in {folder}");
    goldens
}

pub fn goldens_in(folder: &str) -> Vec<(String, Value)> {
    let mut goldens: Vec<_> = std::fs::read_dir(root().join(folder))
        .expect("a folder of goldens")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a readable golden");
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_string();
            (stem, serde_json::from_str(&text).expect("golden JSON"))
        })
        .collect();
    goldens.sort_by(|a, b| a.0.cmp(&b.0));
    goldens
}

pub fn u32s(value: &Value) -> Vec<u32> {
    serde_json::from_value(value.clone()).expect("a list of ids")
}

pub fn strings(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).expect("a list of texts")
}

/// A golden plan's steps (`[0, [1, 2], 3]`) in the one-line notation.
pub fn notation(steps: &Value) -> String {
    let step = |step: &Value| match step.as_array() {
        None => step.to_string(),
        Some(group) => {
            format!("({})", group.iter().map(Value::to_string).collect::<Vec<_>>().join(","))
        }
    };
    steps.as_array().expect("steps").iter().map(step).collect::<Vec<_>>().join(",")
}

/// As [`assert_close_to`], to [`TOLERANCE`].
pub fn assert_close(found: &Value, expected: &Value, at: &str) {
    assert_close_to(found, expected, at, TOLERANCE);
}

/// Numbers agree to `tolerance` relative to the largest of their list (at least `floor`), lists
/// and objects element by element; a field of `expected` that `found` lacks is a failure.
pub fn assert_close_to(found: &Value, expected: &Value, at: &str, tolerance: f64) {
    match expected {
        Value::Number(number) => {
            let expected = number.as_f64().expect("a number");
            let found = found.as_f64().unwrap_or_else(|| panic!("{at}: {found} is not a number"));
            assert_near(found, expected, expected.abs(), at, tolerance);
        }
        Value::Array(list) => {
            let found = found.as_array().unwrap_or_else(|| panic!("{at}: {found} is not a list"));
            assert_eq!(found.len(), list.len(), "{at}: length");
            let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
            let largest =
                numbers.map(|numbers| numbers.iter().fold(0.0, |max, x| f64::max(max, x.abs())));
            for (i, (found, expected)) in found.iter().zip(list).enumerate() {
                match (largest, found.as_f64(), expected.as_f64()) {
                    (Some(scale), Some(found), Some(expected)) => {
                        let at = format!("{at}[{i}]");
                        assert_near(found, expected, scale, &at, tolerance);
                    }
                    _ => assert_close_to(found, expected, &format!("{at}[{i}]"), tolerance),
                }
            }
        }
        Value::Object(fields) => {
            for (name, expected) in fields {
                let found = found.get(name).unwrap_or_else(|| panic!("{at}: no field {name}"));
                if name == "sum_error" {
                    let error = found.as_f64().expect("a number");
                    assert!(
                        error < 1e-3,
                        "{at}: the members do not add up to the logits ({error})"
                    );
                } else {
                    assert_close_to(found, expected, &format!("{at}.{name}"), tolerance);
                }
            }
        }
        other => assert_eq!(found, other, "{at}"),
    }
}

fn assert_near(found: f64, expected: f64, scale: f64, at: &str, tolerance: f64) {
    let allowed = tolerance * scale + 1e-6;
    assert!(
        (found - expected).abs() <= allowed,
        "{at}: {found}, expected {expected} (± {allowed:.1e})"
    );
}
