//! The program on itself: version, completions, manual.
use std::process::{Command, Stdio};

use super::support::{atelier, printed, refuses};
use crate::common::skipped;

/// The commands that `atelier --help` lists.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let (list, _) = list.split_once("\n\n").expect("its end");
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = names.map(str::to_string).collect();
    assert!(names.len() > 12 && names.contains(&"lens".to_string()));
    names
}

#[test]
fn the_version_says_commit_and_features() {
    assert_eq!(printed(&["-V"]), concat!("atelier ", env!("CARGO_PKG_VERSION"), "\n"));
    let said = printed(&["--version"]);
    let lines: Vec<&str> = said.lines().collect();
    let [version, commit, features] = lines[..] else { panic!("{said}") };
    assert_eq!(version, concat!("atelier ", env!("CARGO_PKG_VERSION")));
    let commit = commit.strip_prefix("commit: ").expect("a commit");
    let is_hash = |word: &str| word.len() == 12 && word.chars().all(|c| c.is_ascii_hexdigit());
    if cfg!(debug_assertions) {
        assert_eq!(commit, "not asked for: built without optimisation");
    } else {
        let hash = commit.split(' ').next().unwrap_or_default();
        assert!(is_hash(hash) || commit.starts_with("not known"), "{commit}");
    }
    let features = features.strip_prefix("features: ").expect("features");
    let has = |name: &str| features.split(", ").any(|one| one == name);
    assert!(has("cli"));
    assert_eq!(has("webgpu"), cfg!(feature = "webgpu"));
    assert_eq!(has("reference"), cfg!(feature = "reference"));
    assert_eq!(has("embedded-page"), cfg!(feature = "embedded-page"));
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        for command in commands().iter().filter(|name| *name != "help") {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        assert!(script.contains("strategy"), "{shell}: flags too");
    }
}

/// Where there is a bash, it reads its script and completes with it.
#[cfg(unix)]
#[test]
fn bash_completes_with_its_script() {
    let there = Command::new("bash").arg("-c").arg(":").status();
    if !there.is_ok_and(|status| status.success()) {
        skipped("there is no bash here to complete with");
        return;
    }
    let script = "eval \"$1\"
        COMP_WORDS=(atelier sur) COMP_CWORD=1 COMP_LINE='atelier sur' COMP_POINT=11
        _atelier atelier sur atelier && echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash", &printed(&["completions", "bash"])])
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.trim(), "survey", "{errors}");
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("man1");
    let to = ["man", "--out", out.to_str().expect("a path")];
    let said = printed(&to);
    let pages: Vec<&str> = said.lines().collect();
    let inner = ["atelier-survey-merge.1", "atelier-models-remove.1"];
    let own = commands().into_iter().filter(|name| name != "help");
    let own = own.map(|name| format!("atelier-{name}.1"));
    for page in own.chain(inner.map(str::to_string)) {
        assert!(pages.contains(&page.as_str()), "{page} of {pages:?}");
        let text = std::fs::read_to_string(out.join(&page)).expect("a page");
        assert!(text.contains(".TH ") && text.contains(".SH NAME"), "{page}");
    }
    let main = std::fs::read_to_string(out.join("atelier.1")).expect("a page");
    assert!(main.contains("survey"));

    // What is there is not replaced unasked.
    refuses(&to, "is there already");
    assert!(atelier(&[&to[..], &["--force"]].concat()).status.success());
}
