//! The commands of README, CONTRIBUTING and docs/: each is run as it stands there, or it is said why not. And
//! README's length, and the links of all these texts.
//!
//! They run one after another in an empty folder with the project's test models below it, so that what one writes
//! the next can read. What they print is for other tests to judge; here they must end well.

#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::common::root;

/// README is read to its end only while it is short.
const MAX_README_LINES: usize = 150;
const MAX_README_WORDS_PER_SENTENCE: f64 = 16.0;

/// Commands that are not run: a part of the command, and the reason, which is said. The first that fits counts.
const NOT_RUN: [(&str, &str); 15] = [
    ("cargo xtask serve", "it serves until it is ended"),
    ("cargo xtask test", "it runs this test"),
    ("cargo xtask check", "it runs beside this test, in .ci/run"),
    ("cargo xtask build", "it was run before this test, or takes minutes"),
    ("cargo xtask release", "it compiles in release: many minutes"),
    ("cargo test", "it is a part of what runs this test"),
    ("cargo run", "it compiles in release; tests/it/examples.rs runs the examples"),
    ("cargo install", "it compiles in release: many minutes"),
    ("sh tests/cluster/", "it installs a scheduler"),
    ("hub:", "it asks a hub; tests/it/hub.rs asks one of its own"),
    ("../Llama-3.2-1B", "that model is not here: gigabytes"),
    ("../MobileLLM-125M", "that model is gated; tests/it/pytorch.rs converts others"),
    ("atelier open", "it serves until it is ended; tests/page/opening.rs opens it"),
    ("atelier train --model", "it trains for an hour"),
    ("SmolLM2-135M-Instruct", "minutes to hours, with a real model and published rows"),
];

/// Texts whose commands are run: README, CONTRIBUTING and the pages of docs/.
fn texts() -> Vec<String> {
    let pages = std::fs::read_dir(root().join("docs")).expect("docs/");
    let pages = pages.map(|page| page.expect("a page").file_name().display().to_string());
    let mut pages: Vec<String> =
        pages.filter(|page| page.ends_with(".md")).map(|page| format!("docs/{page}")).collect();
    pages.sort();
    ["README.md", "CONTRIBUTING.md"].map(str::to_owned).into_iter().chain(pages).collect()
}

/// Past the harness, which swallows what a passing test prints.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A command, and where it stands.
struct Told {
    at: String,
    command: String,
}

/// Every command of the `sh` blocks of a text.
fn told(text: &str) -> Vec<Told> {
    let path = root().join(text);
    let content = std::fs::read_to_string(path).expect("a text");
    let (mut found, mut is_inside) = (Vec::new(), false);
    for (number, line) in content.lines().enumerate() {
        if line.starts_with("```") {
            is_inside = line == "```sh";
            continue;
        }
        // What is said beside a command.
        let command = line.split_once(" #").map_or(line, |(command, _)| command);
        // This test's own program has been compiled already.
        let command = command.trim().replace("cargo run --release -- ", "atelier ");
        if is_inside && !command.is_empty() && !command.starts_with('#') {
            found.push(Told { at: format!("{text}:{}", number + 1), command });
        }
    }
    found
}

fn why_not(command: &str) -> Option<usize> {
    NOT_RUN.iter().position(|(part, _)| command.contains(part))
}

/// A folder to work in: the models that travel with the project, and beside it the published data sets, where
/// they are.
fn workplace(home: &Path) -> PathBuf {
    let work = home.join("work");
    let models = work.join("tests/models/random-phi3");
    std::fs::create_dir_all(&models).expect("a folder");
    for file in ["config.json", "model.safetensors"] {
        let from = root().join("tests/models/random-phi3").join(file);
        std::fs::copy(from, models.join(file)).expect("a copy");
    }
    let data = root().join("../shared/data");
    if let Ok(data) = data.canonicalize() {
        std::os::unix::fs::symlink(data, home.join("data")).expect("a link");
    }
    work
}

#[test]
fn every_command_runs_or_it_is_said_why_not() {
    let home = tempfile::tempdir().expect("a folder");
    let work = workplace(home.path());
    let program = Path::new(env!("CARGO_BIN_EXE_atelier"));
    let folder = program.parent().expect("its folder");
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&usual));
    let path = std::env::join_paths(path).expect("a search path");

    let (mut ran, mut used) = (0, vec![false; NOT_RUN.len()]);
    for Told { at, command } in texts().iter().flat_map(|text| told(text)) {
        if let Some(reason) = why_not(&command) {
            used[reason] = true;
            say(&format!("NOT RUN {at}: {command}: {}", NOT_RUN[reason].1));
            continue;
        }
        if command.contains("../data") && !home.path().join("data").exists() {
            say(&format!("NOT RUN {at}: {command}: the data sets are not here (../shared/data)"));
            continue;
        }
        let clock = Instant::now();
        let output = Command::new("sh")
            .current_dir(&work)
            .args(["-euc", &command])
            .env("PATH", &path)
            // Nobody's own models are listed.
            .env("ATELIER_MODELS", home.path().join("models"))
            .env_remove("NO_COLOR")
            // Set for test programs alone, so that they report times.
            .env_remove("RUSTC_BOOTSTRAP")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{at}: {command}\n{errors}");
        say(&format!("ran in {:.1} s {at}: {command}", clock.elapsed().as_secs_f64()));
        ran += 1;
    }
    assert!(ran >= 15, "{ran} commands ran");
    for (is_used, (part, _)) in used.iter().zip(NOT_RUN) {
        assert!(is_used, "no command contains `{part}` any more: take it off the list");
    }
}

/// `atelier lens --model …` as the words `lens` and `--model`, for every command that stands in a text's prose or
/// tables between backquotes.
fn spoken_of(text: &str) -> Vec<(String, Vec<String>)> {
    let path = root().join(text);
    let content = std::fs::read_to_string(path).expect("a text");
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in content.lines() {
        if line.starts_with("```") {
            is_inside = !is_inside;
            continue;
        }
        if is_inside {
            continue;
        }
        for span in line.split('`').skip(1).step_by(2) {
            let words: Vec<String> = span.split_whitespace().map(str::to_string).collect();
            if words.len() > 1 && ["atelier", "cargo"].contains(&words[0].as_str()) {
                found.push((span.to_string(), words));
            }
        }
    }
    found
}

/// Returns the help of a program's command.
fn help(program: &Path, words: &[&str]) -> String {
    let output = Command::new(program).args(words).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_is_spoken_of_exists() {
    let atelier = Path::new(env!("CARGO_BIN_EXE_atelier"));
    let chores = std::fs::read_to_string(root().join("xtask/src/main.rs")).expect("the chores");
    let mut count = 0;
    let others = ["SECURITY.md", "CHANGELOG.md", "benches/README.md"].map(str::to_owned);
    for text in texts().into_iter().chain(others) {
        for (span, words) in spoken_of(&text) {
            let flags = words.iter().map(|word| word.trim_matches(['[', ']', ',']));
            let mut flags = flags.filter(|word| word.starts_with("--") && word.len() > 2);
            match (words[0].as_str(), words[1].as_str()) {
                ("cargo", "xtask") => {
                    let chore = words.get(2).map_or("help", String::as_str);
                    assert!(chores.contains(&format!("\n  {chore} ")), "{text}: {span}");
                    assert!(flags.all(|flag| chores.contains(flag)), "{text}: {span}");
                }
                ("atelier", flag) if flag.starts_with('-') => {
                    assert!(help(atelier, &["--help"]).contains(flag), "{text}: {span}");
                }
                ("atelier", command) => {
                    let said = help(atelier, &[command, "--help"]);
                    assert!(!said.is_empty(), "{text}: {span}: no such command");
                    let inner = words.get(2).map_or("", String::as_str);
                    let said = if said.contains(&format!("\n  {inner} ")) {
                        said + &help(atelier, &[command, inner, "--help"])
                    } else {
                        said
                    };
                    assert!(flags.all(|flag| said.contains(flag)), "{text}: {span}");
                }
                _ => continue,
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count} commands are spoken of");
}

#[test]
fn jobs_ask_for_what_there_is() {
    let said = help(Path::new(env!("CARGO_BIN_EXE_atelier")), &["survey", "--help"]);
    for (file, begin, end) in [
        ("examples/survey.kubernetes.yaml", "exec atelier survey", "resources:"),
        ("examples/survey.slurm.sh", "\" survey ", "\n\n\n"),
    ] {
        let text = std::fs::read_to_string(root().join(file)).expect(file);
        let (_, command) = text.split_once(begin).expect(begin);
        let command = command.split(end).next().unwrap_or_default();
        let flags = command.split(|c: char| c.is_whitespace() || c == '+');
        let flags: Vec<&str> = flags.filter(|word| word.starts_with("--")).collect();
        assert!(flags.len() > 4, "{file}: {flags:?}");
        for flag in flags {
            assert!(said.contains(flag), "{file}: {flag}");
        }
    }
}

#[test]
fn versions_agree() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("CHANGELOG.md", format!("## {version}")),
        ("CITATION.cff", format!("version: {version}")),
        ("Containerfile", format!("--tag atelier:{version} ")),
        ("examples/survey.kubernetes.yaml", format!("image: atelier:{version} ")),
    ] {
        let text = std::fs::read_to_string(root().join(file)).expect(file);
        assert!(text.lines().any(|found| found.contains(&line)), "{file} lacks `{line}`");
    }
}

/// Counts the words of every sentence. Code blocks, tables, headings and pictures are left out. A sentence ends at
/// `.`, `!` or `?` before a space; what follows the last one of a paragraph or list item, such as a link, counts with
/// the sentence before it. A word holds a letter or a digit; a link counts by its words, not by its address.
fn words_per_sentence(markdown: &str) -> Vec<usize> {
    // 1. Join the lines of every paragraph and list item.
    let mut paragraphs = vec![String::new()];
    let mut is_code = false;
    for line in markdown.lines().map(str::trim) {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        let is_left_out = is_code || is_fence || line.starts_with(['#', '|']);
        if is_left_out || line.is_empty() || line.starts_with("![") {
            paragraphs.push(String::new());
            continue;
        }
        let item = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = item.strip_prefix(". ").or_else(|| line.strip_prefix("- "));
        if item.is_some() {
            paragraphs.push(String::new());
        }
        let paragraph = paragraphs.last_mut().expect("one is there from the start");
        paragraph.push_str(item.unwrap_or(line));
        paragraph.push(' ');
    }

    // 2. Count, without the links' addresses.
    let mut counts = Vec::new();
    for paragraph in paragraphs {
        let mut pieces = paragraph.split("](");
        let mut prose = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            prose.push_str(piece.split_once(')').map_or(piece, |(_, after)| after));
        }
        let (first, mut words) = (counts.len(), 0);
        for piece in prose.split_whitespace() {
            words += usize::from(piece.contains(char::is_alphanumeric));
            let end = piece.trim_end_matches([')', '*', '"', '`']);
            if words > 0 && end.ends_with(['.', '!', '?']) {
                counts.push(std::mem::take(&mut words));
            }
        }
        match counts[first..].last_mut() {
            Some(last) => *last += words,
            None => counts.extend((words > 0).then_some(words)),
        }
    }
    counts
}

#[test]
fn readme_is_short() {
    let example = "# Left out\n\nOne *two* [three\nfour](five.md). A `.gguf` file = 3! Five\n\n- One\n\n1. One two.\n\n\
                   ```sh\nleft out\n```\n| left | out |\n![left out](out.png)\n";
    assert_eq!(words_per_sentence(example), [4, 5, 1, 2]);

    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    let counts = words_per_sentence(&readme);
    let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    say(&format!(
        "README.md: {lines} lines; {mean:.1} words per sentence ({} sentences)",
        counts.len()
    ));
    assert!(lines <= MAX_README_LINES, "{lines} lines");
    assert!(mean <= MAX_README_WORDS_PER_SENTENCE, "{mean:.1} words per sentence");
}

#[test]
fn links_lead_to_files() {
    let mut count = 0;
    for text in texts() {
        let path = root().join(&text);
        let content = std::fs::read_to_string(&path).expect("a text");
        let addresses = content.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for address in addresses.filter(|address| !address.contains("://")) {
            let file = address.split('#').next().unwrap_or_default();
            let folder = path.parent().expect("its folder");
            assert!(folder.join(file).exists(), "{text}: {address} leads nowhere");
            count += 1;
        }
    }
    assert!(count > 20, "{count} links");
}
