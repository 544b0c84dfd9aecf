//! Sentences, and how many words they have.

/// A sentence of more words is long.
const LONG: usize = 25;

/// How many sentences a text has, their words, and how many sentences are long.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    pub sentences: usize,
    pub words: usize,
    pub long: usize,
}

impl Count {
    pub fn of(sentences: &[String]) -> Self {
        let lengths: Vec<usize> = sentences.iter().map(|sentence| words(sentence)).collect();
        Self {
            sentences: lengths.len(),
            words: lengths.iter().sum(),
            long: sentences.iter().filter(|sentence| is_long(sentence)).count(),
        }
    }

    pub fn add(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.words += other.words;
        self.long += other.long;
    }

    pub fn mean(self) -> f64 {
        self.words as f64 / self.sentences.max(1) as f64
    }

    /// The long sentences, in per cent of all.
    pub fn long_share(self) -> f64 {
        100.0 * self.long as f64 / self.sentences.max(1) as f64
    }
}

pub fn is_long(sentence: &str) -> bool {
    words(sentence) > LONG
}

/// Counts words: runs between blanks that have a letter or a digit. A field in braces is one word.
pub fn words(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.chars().any(|c| c.is_alphanumeric() || c == '{'))
        .count()
}

/// A piece without a full stop, such as a title or an error, counts as a sentence from this many words on. Shorter
/// ones are labels.
const LABEL: usize = 8;

/// Lists a text's sentences.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut sentence = String::new();
        for word in paragraph.split_whitespace() {
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            sentence += word;
            if is_end(word) {
                found.push(std::mem::take(&mut sentence));
            }
        }
        if words(&sentence) >= LABEL {
            found.push(sentence);
        }
    }
    found.retain(|sentence| words(sentence) > 1);
    found
}

/// Whether a sentence ends with this word. Initials and short forms end none.
fn is_end(word: &str) -> bool {
    let bare = word.trim_end_matches(['"', '”', '’', ')', '*', '_', '`']);
    let is_short = ["e.g.", "i.e.", "vs.", "cf.", "al.", "Eq.", "pp.", "no."].contains(&bare)
        || (bare.len() == 2 && bare.starts_with(|c: char| c.is_ascii_uppercase()));
    bare.ends_with(['.', '!', '?']) && !is_short
}

/// Strips Markdown to what a reader reads in sentences: no code blocks, tables, headings, comments or addresses.
/// A list's items stand as paragraphs.
pub fn of_markdown(text: &str) -> String {
    let mut plain = String::new();
    let mut in_code = false;
    for line in without_comments(text).lines() {
        let start = line.trim_start();
        if start.starts_with("```") {
            in_code = !in_code;
            plain += "\n\n";
        } else if in_code || line.starts_with("    ") && plain.ends_with("\n\n") {
        } else if start.is_empty() || ["|", "#", "<"].iter().any(|mark| start.starts_with(mark)) {
            plain += "\n\n";
        } else {
            let (number, item) = start.split_once(". ").unwrap_or_default();
            let is_numbered = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
            let item = if is_numbered {
                Some(item)
            } else {
                start.strip_prefix("- ").or(start.strip_prefix("* "))
            };
            plain += if item.is_some() { "\n\n" } else { "" };
            plain += &without_addresses(item.unwrap_or(start));
            plain.push('\n');
        }
    }
    plain.replace("**", "")
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once("-->").map_or("", |(_, rest)| rest))
}

/// `[text](address)` becomes `text`, a picture nothing, and code one word.
fn without_addresses(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        let end = rest[at..].find(')').map_or(rest.len(), |end| at + end + 1);
        plain += &rest[..at];
        rest = &rest[end..];
    }
    plain += rest;
    let is_code = |(n, part): (usize, &str)| {
        if n % 2 == 1 { part.replace(' ', "-") } else { part.to_owned() }
    };
    let parts: Vec<String> = plain.split('`').enumerate().map(is_code).collect();
    parts.join("`").replace(['[', ']'], "")
}

#[test]
fn sentences_are_counted_without_code_tables_and_addresses() {
    let text = "# A title of its own.\n\nSee [the docs](https://a.b/c d). Run `cargo xtask build` now!\n\n| a b. | c |\n\n```sh\nnot this. nor this.\n```\n- One item of a\n  list.\n- Another\n";
    let found = sentences(&of_markdown(text));
    assert_eq!(found, ["See the docs.", "Run `cargo-xtask-build` now!", "One item of a list."]);
    assert_eq!(Count::of(&found), Count { sentences: 3, words: 11, long: 0 });
}

#[test]
fn a_long_sentence_is_counted_with_or_without_its_full_stop() {
    let long = vec!["word"; 26].join(" ");
    assert_eq!(Count::of(&sentences(&long)).long, 1);
    assert_eq!(Count::of(&sentences(&format!("{long}."))).long_share(), 100.0);
    assert_eq!(sentences("A label, no sentence"), Vec::<String>::new());
}
