//! Prompts from a file, one JSON object a line:
//!
//! ```json
//! {"prompt": "Tom was very", "options": [" happy", " sad"], "answer": 0}
//! {"ids": [1, 5, 9], "rows": [17, 230], "answer": 1}
//! ```
//!
//! The second form gives token ids and output rows, for models without a tokenizer. Other fields
//! are left alone, so that a file may carry its own names and notes. Blank lines are skipped.

use std::io::{BufRead, Read};

use serde::Deserialize;

use super::item::{Item, TaskRow};

/// Why a file of prompts cannot be read. Lines and columns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    #[error("line {line} is not UTF-8 text: save the file as UTF-8")]
    NotText { line: usize },
    #[error("line {line} is not a row ({reason}, column {column}): {FORM}")]
    Json { line: usize, column: usize, reason: String },
    #[error("line {line} is longer than {} MB: write one row a line", LINE >> 20)]
    Long { line: usize },
    #[error("it cannot be read ({reason})")]
    Read { reason: String },
    #[error("line {line} has {found}: {FORM}")]
    Fields { line: usize, found: &'static str },
    #[error("line {line} has {options} options: a row needs at least two")]
    TooFewOptions { line: usize, options: usize },
    #[error("line {line} has answer {answer}, but its {options} options are counted from 0")]
    Answer { line: usize, answer: usize, options: usize },
    #[error("the file holds no rows: write one JSON object a line, {FORM_ALONE}")]
    Empty,
}

const FORM: &str = r#"write {"prompt": "…", "options": [" a", " b"], "answer": 0} or {"ids": [1, 5], "rows": [17, 30], "answer": 0}"#;
const FORM_ALONE: &str = r#"such as {"prompt": "…", "options": [" a", " b"], "answer": 0}"#;

#[derive(Deserialize)]
struct JsonLine {
    prompt: Option<String>,
    options: Option<Vec<String>>,
    ids: Option<Vec<u32>>,
    rows: Option<Vec<u32>>,
    answer: Option<usize>,
}

/// Longest line that is read.
const LINE: u64 = 16 << 20;

/// Reads every row of a file's bytes, in order. At least one.
///
/// # Errors
/// The first line that is no row, by its number, or a file without rows.
pub fn read(file: &[u8]) -> Result<Vec<TaskRow>, RowsError> {
    each(file).collect()
}

/// Reads the rows of a file one by one; nothing comes after an error.
pub fn each<R: BufRead>(from: R) -> RowReader<R> {
    RowReader { from, line: 0, found: false, ended: false }
}

/// See [`each`].
pub struct RowReader<R> {
    from: R,
    line: usize,
    found: bool,
    ended: bool,
}

impl<R: BufRead> RowReader<R> {
    /// The next line that is not blank; `None` after the last one.
    fn next_row(&mut self) -> Result<Option<TaskRow>, RowsError> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            self.line += 1;
            let line = self.line;
            let mut limited = (&mut self.from).take(LINE + 1);
            let read = limited.read_until(b'\n', &mut bytes);
            let count = read.map_err(|error| RowsError::Read { reason: error.to_string() })?;
            if count == 0 {
                return if self.found { Ok(None) } else { Err(RowsError::Empty) };
            }
            refuse_if!(bytes.len() as u64 > LINE, RowsError::Long { line });
            let text = match line {
                1 => bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes),
                _ => &bytes,
            };
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            let text = std::str::from_utf8(text).map_err(|_| RowsError::NotText { line })?;
            if !text.trim().is_empty() {
                self.found = true;
                return row(text, line).map(Some);
            }
        }
    }
}

impl<R: BufRead> Iterator for RowReader<R> {
    type Item = Result<TaskRow, RowsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_row().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

fn row(text: &str, line: usize) -> Result<TaskRow, RowsError> {
    let read: JsonLine = serde_json::from_str(text).map_err(|error| {
        // serde_json counts lines within `text`, which is always its first.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = error.to_string().replace(&place, "");
        RowsError::Json { line, column: error.column(), reason }
    })?;
    let wrong = |found| RowsError::Fields { line, found };
    let no_answer = || wrong("no answer (the index of the right option)");
    let item = match (read.prompt, read.options, read.ids, read.rows) {
        (Some(prompt), Some(options), None, None) => {
            Item::Option { prompt, options, answer: read.answer.ok_or_else(no_answer)? }
        }
        (None, None, Some(token_ids), Some(option_ids)) => {
            Item::Ids { token_ids, option_ids, answer: read.answer.ok_or_else(no_answer)? }
        }
        (Some(_), None, None, None) => return Err(wrong("a prompt but no options")),
        (None, Some(_), None, None) => return Err(wrong("options but no prompt")),
        (None, None, Some(_), None) => {
            return Err(wrong("ids but no rows (the options' output rows)"));
        }
        (None, None, None, Some(_)) => return Err(wrong("rows but no ids (the prompt's tokens)")),
        (None, None, None, None) => return Err(wrong("neither a prompt nor ids")),
        _ => return Err(wrong("both text and ids")),
    };
    let options = item.options();
    refuse_if!(options < 2, RowsError::TooFewOptions { line, options });
    match item.answer() {
        Some(answer) if answer >= options => Err(RowsError::Answer { line, answer, options }),
        _ => Ok(TaskRow::new(line, item)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(file: &str) -> String {
        read(file.as_bytes()).expect_err(file).to_string()
    }

    #[test]
    fn both_forms_with_their_line_numbers() {
        let file = "\u{feff}{\"prompt\": \"a\", \"options\": [\" x\", \" y\"], \"answer\": 1, \"task\": \"t\"}\r\n\
                    \n  \n{\"ids\": [1, 2], \"rows\": [3, 4, 5], \"answer\": 0}";
        let rows = read(file.as_bytes()).expect("two rows");
        let options = vec![" x".into(), " y".into()];
        let text = Item::Option { prompt: "a".into(), options, answer: 1 };
        let ids = Item::Ids { token_ids: vec![1, 2], option_ids: vec![3, 4, 5], answer: 0 };
        assert_eq!(rows, [TaskRow::new(1, text), TaskRow::new(4, ids)]);
    }

    /// A line, and how its refusal begins.
    const REFUSED: &str = r#"
{"prompt": "a" | is not a row (EOF while parsing an object, column 14): write {
[1] | is not a row (invalid type:
{"prompt": "a", "options": "x", "answer": 1} | is not a row (invalid type: string "x", expected a sequence, column 30)
{"prompt": "a", "options": ["x", "y"], "answer": -1} | is not a row (invalid value: integer `-1`, expected usize, column 51)
{"prompt": "a", "answer": 1} | has a prompt but no options: write {
{"prompt": "a", "options": ["x", "y"], "ids": [1], "answer": 1} | has both text and ids:
{"prompt": "a", "options": ["x", "y"]} | has no answer (the index of the right option):
{"prompt": "a", "options": ["x"], "answer": 0} | has 1 options: a row needs at least two
{"prompt": "a", "options": ["x", "y"], "answer": 2} | has answer 2, but its 2 options are counted from 0
"#;

    #[test]
    fn a_refusal_names_the_line() {
        let good = r#"{"prompt": "a", "options": ["x", "y"], "answer": 1}"#;
        for case in REFUSED.lines().filter(|line| !line.is_empty()) {
            let (bad, start) = case.split_once(" | ").expect("a line and its refusal");
            let sentence = refusal(&format!("{good}\n{bad}\n{good}\n"));
            assert!(sentence.starts_with(&format!("line 2 {start}")), "{sentence}");
        }
    }

    #[test]
    fn nothing_and_what_is_not_text_are_refused() {
        assert!(refusal("").starts_with("the file holds no rows"));
        assert!(refusal("\n\r\n \n").starts_with("the file holds no rows"));
        assert_eq!(read(b"\n\xff\xfe").expect_err("not UTF-8"), RowsError::NotText { line: 2 });
    }
}
