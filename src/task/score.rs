//! The rules for what counts as right (docs/definitions.md, section 8), in the conventions of the
//! lm-evaluation-harness, which the Painters paper uses. BOS stands before texts of a model that has one;
//! the harness adds none by default. A text longer than the context is refused or left out; the harness
//! cuts it from the left.

use serde::{Deserialize, Serialize};

pub use crate::measure::decomposition::argmax;

/// How a task's rows are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// The likeliest of the options' single tokens.
    Option,
    /// The likeliest continuation, by the sum of its tokens' log-probabilities (ARC, HellaSwag,
    /// WinoGrande).
    Continuation,
    /// Every token of the last word is the likeliest one (LAMBADA).
    LastWord,
    /// The text written greedily holds the right number (GSM8K).
    Generate,
}

impl Score {
    /// Names what the score calls right, as tables and axes say it.
    pub fn right(self) -> &'static str {
        match self {
            Self::Option | Self::Continuation => "right among the options",
            Self::LastWord => "right in the last word",
            Self::Generate => "right in the written number",
        }
    }
}

/// Where a written answer ends: what comes after is the model asking itself the next question.
pub const STOPS: [&str; 3] = ["Question:", "</s>", "<|im_end|>"];

/// The number a text answers with, plain: `1,234`, `$18` and `18.` are `1234`, `18` and `18`.
///
/// It is the first number behind a `####`, and where there is none the last number of the text
/// (lm-eval's `strict-match`, then its `flexible-extract`). Text after a [`STOPS`] is not read. A
/// number is an optional minus, then digits, dollars, commas and dots; lm-eval would also take a
/// lone `...` or `$.` for one, which is passed over here.
pub fn number(text: &str) -> Option<String> {
    let end = STOPS.iter().filter_map(|stop| text.find(stop)).min();
    let text = &text[..end.unwrap_or(text.len())];
    text.match_indices(MARK)
        .find_map(|(at, mark)| number_at(text[at + mark.len()..].trim_start()))
        .or_else(|| last_number(text))
}

const MARK: &str = "####";

/// Whether a written text answers with `answer`, compared as text, as lm-eval does: `18.0` is not
/// `18`.
pub fn answers(text: &str, answer: &str) -> bool {
    number(text).is_some_and(|found| Some(found) == number(answer))
}

/// The number that a text begins with.
fn number_at(text: &str) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - digits.len();
    let end = digits.find(|c| !part_of_number(c)).unwrap_or(digits.len());
    plain(&text[..sign + end])
}

fn last_number(text: &str) -> Option<String> {
    let mut last = None;
    let mut rest = text;
    while let Some(start) = rest.find(part_of_number) {
        let (before, run) = rest.split_at(start);
        let end = run.find(|c| !part_of_number(c)).unwrap_or(run.len());
        let signed = start - usize::from(before.ends_with('-'));
        last = plain(&rest[signed..start + end]).or(last);
        rest = &run[end..];
    }
    last
}

fn part_of_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '$' | ',' | '.')
}

/// Without commas, dollars and the dots that end a sentence; `None` if no digit is left.
fn plain(number: &str) -> Option<String> {
    let number: String = number.chars().filter(|c| !matches!(c, '$' | ',')).collect();
    let number = number.trim_end_matches('.');
    number.contains(|c: char| c.is_ascii_digit()).then(|| number.to_string())
}

/// A text and its last word with the space before it, as lm-eval splits LAMBADA: at the last space,
/// so that a word after a line's end keeps the line before it. `None` if there is no space, or
/// nothing before or behind it.
pub fn last_word(text: &str) -> Option<(&str, &str)> {
    let (context, word) = text.split_at(text.rfind(' ')?);
    (word.len() > 1 && !context.trim().is_empty()).then_some((context, word))
}

/// A continuation's length: the space that joins it to its context is not counted, and what is empty
/// counts as one.
pub fn bytes(continuation: &str) -> usize {
    let text = continuation.strip_prefix(' ').unwrap_or(continuation);
    text.len().max(1)
}

/// Every continuation's log-likelihood over its [`bytes()`], `[N]`: lm-eval's `acc_norm`, which counts
/// characters, the same in ASCII.
///
/// # Panics
/// If there is not one length a log-likelihood.
pub fn per_byte(log_likelihoods: &[f64], bytes: &[usize]) -> Vec<f64> {
    assert_eq!(log_likelihoods.len(), bytes.len(), "one length a log-likelihood");
    let each = log_likelihoods.iter().zip(bytes);
    each.map(|(sum, &bytes)| sum / bytes.max(1) as f64).collect()
}

/// Returns the perplexity of words, from the mean of their log-probabilities (nats per word).
pub fn perplexity(mean_log_likelihood: f64) -> f64 {
    (-mean_log_likelihood).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_behind_the_mark_comes_first() {
        for (text, expected) in [
            ("6 + 6 = 12\n#### 12", "12"),
            ("#### 1,450,000", "1450000"),
            ("#### -10", "-10"),
            ("#### $18.50", "18.50"),
            ("#### 18.\nand 4 more", "18"),
            ("####18 or 20", "18"),
            ("#### none, #### 7", "7"),
            ("#### 5\n\nQuestion: 3 hens\n#### 9", "5"),
        ] {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn without_a_mark_the_last_number() {
        for (text, expected) in [
            ("She has 3 hens and 12 eggs.", "12"),
            ("That makes $1,234.50.", "1234.50"),
            ("It is -3 degrees", "-3"),
            // lm-eval reads the second number of a range as negative, too.
            ("between 2-4", "-4"),
            ("5 apples...", "5"),
            ("it costs 7$", "7"),
            ("é 8 ü", "8"),
            ("#### five, so 5", "5"),
            ("10 eggs\nQuestion: What of 11?", "10"),
        ] {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "none", "$.", "...", "####", "Question: 3"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn answers_are_compared_as_plain_text() {
        assert!(answers("so 2,000 + 125 = 2,125.", "long way\n#### 2125"));
        assert!(answers(" #### 18", "18"));
        assert!(!answers("#### 18.0", "18"));
        assert!(!answers("18 - 1 is 17", "18"));
        assert!(!answers("no number", "none either"));
    }

    #[test]
    fn the_last_word_keeps_its_space() {
        assert_eq!(last_word("He saw the dog"), Some(("He saw the", " dog")));
        assert_eq!(last_word("kind of\n\nPower"), Some(("kind", " of\n\nPower")));
        assert_eq!(last_word("an  ü"), Some(("an ", " ü")));
        for text in ["", "word", " word", "word ", " "] {
            assert_eq!(last_word(text), None, "{text:?}");
        }
    }

    #[test]
    fn length_changes_which_continuation_wins() {
        let log_likelihoods = [-6.0, -8.0];
        let by_byte = per_byte(&log_likelihoods, &[" ab", " abcdé"].map(bytes));
        assert_eq!(by_byte, [-3.0, -8.0 / 6.0]);
        assert_eq!((argmax(&log_likelihoods), argmax(&by_byte)), (0, 1));
        assert_eq!(bytes(" "), 1);
        // With the space counted, the first would win.
        let one = [-3.0, -8.0];
        assert_eq!(argmax(&per_byte(&one, &[2, 5])), 0);
        assert_eq!(argmax(&per_byte(&one, &[" a", " abcd"].map(bytes))), 1);
        assert_eq!(argmax(&[-2.0, -1.0, -1.0]), 1);
    }

    #[test]
    fn a_sure_word_has_perplexity_1() {
        assert_eq!(perplexity(0.0), 1.0);
        assert!((perplexity(-(8.0_f64.ln())) - 8.0).abs() < 1e-12);
    }
}
