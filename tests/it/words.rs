//! Holds every text that people read to `docs/words.md` and to short sentences.
//!
//! `cargo test --test it words::sentences -- --nocapture` prints the counts. `words::forty` prints sentences that a
//! seed draws, of the checkout that ATELIER_WORDS names.

mod literals;
mod prose;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use prose::Count;
use texts::Text;

/// The most words that a group's sentences have on average, and its largest share of long sentences in per cent.
const MAX_MEAN: f64 = 16.0;
const MAX_LONG: f64 = 2.0;

/// The list itself, what was released, and expectations that were written before their runs: they stay as they are.
const KEPT: [&str; 3] = ["docs/words.md", "CHANGELOG.md", "docs/smollm2.md"];

fn root() -> PathBuf {
    std::env::var_os("ATELIER_WORDS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).to_owned(), PathBuf::from)
}

/// A row of the table of words that are no longer used: the words, their substitute, and texts that may keep them.
struct Banned {
    words: Vec<String>,
    instead: String,
    except: Vec<String>,
}

/// Reads the table under "Words that are no longer used".
fn banned(root: &Path) -> Vec<Banned> {
    let text = std::fs::read_to_string(root.join("docs/words.md")).expect("docs/words.md");
    let (_, table) = text.split_once("## Words that are no longer used").expect("the list");
    let table = table.split("\n## ").next().unwrap_or_default();
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let list = |cell: &str| -> Vec<String> {
        let parts = cell.split(',').map(|part| part.trim().trim_matches('`').to_lowercase());
        parts.filter(|part| !part.is_empty()).collect()
    };
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let cell = |n: usize| cells.get(n).copied().unwrap_or_default();
        Banned { words: list(cell(0)), instead: cell(1).trim().to_owned(), except: list(cell(2)) }
    })
    .collect()
}

/// A text without what stands between backticks or braces: names of files, flags and fields.
fn without_code(text: &str) -> String {
    let words: Vec<&str> = text.split('`').step_by(2).collect();
    let mut fields = words.join("`").split('{').map(str::to_owned).collect::<Vec<_>>().into_iter();
    let first = fields.next().unwrap_or_default();
    fields.fold(first, |all, field| all + "{}" + field.split_once('}').map_or("", |(_, rest)| rest))
}

/// Whether a text has these words, as whole words.
fn has(text: &str, words: &str) -> bool {
    let is_joined = |letter: Option<char>| {
        letter.is_some_and(|letter| {
            letter.is_alphanumeric() || ['_', '-', '/', '.', '='].contains(&letter)
        })
    };
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + words.len()..].chars());
        let ends_sentence = after.clone().next() == Some('.') && !is_joined(after.clone().nth(1));
        !is_joined(before) && (ends_sentence || !is_joined(after.clone().next()))
    })
}

#[test]
fn no_text_has_a_word_that_is_no_longer_used() {
    let root = root();
    let banned = banned(&root);
    assert!(banned.len() > 20, "{} rows were read from docs/words.md", banned.len());

    let mut faults = Vec::new();
    for Text { place, text, .. } in texts::all(&root) {
        if KEPT.iter().any(|file| place.ends_with(file)) {
            continue;
        }
        let text =
            without_code(&text).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        for Banned { words, instead, except } in &banned {
            if except.iter().any(|file| place.contains(file.as_str())) {
                continue;
            }
            let left = except.iter().fold(text.clone(), |left, kept| left.replace(kept, ""));
            for word in words.iter().filter(|word| has(&left, word)) {
                faults.push(format!("{place}: “{word}”, not {instead}: {left}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} of docs/words.md:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn sentences_are_short() {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut long: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for text in texts::all(&root()).iter().filter(|text| texts::is_counted(text)) {
        let sentences = prose::sentences(&text.text);
        counts.entry(text.group).or_default().add(Count::of(&sentences));
        let found = sentences.iter().filter(|sentence| prose::is_long(sentence));
        long.entry(text.group)
            .or_default()
            .extend(found.map(|one| format!("{}: {one}", text.place)));
    }

    let mut faults = String::new();
    println!("{:<14}{:>10}{:>8}{:>7}{:>10}", "", "sentences", "words", "mean", "over 25");
    for (group, count) in &counts {
        let (mean, share) = (count.mean(), count.long_share());
        println!("{group:<14}{:>10}{:>8}{mean:>7.1}{share:>8.1} %", count.sentences, count.words);
        if mean > MAX_MEAN || share > MAX_LONG {
            faults += &format!("{group}:\n{}\n", long[group].join("\n"));
        }
    }
    assert!(counts.contains_key("help"), "no help was read");
    assert!(
        faults.is_empty(),
        "more than {MAX_MEAN} words on average, or {MAX_LONG} % long, in {faults}"
    );
}

/// Prints forty sentences, drawn by a seed from all groups alike.
#[test]
#[ignore = "prints, and holds nothing"]
fn forty() {
    let mut groups: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for text in texts::all(&root()).iter().filter(|text| texts::is_counted(text)) {
        groups.entry(text.group).or_default().extend(prose::sentences(&text.text));
    }
    let mut state = 46_u64;
    for n in 0..40 {
        let Some((group, sentences)) = groups.iter().nth(n % groups.len()) else { return };
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = (state >> 33) as usize % sentences.len().max(1);
        println!("{group}: {}", sentences.iter().nth(drawn).map_or("", String::as_str));
    }
}

#[test]
fn a_word_is_found_whole() {
    assert!(has("a stroke. then", "stroke") && has("stroke", "stroke"));
    assert!(
        !has("strokes", "stroke") && !has("stroke-width=2", "stroke") && !has("x.stroke", "stroke")
    );
}
