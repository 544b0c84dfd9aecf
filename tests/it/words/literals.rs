//! String literals of Rust source.

/// A string literal, and the source that stands between it and the literal before.
pub struct Literal {
    pub line: usize,
    pub before: String,
    pub text: String,
}

/// Lists the string literals of a source file: escapes resolved, comments and unit tests left out.
pub fn literals(source: &str) -> Vec<Literal> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let letters: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line, mut before) = (0, 1, String::new());
    while at < letters.len() {
        let rest = &letters[at..];
        let (length, literal) = match rest {
            ['/', '/', ..] => (up_to(rest, "\n"), None),
            ['/', '*', ..] => (up_to(rest, "*/") + 2, None),
            ['\'', '\\', _, ..] => (2 + up_to(&rest[2..], "'").max(1) + 1, None),
            ['\'', _, '\'', ..] => (3, None),
            ['r', '"' | '#', ..] if !before.ends_with(is_name) => match raw(rest) {
                Some((length, text)) => (length, Some(text)),
                None => (1, None),
            },
            ['"', ..] => {
                let (length, text) = quoted(rest);
                (length, Some(text))
            }
            _ => (1, None),
        };

        let length = length.min(rest.len());
        match literal {
            Some(text) => found.push(Literal { line, before: std::mem::take(&mut before), text }),
            None if length == 1 => before.push(rest[0]),
            None => {}
        }
        line += rest[..length].iter().filter(|&&letter| letter == '\n').count();
        at += length;
    }
    found
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Counts the letters before `end`.
fn up_to(letters: &[char], end: &str) -> usize {
    let end: Vec<char> = end.chars().collect();
    letters.windows(end.len()).position(|part| part == end).unwrap_or(letters.len())
}

/// Reads `r"…"` or `r#"…"#`: its length in the source, and its text.
fn raw(letters: &[char]) -> Option<(usize, String)> {
    let hashes = letters[1..].iter().take_while(|&&letter| letter == '#').count();
    let start = 2 + hashes;
    if letters.get(start - 1) != Some(&'"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let length = up_to(&letters[start..], &end);
    Some((start + length + end.len(), letters[start..start + length].iter().collect()))
}

/// Reads `"…"`: its length in the source, and its text.
fn quoted(letters: &[char]) -> (usize, String) {
    let (mut at, mut text) = (1, String::new());
    while at < letters.len() && letters[at] != '"' {
        if letters[at] != '\\' {
            text.push(letters[at]);
            at += 1;
            continue;
        }
        at += 2;
        match letters.get(at - 1) {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            // A line that goes on: the next line's margin is no part of it.
            Some('\n') => {
                at += letters[at..].iter().take_while(|letter| letter.is_whitespace()).count();
            }
            Some('u' | 'x') => {
                at += up_to(&letters[at..], "}") + 1;
                text.push(' ');
            }
            Some(&letter) => text.push(letter),
            None => {}
        }
    }
    (at + 1, text)
}

#[test]
fn literals_are_read_as_rust_reads_them() {
    let source = "// \"no\"\nlet a = 'b'; f::<'a>(\"one \\\n   two\", '\"', r#\"a \"raw\" one\"#);\n/* \"no\" */ g(\"\\\"said\\\"\")";
    let found: Vec<(usize, String)> =
        literals(source).into_iter().map(|one| (one.line, one.text)).collect();
    let expected = [(2, "one two"), (3, "a \"raw\" one"), (4, "\"said\"")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
}
