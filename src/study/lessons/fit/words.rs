//! Texts and predicates of a step, with what is known of it before any run: its places and its tasks.

use std::collections::BTreeMap;

use super::places::StepPlaces;
use crate::study::lessons::field::{TextPiece, pieces};
use crate::study::lessons::{
    FieldName, LessonError, LessonOption, LessonStep, PlainOption, PlainStep,
};

/// Names that the words of a step use.
pub struct StepWords<'a> {
    pub places: StepPlaces<'a>,
    pub tasks: StepTasks,
}

/// Which tasks the rows of a step are of.
#[derive(Default)]
pub struct StepTasks {
    /// The task that each group of rows asks, by the group's name in the file.
    pub asked: BTreeMap<String, String>,
    /// The name of a group where it is not that of the file, but a task in plain English.
    pub renamed: BTreeMap<String, String>,
}

impl StepTasks {
    /// Whether these rows, by the name that they have now, are in plain English.
    pub fn is_plain(&self, name: &str) -> bool {
        self.renamed.values().any(|task| task == name)
    }
}

impl StepWords<'_> {
    /// Changes a text so that `{place.late}` is a block and `{task.quiz}` a task. Fields of runs stay, with the names that
    /// the run has.
    ///
    /// # Errors
    /// A text that is malformed; a place or a task that the step does not name.
    pub fn fill_in(&self, text: &mut String) -> Result<(), LessonError> {
        let mut whole = String::with_capacity(text.len());
        for piece in pieces(text)? {
            match piece {
                TextPiece::Plain(plain) => whole += plain,
                TextPiece::Field(name, format) => match self.known(&name)? {
                    Some(known) => whole += &known,
                    None => whole += &format!("{{{}{format}}}", self.renamed(name)),
                },
            }
        }
        *text = whole;
        Ok(())
    }

    /// Returns the field of a run, with the names that the run has.
    pub fn renamed(&self, mut name: FieldName) -> FieldName {
        for part in &mut name.parts {
            if let Some(other) = self.tasks.renamed.get(part) {
                part.clone_from(other);
            }
        }
        name
    }

    /// Returns what needs no run; `None` for a field of a run.
    fn known(&self, name: &FieldName) -> Result<Option<String>, LessonError> {
        let parts: Vec<&str> = name.parts.iter().map(String::as_str).collect();
        let (is_capital, group) = match *parts {
            _ if name.is_before => return Ok(None),
            ["place", expression] => return Ok(Some(self.places.block(expression)?.to_string())),
            ["task", group] => (false, group),
            ["Task", group] => (true, group),
            _ => return Ok(None),
        };
        let task = self.tasks.asked.get(group).ok_or_else(|| LessonError::NoField {
            field: name.to_string(),
            instead: "name a group of the step's rows".to_owned(),
        })?;
        let word = if is_capital { capital(task) } else { task.clone() };
        // Names such as who and past would be read as words of the sentence.
        let is_plain = self.tasks.renamed.contains_key(group);
        Ok(Some(if is_plain { format!("“{word}”") } else { word }))
    }
}

/// Returns the word as it begins a sentence.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl PlainStep {
    /// Puts its texts in the place of a step's.
    pub(super) fn replace(&self, step: &mut LessonStep) {
        let texts = [&mut step.say, &mut step.ask, &mut step.reveal, &mut step.caveat];
        let others = [&self.say, &self.ask, &self.reveal, &self.caveat];
        for (text, other) in texts.into_iter().zip(others) {
            replace(text, other.as_ref());
        }
        for option in &mut step.options {
            if let Some(other) = self.option.get(&option.id) {
                other.replace(option);
            }
        }
    }
}

impl PlainOption {
    fn replace(&self, option: &mut LessonOption) {
        replace(&mut option.text, self.text.as_ref());
        replace(&mut option.why, self.why.as_ref());
        option.belief = self.belief.clone().or(option.belief.take());
        option.but = self.but.clone().or(option.but.take());
    }
}

fn replace(text: &mut String, other: Option<&String>) {
    if let Some(other) = other {
        text.clone_from(other);
    }
}
