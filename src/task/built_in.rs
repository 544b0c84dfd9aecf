//! Tasks that need no file: those in plain English and the scholars'.

use serde::{Deserialize, Serialize};

use super::item::{Item, TaskRow};
use super::plain::PlainTask;
use super::primer::{self, GeneratedTask};

/// A task whose rows travel with the program, in the page too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum BuiltInTask {
    Plain(PlainTask),
    Generated(GeneratedTask),
}

/// Rows of a generated task among which a probe looks: its levels' words differ.
const PROBED: usize = 4;

impl BuiltInTask {
    /// Every one of them, in plain English first.
    pub fn all() -> impl Iterator<Item = BuiltInTask> {
        let plain = PlainTask::ALL.into_iter().map(BuiltInTask::Plain);
        plain.chain(GeneratedTask::ALL.into_iter().map(BuiltInTask::Generated))
    }

    /// Returns the name that links and reports spell.
    pub fn name(self) -> &'static str {
        match self {
            BuiltInTask::Plain(task) => task.name(),
            BuiltInTask::Generated(task) => task.name(),
        }
    }

    /// Returns what it asks, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            BuiltInTask::Plain(task) => task.about(),
            BuiltInTask::Generated(task) => task.about(),
        }
    }

    /// Returns the task of this name.
    pub fn from_name(name: &str) -> Option<BuiltInTask> {
        BuiltInTask::all().find(|task| task.name() == name)
    }

    /// Returns at most `count` rows, the same every time; of a generated task held-out ones, of all its levels in
    /// turn.
    pub fn rows(self, count: usize) -> Vec<TaskRow> {
        match self {
            BuiltInTask::Plain(task) => task.rows(count),
            BuiltInTask::Generated(task) => drawn(task, count).collect(),
        }
    }

    /// Returns the items of [`Self::rows`].
    pub fn items(self, count: usize) -> Vec<Item> {
        self.rows(count).into_iter().map(|row| row.item).collect()
    }

    /// Counts how many of `count` rows there are; a generated task's are drawn, and taken to be enough.
    pub fn row_count(self, count: usize) -> usize {
        match self {
            BuiltInTask::Plain(task) => task.row_count().min(count),
            BuiltInTask::Generated(_) => count,
        }
    }

    /// Returns a few questions that stand for all: a tokenizer that reads these and knows their options reads every
    /// row.
    pub fn probe(self) -> Vec<Item> {
        match self {
            BuiltInTask::Plain(task) => vec![task.probe()],
            BuiltInTask::Generated(task) => drawn(task, PROBED).map(|row| row.item).collect(),
        }
    }
}

impl From<BuiltInTask> for &'static str {
    fn from(task: BuiltInTask) -> Self {
        task.name()
    }
}

impl TryFrom<String> for BuiltInTask {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        BuiltInTask::from_name(&name).ok_or_else(|| format!("there is no built-in task '{name}'"))
    }
}

/// Draws held-out rows of a generated task one after another, of all its levels in turn.
fn drawn(task: GeneratedTask, count: usize) -> impl Iterator<Item = TaskRow> {
    let rows = primer::drawn(task, None, count, primer::ROWS_SEED).enumerate();
    rows.map(|(index, row)| TaskRow { line: index + 1, level: Some(row.level), item: row.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_found_by_its_name_and_has_rows() {
        let names: Vec<&str> = BuiltInTask::all().map(BuiltInTask::name).collect();
        assert_eq!(names.len(), 19);
        for task in BuiltInTask::all() {
            assert_eq!(BuiltInTask::from_name(task.name()), Some(task));
            assert_eq!(task.rows(5).len(), task.row_count(5));
            assert!(!task.probe().is_empty());
        }
        assert_eq!(BuiltInTask::from_name("rte"), None);
    }
}
