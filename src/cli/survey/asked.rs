//! What a survey was asked, in `survey.json`: a resumed run, and all shards, ask the same.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::folder::{Folder, file_name};
use super::shard::Shard;
use crate::cli::output::write_whole;
use crate::study::report::VERSION;
use crate::study::survey::SurveyTask;
use crate::task::catalogue::Task;
use crate::task::questions::Asked as Question;
use crate::task::shots::with_shots;

/// The questions of a survey, but for their text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub atelier: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    pub shots: usize,
    pub seed: u64,
    pub continuations: bool,
    pub models: Vec<String>,
    pub tasks: Vec<SurveyTask>,
    /// Of the rows; all of them without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A task with its rows.
pub struct Questions {
    pub task: SurveyTask,
    pub rows: Vec<Question>,
}

impl Questions {
    /// # Errors
    /// A task's file that is missing or is not the task's, or too few rows for the examples.
    pub fn read(
        name: &str,
        data: Option<&Path>,
        rows: Option<usize>,
        shots: usize,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let task = Task::find(name)?;
        ensure!(
            matches!(task, Task::Generated(_)) || data.is_some(),
            "{} comes from a file: give the folder of data sets with --data DIR",
            task.name()
        );
        let count = rows.unwrap_or(task.first());
        let mut read = task.rows(data, count)?;
        let notes = read.notes.phrases();
        read.rows.truncate(count);
        let rows = with_shots(&read.rows, shots, seed, "\n\n").map_err(|rows| {
            anyhow::anyhow!(
                "{} has {rows} rows, too few for {shots} others in front of each: ask for fewer --shots",
                task.name()
            )
        })?;
        Ok(Self {
            task: SurveyTask {
                name: task.name().to_string(),
                about: task.about().to_string(),
                source: task.source().to_string(),
                score: task.score(),
                rows: rows.len(),
                notes,
                fingerprint: fingerprint(&rows),
            },
            rows,
        })
    }
}

impl Asked {
    /// Writes it into a new folder, or finds the same in one that is gone on with.
    ///
    /// # Errors
    /// A folder that holds a survey already, or another one.
    pub fn agree(&self, folder: &Folder, resume: bool) -> anyhow::Result<()> {
        let path = folder.asked();
        if !path.exists() {
            let text = serde_json::to_string_pretty(self)? + "\n";
            return write_whole(&path, text.as_bytes());
        }
        let before = Self::read(folder)?;
        if !resume {
            bail!(
                "{} holds a survey already: go on with it by --resume, or give --out another folder",
                folder.path().display()
            );
        }
        match self.differs(&before) {
            None => Ok(()),
            Some(what) => bail!(
                "{} holds a survey with other {what}: go on with the options it was begun with, or give --out another folder",
                folder.path().display()
            ),
        }
    }

    pub fn read(folder: &Folder) -> anyhow::Result<Self> {
        let path = folder.asked();
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} holds no survey", folder.path().display()))?;
        let version = serde_json::from_str::<serde_json::Value>(&text);
        let version = version.ok().and_then(|value| value["atelier"].as_u64());
        if let Some(found) = version
            && found > u64::from(VERSION)
        {
            bail!(
                "{} was written by a newer atelier (layout {found}, this one reads up to {VERSION}): use a newer one",
                path.display()
            );
        }
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not what a survey wrote", path.display()))
    }

    /// In what it differs from another, if in anything but the shard.
    pub fn differs(&self, other: &Self) -> Option<&'static str> {
        let pairs = [
            (self.models == other.models, "models"),
            (self.tasks == other.tasks, "tasks or rows"),
            (self.shots == other.shots, "--shots"),
            (self.seed == other.seed, "--seed"),
            (self.continuations == other.continuations, "--continuations"),
            (self.rows == other.rows, "--rows"),
            (
                self.shard.map(|s| s.of) == other.shard.map(|s| s.of),
                "shards",
            ),
        ];
        pairs
            .into_iter()
            .find(|(same, _)| !same)
            .map(|(_, what)| what)
    }
}

/// Names that would share a folder are refused.
pub fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        ensure!(
            seen.insert(file_name(name)),
            "two {what} are called {name}: ask each once, or rename one's folder"
        );
    }
    Ok(())
}

/// FNV-1a of all questions with their answers and lines.
fn fingerprint(rows: &[Question]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for row in rows {
        add(&row.line.to_string());
        add(&row.item.text());
        add(&row.item.right());
    }
    format!("{hash:016x}")
}
