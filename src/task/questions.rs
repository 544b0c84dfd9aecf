//! A file's records as questions, and what was noticed on the way: nothing is left out in silence.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::definition::{Columns, FileLayout, LabelKind};
use super::error::TaskError;
use super::item::{Candidate, Item, TaskRow};
use super::score::{self, Score};
use super::table::{RawTable, TableRecord};

/// Counts of a file's rows that were left out or repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// Rows in the file.
    pub read: usize,
    /// Rows that ask something: all but the three kinds below that are left out.
    pub usable: usize,
    /// A part of the question is blank: left out.
    pub blank: NotedLines,
    /// A label that the task calls unlabelled: left out.
    pub unlabelled: NotedLines,
    /// More or fewer choices than the task has options: left out.
    pub choices: NotedLines,
    /// A question that an earlier row asked too, whatever its right answer: kept. Questions are compared by
    /// [`Item::text`].
    pub repeated: NotedLines,
}

/// The number of such rows, and the line numbers of the first few.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedLines {
    pub count: usize,
    pub first: Vec<usize>,
}

impl NotedLines {
    fn phrase(&self, what: &str) -> Option<String> {
        let first: Vec<String> = self.first.iter().map(usize::to_string).collect();
        let more = if self.count > first.len() { ", …" } else { "" };
        let lines = format!("{} {what} (line {}{more})", self.count, first.join(", "));
        (self.count > 0).then_some(lines)
    }

    fn add(&mut self, line: usize) {
        self.count += 1;
        if self.first.len() < 5 {
            self.first.push(line);
        }
    }
}

impl Notes {
    /// Returns one phrase per kind of row that was left out or repeated: empty where every row is asked and
    /// new.
    pub fn phrases(&self) -> Vec<String> {
        let mut phrases = self.left_out();
        phrases.extend(self.repeated.phrase("the same as an earlier one, kept"));
        phrases
    }

    /// Returns one phrase per kind of row that is left out.
    pub fn left_out(&self) -> Vec<String> {
        let kinds = [
            (&self.blank, "blank, left out"),
            (&self.unlabelled, "without an answer, left out"),
            (&self.choices, "with another number of choices, left out"),
        ];
        kinds.into_iter().filter_map(|(lines, what)| lines.phrase(what)).collect()
    }

    /// Makes the notes of rows of which none is left out.
    pub fn of(rows: &[TaskRow]) -> Self {
        let mut seen = HashSet::new();
        let mut notes = Notes { read: rows.len(), usable: rows.len(), ..Notes::default() };
        for row in rows.iter().filter(|row| !seen.insert(hash(&row.item))) {
            notes.repeated.add(row.line);
        }
        notes
    }

    /// Counts questions that were asked before.
    pub fn repeats(&mut self, rows: &[TaskRow]) {
        self.repeated = Self::of(rows).repeated;
    }
}

/// Hashes a question without its right answer; 128 bits, so that two questions do not share a hash by chance.
fn hash(item: &Item) -> u128 {
    let half = |which: u8| {
        let mut hasher = DefaultHasher::new();
        (which, item.text()).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Every row of a table that asks something, in order.
///
/// # Errors
/// Columns that are not the task's, labels outside its map, or no row left.
pub fn questions(
    table: RawTable,
    columns: &Columns,
    score: Score,
) -> Result<(Vec<TaskRow>, Notes), TaskError> {
    let (layout, records) = table.records(&columns.template, &columns.layouts)?;
    let mut notes = Notes { read: records.len(), ..Notes::default() };
    let mut rows = Vec::new();
    let mut wrong: Option<(usize, String)> = None;
    let mut wrong_count = 0;
    for record in &records {
        let line = record.line;
        match question(record, layout, columns, score)? {
            ReadRecord::Item(item) => rows.push(TaskRow::new(line, item)),
            ReadRecord::Blank => notes.blank.add(line),
            ReadRecord::Unlabelled => notes.unlabelled.add(line),
            ReadRecord::Choices => notes.choices.add(line),
            ReadRecord::Label(label) => {
                wrong_count += 1;
                wrong.get_or_insert((line, label));
            }
        }
    }
    if let Some((line, label)) = wrong {
        return Err(TaskError::Labels { count: wrong_count, rows: notes.read, line, label });
    }
    refuse_if!(records.is_empty(), TaskError::NoRows);
    refuse_if!(rows.is_empty(), TaskError::NothingLeft { rows: notes.read });
    notes.usable = rows.len();
    notes.repeats(&rows);
    Ok((rows, notes))
}

/// The result of reading a record.
enum ReadRecord {
    Item(Item),
    Blank,
    Unlabelled,
    Choices,
    Label(String),
}

fn question(
    record: &TableRecord,
    layout: &FileLayout,
    columns: &Columns,
    score: Score,
) -> Result<ReadRecord, TaskError> {
    let missing = |name: &str| TaskError::Field { line: record.line, name: name.to_string() };
    let choices = match &layout.choices {
        Some(name) => Some(layout.choices(record).ok_or_else(|| missing(name))?),
        None => None,
    };
    let listed = match &choices {
        Some(choices) if !columns.options.is_empty() && choices.len() != columns.options.len() => {
            return Ok(ReadRecord::Choices);
        }
        Some(choices) if columns.options.is_empty() => {
            if choices.len() < 2 {
                return Ok(ReadRecord::Choices);
            }
            choices.join(", ")
        }
        Some(choices) => {
            let lines = columns.options.iter().zip(choices);
            let lines: Vec<String> =
                lines.map(|(letter, choice)| format!("{letter}: {choice}")).collect();
            lines.join("\n")
        }
        None => columns.options.join(", "),
    };
    let mut blank = choices
        .as_ref()
        .is_some_and(|choices| choices.iter().any(|choice| choice.trim().is_empty()));
    let prompt = columns.template.fill(|name| {
        if name == "options" {
            return Ok::<_, TaskError>(listed.clone());
        }
        let text = layout.text(name, record).ok_or_else(|| missing(name))?;
        blank |= text.trim().is_empty();
        Ok(text)
    })?;
    if blank || prompt.trim().is_empty() {
        return Ok(ReadRecord::Blank);
    }
    let label = layout.label(record);
    let label = label.ok_or_else(|| missing(layout.label.names().next().unwrap_or("label")))?;
    if layout.unlabelled.contains(&label) {
        return Ok(ReadRecord::Unlabelled);
    }
    if score == Score::Generate {
        return Ok(match score::number(&label) {
            Some(answer) => ReadRecord::Item(Item::Generate { prompt, answer }),
            None => ReadRecord::Label(label),
        });
    }
    if score == Score::LastWord {
        return Ok(match score::last_word(&prompt) {
            Some((context, word)) => ReadRecord::Item(Item::LastWord {
                context: context.to_string(),
                word: word.to_string(),
            }),
            None => ReadRecord::Blank,
        });
    }
    let texts = if columns.options.is_empty() {
        choices.unwrap_or_default()
    } else {
        columns.options.clone()
    };
    let Some(answer) = answer(&label, record.line, layout, &texts)? else {
        return Ok(ReadRecord::Label(label));
    };
    let options = texts.iter().map(|text| format!("{}{}", columns.blank, text.trim()));
    Ok(ReadRecord::Item(match score {
        Score::Option => Item::Option { prompt, options: options.collect(), answer },
        _ => Item::Continuation {
            candidates: options
                .map(|continuation| Candidate { context: prompt.clone(), continuation })
                .collect(),
            answer,
        },
    }))
}

/// The option that a label names: through the map, or else by its text or its index, counted from 0.
///
/// # Errors
/// The label is one option's text and another's index, and the layout does not say which is meant.
fn answer(
    label: &str,
    line: usize,
    layout: &FileLayout,
    texts: &[String],
) -> Result<Option<usize>, TaskError> {
    if !layout.labels.is_empty() {
        let option = layout.labels.get(label);
        return Ok(option.and_then(|option| texts.iter().position(|text| text == option)));
    }
    let by_text = texts.iter().position(|text| text.trim() == label);
    // "+1" and "01" parse, and are no index.
    let by_index = label.parse().ok();
    let by_index =
        by_index.filter(|index: &usize| *index < texts.len() && index.to_string() == label);
    match (layout.label_is, by_text, by_index) {
        (Some(LabelKind::Text), ..) => Ok(by_text),
        (Some(LabelKind::Index), ..) => Ok(by_index),
        (None, Some(text), Some(index)) if text != index => Err(TaskError::LabelTwice {
            line,
            label: label.to_string(),
            indexed: texts[index].trim().to_string(),
        }),
        (None, ..) => Ok(by_text.or(by_index)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::definition::Template;
    use super::*;

    #[test]
    fn an_index_is_written_in_digits_without_a_sign_or_a_leading_zero() {
        let layout = FileLayout {
            columns: None,
            fields: BTreeMap::new(),
            label: Template::parse("{label}").expect("a template"),
            labels: BTreeMap::new(),
            label_is: Some(LabelKind::Index),
            unlabelled: Vec::new(),
            choices: None,
        };
        let texts = ["bad".to_string(), "good".to_string()];
        let option = |label: &str| answer(label, 1, &layout, &texts).expect("one reading");
        assert_eq!(["0", "1", "2"].map(option), [Some(0), Some(1), None]);
        assert_eq!(["+1", "01", "-0", " 1", ""].map(option), [None; 5]);
    }

    #[test]
    fn a_question_in_ids_is_repeated_only_with_its_options() {
        let row = |line: usize, option_ids: [u32; 2]| {
            let option_ids = option_ids.to_vec();
            let item = Item::Ids { token_ids: vec![1, 5, 9], option_ids, answer: 0 };
            TaskRow { line, item, level: None }
        };
        let notes = Notes::of(&[row(1, [17, 230]), row(2, [17, 231]), row(3, [17, 230])]);
        assert_eq!(notes.repeated, NotedLines { count: 1, first: vec![3] });
    }
}
