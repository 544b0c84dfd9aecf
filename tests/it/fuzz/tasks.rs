//! Tasks as people write them, and the files that are read by them.

use std::path::Path;
use std::sync::LazyLock;

use atelier::task::definition::{Definition, Form};
use atelier::task::questions::questions;
use atelier::task::score::{answers, last_word, number};
use atelier::task::table;
use proptest::prelude::*;

use super::{cases, mutated, one_line};
use crate::common::in_project;

/// Every task that is shipped.
static TASKS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = in_project("src/task/catalogue");
    let files = folder.read_dir().expect("the catalogue");
    let paths = files.map(|entry| entry.expect("an entry").path());
    let tasks: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| std::fs::read_to_string(path).expect("a task"))
        .collect();
    assert!(tasks.len() > 10);
    tasks
});

const OWN: &str = "name = \"two\"\nscore = \"option\"\nfiles = [\"two.csv\"]\n\
                   template = \"{text} {answer}\"\noptions = [\"yes\", \"no\"]\n\
                   [[layout]]\nfields = { text = { from = \"{text}\", after = \": \" } }\nlabel = \"{label}\"\n\
                   [[layout]]\ncolumns = [\"label\", \"text\"]\nlabel = \"{label}\"\n";

const FILES: [&str; 4] = [
    "text,label\n\"a: b, \"\"c\"\"\",0\na: d,1\n\n\"a: e\nf\",yes\n",
    "0,a: b\n1,a: c\n",
    "text\tlabel\na: \"b\t0\na: c\tno\n",
    "{\"text\": \"a: b\", \"label\": 0}\n\n{\"text\": \"a: c\", \"label\": \"no\", \"more\": [1, {\"x\": null}]}\n",
];

fn read_task(text: &str) -> Option<Definition> {
    match Definition::parse(text, "own.toml") {
        Ok(definition) => {
            assert!(!definition.name.is_empty() && definition.first > 0, "{text}");
            if let Form::Columns(columns) = &definition.form {
                let mut options: Vec<&str> = columns.options.iter().map(|o| o.trim()).collect();
                options.sort_unstable();
                options.dedup();
                assert_eq!(options.len(), columns.options.len(), "{text}");
            }
            Some(definition)
        }
        Err(error) => {
            one_line(text, &error.to_string());
            None
        }
    }
}

/// A file of each kind by a task: questions whose answers are among their options, or a refusal.
fn read_file(definition: &Definition, file: &[u8]) {
    let Form::Columns(columns) = &definition.form else { return };
    for name in ["a.csv", "a.tsv", "a.jsonl", "a.parquet"] {
        let read = table::read(Path::new(name), file)
            .and_then(|table| questions(table, columns, definition.score));
        match read {
            Ok((rows, notes)) => {
                assert!(notes.usable == rows.len() && notes.read >= rows.len());
                for row in rows {
                    assert!(row.line > 0);
                    let options = row.item.options();
                    assert!(row.item.answer().is_none_or(|answer| answer < options));
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn a_task_mistyped(text in mutated(&TASKS, "{}[]\",:=#0123456789\n\u{0} ")) {
        read_task(&text);
    }

    #[test]
    fn a_task_of_any_characters(text in any::<String>()) {
        read_task(&text);
    }

    #[test]
    fn an_own_task_mistyped_and_its_files(
        text in mutated(&[OWN], "{}[]\",:=#0123456789\n\u{0} abtxl"),
        file in prop::sample::select(FILES.to_vec()),
    ) {
        if let Some(definition) = read_task(&text) {
            read_file(&definition, file.as_bytes());
        }
    }

    #[test]
    fn files_mistyped(file in mutated(&FILES, "{}[]\",:0123456789\n\r\t\u{0} ")) {
        let own = Definition::parse(OWN, "own.toml").expect("a task");
        read_file(&own, file.as_bytes());
    }

    #[test]
    fn files_of_any_bytes(file in prop::collection::vec(any::<u8>(), 0..300)) {
        let own = Definition::parse(OWN, "own.toml").expect("a task");
        read_file(&own, &file);
    }

    #[test]
    fn what_a_model_may_write(text in "[0-9$,.#\\- a-z\u{e9}\n]{0,60}") {
        if let Some(found) = number(&text) {
            prop_assert!(found.contains(|c: char| c.is_ascii_digit()));
            prop_assert!(answers(&text, &found) || text.contains("####"));
        }
        if let Some((context, word)) = last_word(&text) {
            prop_assert_eq!(format!("{context}{word}"), text);
        }
    }
}
