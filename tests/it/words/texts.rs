//! Everything that people read: the page, lessons, figures, help, errors and documents.

use std::fs;
use std::path::{Path, PathBuf};

use super::literals::{Literal, literals};
use super::prose::of_markdown;

/// A text, the group that it is counted with, and where it stands.
pub struct Text {
    pub group: &'static str,
    pub place: String,
    pub text: String,
}

/// Files whose sentences hold formulas, names and numbers, or lists alone.
const UNCOUNTED: [&str; 5] =
    ["definitions.md", "words.md", "smollm2.md", "CHANGELOG.md", "src/study/lessons/reading/"];

/// Tags that stand within a sentence of the page.
const INLINE: [&str; 7] = ["span", "cite", "code", "em", "strong", "b", "i"];

/// Reads everything below the project's folder that people meet.
pub fn all(root: &Path) -> Vec<Text> {
    let mut all = Vec::new();
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"] {
        let group = if name == "README.md" { "README" } else { "docs" };
        all.extend(document(root, &root.join(name), group));
    }
    for path in files(&root.join("docs"), "md") {
        all.extend(document(root, &path, "docs"));
    }
    for (folder, group) in
        [("app", "page"), ("chart", "figures"), ("cli", "command line"), ("study", "errors")]
    {
        for path in files(&root.join("src").join(folder), "rs") {
            all.extend(of_source(root, &path, group));
        }
    }
    for folder in ["engine", "model", "plan", "task", "train"] {
        for path in files(&root.join("src").join(folder), "rs") {
            if path.ends_with("error.rs") {
                all.extend(of_source(root, &path, "errors"));
            }
        }
    }
    for path in files(&root.join("public/lessons"), "toml") {
        all.extend(lesson(root, &path));
    }
    for name in ["index.html", "web/404.html", "web/hub.html"] {
        all.extend(of_html(root, &root.join(name)));
    }
    all.extend(examples(root));
    for path in files(&root.join("tests/golden/help"), "txt") {
        all.extend(help(root, &path));
    }
    all
}

/// Whether a text's sentences are counted.
pub fn is_counted(text: &Text) -> bool {
    !UNCOUNTED.iter().any(|name| text.place.contains(name))
}

fn document(root: &Path, path: &Path, group: &'static str) -> Option<Text> {
    let text = of_markdown(&fs::read_to_string(path).ok()?);
    Some(Text { group, place: place(root, path), text })
}

/// The strings of a lesson that are sentences, one a line in its file.
fn lesson(root: &Path, path: &Path) -> Vec<Text> {
    let keys = [
        "title", "belief", "takeaway", "say", "ask", "reveal", "caveat", "text", "why", "but",
        "lacking", "question",
    ];
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let (key, value) =
            line.split_once(" = ").unwrap_or(("", line.trim().trim_end_matches(',')));
        let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        if let Some(value) = value.filter(|_| key.is_empty() || keys.contains(&key)) {
            found.push(Text {
                group: "lessons",
                place: format!("{}:{}", place(root, path), n + 1),
                text: value.to_owned(),
            });
        }
    }
    found
}

/// What stands between the tags of a page's document, and what others show beside a link to it.
fn of_html(root: &Path, path: &Path) -> Vec<Text> {
    let source = fs::read_to_string(path).unwrap_or_default();
    let mut found = Vec::new();
    let mut line = 1;
    for piece in source.split('<').skip(1) {
        let (tag, after) = piece.split_once('>').unwrap_or((piece, ""));
        let is_shown = ["name=\"description\"", "property=\"og:", "name=\"twitter:"];
        let content = tag.split_once("content=\"").and_then(|(_, rest)| rest.split_once('"'));
        let content = content.filter(|_| is_shown.iter().any(|name| tag.contains(name)));
        let is_words = !tag.starts_with("style") && !tag.starts_with("script");
        let between = Some(after).filter(|_| is_words);
        for text in content.map(|(text, _)| text).into_iter().chain(between) {
            if text.trim().contains(' ') {
                let place = format!("{}:{line}", place(root, path));
                found.push(Text { group: "page", place, text: text.trim().to_owned() });
            }
        }
        line += piece.matches('\n').count();
    }
    found
}

/// The line under each example prompt.
fn examples(root: &Path) -> Vec<Text> {
    let path = root.join("src/task/english.json");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let looks = text
        .lines()
        .enumerate()
        .filter_map(|(n, line)| Some((n, line.trim().strip_prefix("\"look\": \"")?)));
    looks
        .map(|(n, line)| Text {
            group: "page",
            place: format!("{}:{}", place(root, &path), n + 1),
            text: line.trim_end_matches([',', '"']).to_owned(),
        })
        .collect()
}

/// A command's help. Its sentences stand at the margin, and deep under its options; lines between are examples,
/// lists and the options' own.
fn help(root: &Path, path: &Path) -> Option<Text> {
    let mut plain = String::new();
    for line in fs::read_to_string(path).ok()?.lines() {
        let start = line.trim_start();
        let is_sentence = matches!(line.len() - start.len(), 0 | 10..) && !start.starts_with('-');
        match is_sentence
            && !start.is_empty()
            && !start.starts_with("Usage:")
            && !start.ends_with(':')
        {
            true => plain += &format!("{start}\n"),
            false => plain += "\n\n",
        }
    }
    Some(Text { group: "help", place: place(root, path), text: plain })
}

/// The strings of a source file that are read as text, with those joined that one sentence of the page has.
fn of_source(root: &Path, path: &Path, group: &'static str) -> Vec<Text> {
    let source = fs::read_to_string(path).unwrap_or_default();
    let mut found: Vec<Text> = Vec::new();
    if path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests") {
        return found;
    }
    let mut follows = false;
    for literal in literals(&source) {
        let joins = follows && is_within_sentence(&literal.before);
        if joins && let Some(last) = found.last_mut() {
            last.text += &literal.text;
            continue;
        }
        follows = is_text(&literal);
        if follows {
            let place = format!("{}:{}", place(root, path), literal.line);
            found.push(Text { group, place, text: literal.text });
        }
    }
    found
}

/// Lines from which on a string is a listing, such as a help's examples.
const LISTING: usize = 4;

/// Whether a string is read as text: it has a blank or begins like a sentence, and is neither markup, a class, a
/// file's name, a listing nor what a broken promise says.
fn is_text(literal: &Literal) -> bool {
    let before = literal.before.trim_end_matches(['(', '!', ' ', '\n']);
    let is_code = [
        "class=",
        "class",
        "id=",
        "expect",
        "expect_err",
        "include_str",
        "style=",
        "unreachable",
        "panic",
        "class=format",
        "id=format",
    ]
    .iter()
    .any(|end| before.ends_with(end));
    let text = literal.text.trim();
    let is_markup =
        text.contains("=\"") || text.starts_with(['<', '#', '.', '@', '/']) || text.contains("</");
    let is_listing = text.starts_with("Example") || text.lines().count() >= LISTING;
    let is_worded = text.contains(' ') || text.starts_with(|c: char| c.is_ascii_uppercase());
    !is_code && !is_markup && !is_listing && is_worded && text.chars().any(char::is_alphabetic)
}

/// Whether nothing but tags stands here that belong within a sentence.
fn is_within_sentence(between: &str) -> bool {
    let mut rest = between.trim();
    while let Some(inner) = rest.strip_prefix('<') {
        let Some((tag, after)) = inner.split_once('>') else { return false };
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        if !INLINE.contains(&name) && name != "a" {
            return false;
        }
        rest = after.trim();
    }
    rest.is_empty()
}

fn place(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Lists the files below a folder whose names end so, by name.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.extension().is_some_and(|extension| extension == end) {
            found.push(path);
        }
    }
    found.sort();
    found
}
