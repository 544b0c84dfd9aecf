//! Tasks in plain English: what a small model of real text knows and can say in one word.
//!
//! ```text
//! The capital of Italy is Rome. The capital of Canada is Ottawa. The capital of France is   -> Paris
//! one, two, three, four ⏎ sixteen, fifteen, fourteen, thirteen ⏎ two, four, six,            -> eight
//! ```
//!
//! Each task is a file: the words around a row once, then one row per line. `facts.rs` reads it and says what its
//! fields mean. The rows were written before a model was asked; docs/tasks.md has what the first one answered.

mod facts;

use std::sync::OnceLock;

use super::item::{Item, TaskRow};
use facts::WordFacts;

/// The tasks in plain English.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlainTask {
    /// Which city is the capital of a country, state or region.
    Capitals,
    /// Which word means the opposite.
    Opposites,
    /// The plural of a noun.
    Plurals,
    /// The past tense of a verb.
    Past,
    /// Which number comes next.
    Counting,
    /// The kind to which a thing belongs.
    Kinds,
    /// The colour of a thing.
    Colours,
    /// Whether the verb of a subject is singular or plural.
    Agreement,
    /// Which of two people is meant.
    Who,
}

impl PlainTask {
    /// All nine, in order.
    pub const ALL: [PlainTask; 9] = [
        PlainTask::Capitals,
        PlainTask::Opposites,
        PlainTask::Plurals,
        PlainTask::Past,
        PlainTask::Counting,
        PlainTask::Kinds,
        PlainTask::Colours,
        PlainTask::Agreement,
        PlainTask::Who,
    ];

    /// Returns the name that the command line and files spell.
    pub fn name(self) -> &'static str {
        self.file().0
    }

    /// Returns the task of this name.
    pub fn from_name(name: &str) -> Option<PlainTask> {
        PlainTask::ALL.into_iter().find(|task| task.name() == name)
    }

    /// Returns what it asks, in a few words.
    pub fn about(self) -> &'static str {
        &self.facts().file.about
    }

    /// Counts the rows there are.
    pub fn row_count(self) -> usize {
        self.facts().rows.len()
    }

    /// Returns the first `count` rows, in an order that is drawn once for all; every option begins with a space.
    pub fn rows(self, count: usize) -> Vec<TaskRow> {
        self.facts().rows(count)
    }

    /// Returns one question with every word that is an option of any row: a tokenizer that takes it takes all.
    pub fn probe(self) -> Item {
        self.facts().probe()
    }

    fn file(self) -> (&'static str, &'static str) {
        match self {
            PlainTask::Capitals => ("capitals", include_str!("capitals.toml")),
            PlainTask::Opposites => ("opposites", include_str!("opposites.toml")),
            PlainTask::Plurals => ("plurals", include_str!("plurals.toml")),
            PlainTask::Past => ("past", include_str!("past.toml")),
            PlainTask::Counting => ("counting", include_str!("counting.toml")),
            PlainTask::Kinds => ("kinds", include_str!("kinds.toml")),
            PlainTask::Colours => ("colours", include_str!("colours.toml")),
            PlainTask::Agreement => ("agreement", include_str!("agreement.toml")),
            PlainTask::Who => ("who", include_str!("who.toml")),
        }
    }

    fn facts(self) -> &'static WordFacts {
        static READ: [OnceLock<WordFacts>; 9] = [const { OnceLock::new() }; 9];
        READ[self as usize].get_or_init(|| {
            let (name, text) = self.file();
            // A test reads every file, all of which are compiled in.
            WordFacts::parse(text).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
        })
    }
}

#[cfg(test)]
mod tests;
