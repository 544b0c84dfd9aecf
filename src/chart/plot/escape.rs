//! Text as it may stand in an XML file.

/// Markup escaped; characters that XML 1.0 forbids, even escaped, become U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

/// Breaks a text at spaces into lines of at most `limit` characters; a longer word is cut in two. A no-break space
/// belongs to its word.
pub(super) fn wrapped(text: &str, limit: usize) -> Vec<String> {
    let limit = limit.max(4);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_ascii_whitespace() {
        let mut letters: Vec<char> = word.chars().collect();
        while letters.len() > limit {
            let rest = letters.split_off(limit);
            lines.push(letters.into_iter().collect());
            letters = rest;
        }
        let word: String = letters.into_iter().collect();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= limit => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// At most `limit` characters, the last one `…` where there were more.
pub(in crate::chart) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_does_not_get_in() {
        assert_eq!(
            escaped("a\u{0}\u{8}b \u{1b}[0m \u{ffff}<&>\"'\t"),
            "a\u{fffd}\u{fffd}b \u{fffd}[0m \u{fffd}&lt;&amp;&gt;&quot;'\t"
        );
    }

    #[test]
    fn lines_are_no_longer_than_they_may_be() {
        assert_eq!(wrapped("one two three abcdefghij", 8), ["one two", "three", "abcdefgh", "ij"]);
        assert_eq!(wrapped("all of 10\u{a0}% more", 9), ["all of", "10\u{a0}% more"]);
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
