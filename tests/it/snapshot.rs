//! Snapshots: text files below `tests/golden` that hold what the program says. `UPDATE=1 cargo test --test it`
//! writes them anew and removes those that no test names; the difference is reviewed like code.

use std::path::PathBuf;

use crate::common::in_project;

/// Folders below `tests/golden` whose every file is a snapshot that a test names.
const FOLDERS: [&str; 5] = ["charts", "commands", "figures", "lessons", "refusals"];

/// How far a computed number may be from its snapshot: this much of itself, and one of the last digit written or
/// [`SMALL`]. Processors sum in different orders, and the goldens ask as much of every engine; lavapipe's numbers,
/// of another engine altogether, are within it.
const TOLERANCE: f64 = 1e-4;

/// The rounding error that the difference of two larger numbers may carry.
const SMALL: f64 = 2e-5;

/// Lines of a difference that are printed, and letters of each.
const LINES: usize = 40;
const LETTERS: usize = 240;

/// Holds a snapshot to what was seen, letter by letter.
#[track_caller]
pub fn check(name: &str, seen: &str) {
    compare(name, seen, |kept, seen| kept == seen);
}

/// As [`check`], but that numbers may be as far apart as kernels of different processors are.
#[track_caller]
pub fn check_near(name: &str, seen: &str) {
    compare(name, seen, is_near);
}

/// Holds a snapshot that has its questions in it: a line is one, and the line below it, indented, its answer, if it has one.
/// Empty lines and those that begin with `#` divide them.
#[track_caller]
pub fn check_answers(name: &str, answer: impl Fn(&str) -> Option<String>) {
    let kept = std::fs::read_to_string(golden().join(name)).expect(name);
    let (mut seen, mut asked) = (String::new(), 0);
    for line in kept.lines().filter(|line| !line.starts_with("  ")) {
        seen += &format!("{line}\n");
        let is_question = !line.is_empty() && !line.starts_with('#');
        asked += usize::from(is_question);
        if let Some(answer) = is_question.then(|| answer(line)).flatten() {
            seen += &format!("  {answer}\n");
        }
    }
    assert!(asked > 0, "{name} asks nothing");
    check(name, &seen);
}

#[track_caller]
fn compare(name: &str, seen: &str, agree: fn(&str, &str) -> bool) {
    let path = golden().join(name);
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differences = differences(&kept, seen, agree);
    if differences.is_empty() && path.is_file() {
        return;
    }
    if is_update() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, seen).expect("written");
        return;
    }
    let shown: Vec<String> = differences.iter().take(LINES).cloned().collect();
    let more = match differences.len().saturating_sub(LINES) {
        0 => String::new(),
        more => format!("\n… and {more} lines more"),
    };
    panic!(
        "tests/golden/{name} is not what was seen; if that is meant, run UPDATE=1 cargo test --test it\n{}{more}",
        shown.join("\n")
    );
}

fn golden() -> PathBuf {
    in_project("tests/golden")
}

fn is_update() -> bool {
    std::env::var_os("UPDATE").is_some()
}

/// The lines that differ: the snapshot's after a minus, those seen after a plus.
fn differences(kept: &str, seen: &str, agree: fn(&str, &str) -> bool) -> Vec<String> {
    let (kept, seen): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), seen.lines().collect());
    let (mut kept, mut seen, mut number) = (&kept[..], &seen[..], 1);

    // What agrees at the beginning and at the end is left out.
    while let ([a, rest_kept @ ..], [b, rest_seen @ ..]) = (kept, seen)
        && agree(a, b)
    {
        (kept, seen, number) = (rest_kept, rest_seen, number + 1);
    }
    while let ([rest_kept @ .., a], [rest_seen @ .., b]) = (kept, seen)
        && agree(a, b)
    {
        (kept, seen) = (rest_kept, rest_seen);
    }

    // Of as many lines each is held to its own; otherwise all that is between is shown.
    if kept.len() == seen.len() {
        let pairs = kept.iter().zip(seen).enumerate().filter(|(_, (a, b))| !agree(a, b));
        let lines = pairs.flat_map(|(i, (a, b))| {
            let from = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let line = number + i;
            [format!("{line} - {}", part(a, from)), format!("{line} + {}", part(b, from))]
        });
        return lines.collect();
    }
    let gone = kept.iter().enumerate().map(|(i, a)| format!("{} - {}", number + i, part(a, 0)));
    let come = seen.iter().enumerate().map(|(i, b)| format!("{} + {}", number + i, part(b, 0)));
    gone.chain(come).collect()
}

/// A line from a little before the letter where it begins to differ.
fn part(line: &str, from: usize) -> String {
    let start = from.saturating_sub(LETTERS / 4);
    let start = if line.chars().count() <= LETTERS { 0 } else { start };
    line.chars().skip(start).take(LETTERS).collect()
}

/// Whether two lines have the same words and near numbers; blanks that align columns do not count.
fn is_near(kept: &str, seen: &str) -> bool {
    let (kept, seen) = (tokens(kept), tokens(seen));
    kept.len() == seen.len()
        && kept.iter().zip(&seen).all(|(&kept, &seen)| {
            kept == seen
                || matches!((number(kept), number(seen)), (Some((a, unit)), Some((b, _)))
                    if (a - b).abs() <= 1.01 * unit.max(SMALL) + TOLERANCE * a.abs())
        })
}

/// Words, numbers and signs of a line.
fn tokens(line: &str) -> Vec<&str> {
    let is_sign = |c: char| !(c.is_alphanumeric() || "+-.".contains(c));
    let mut tokens = Vec::new();
    for piece in line.split_inclusive(is_sign) {
        let (word, sign) = piece.split_at(piece.trim_end_matches(is_sign).len());
        tokens.extend([word, sign.trim()].into_iter().filter(|token| !token.is_empty()));
    }
    tokens
}

/// A number with decimals, maybe at a sentence's end, and one of its last digit. (Counts and ids have no decimals, and are words.)
fn number(token: &str) -> Option<(f64, f64)> {
    let token = token.trim_end_matches('.');
    let (_, decimals) = token.split_once('.')?;
    Some((token.parse().ok()?, 0.1_f64.powi(decimals.len() as i32)))
}

/// A snapshot that no test names is compared with nothing.
#[test]
fn every_snapshot_is_named_by_a_test() {
    let mut sources = String::new();
    let mut folders = vec![in_project("tests/it")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                sources += &std::fs::read_to_string(path).expect("a source");
            }
        }
    }
    let mut unnamed = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(golden().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let file = path.file_name().expect("a name").display().to_string();
            let name = format!("{folder}/{file}");
            let stem = name.split('.').next().expect("a name");
            if [&name, stem].iter().any(|name| sources.contains(&format!("\"{name}\""))) {
                continue;
            }
            if is_update() {
                std::fs::remove_file(path).expect("removed");
            } else {
                unnamed.push(name);
            }
        }
    }
    assert!(unnamed.is_empty(), "no test names these snapshots: {unnamed:?}");
}

#[test]
fn numbers_are_near_and_words_are_equal() {
    assert!(is_near("mse  0.1234 = x", "mse 0.1235 = x"));
    assert!(is_near("[123.456, 7]", "[123.466, 7]"));
    for (kept, seen) in
        [("mse 0.1234", "mse 0.1236"), ("[1.5, 7]", "[1.5, 8]"), ("a 1.5", "b 1.5"), ("a", "a a")]
    {
        assert!(!is_near(kept, seen), "{kept} {seen}");
    }
    let found = differences("a\nb 1.0\nc", "a\nb 2.0\nc", is_near);
    assert_eq!(found, ["2 - b 1.0", "2 + b 2.0"]);
    assert_eq!(differences("a\nc", "a\nb\nc", is_near), ["2 + b"]);
}
