//! A survey's request, in `survey.json`: a resumed run, and all shards, ask the same.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::SurveyOptions;
use super::folder::{Folder, file_name};
use super::shard::Shard;
use crate::cli::fingerprint::{self, Files};
use crate::cli::out_file::{not_newer, write_whole};
use crate::study::survey::SurveyTask;
use crate::task::catalogue::Task;
use crate::task::file;
use crate::task::item::TaskRow;
use crate::task::primer::fnv;
use crate::task::shots::with_shots;

/// Everything that a survey's numbers depend on; the questions by their fingerprints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub atelier: u32,
    /// The program's own version.
    pub program: String,
    /// As it was asked for: see [`crate::cli::engine::EngineArgs::asked`].
    pub engine: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    pub shots: usize,
    pub seed: u64,
    pub continuations: bool,
    pub models: Vec<String>,
    /// SHA-256 of every model's files, in the order of `models`.
    pub files: Vec<Files>,
    pub tasks: Vec<SurveyTask>,
    /// Shard of the rows; `None` for all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A task with its rows.
pub struct Questions {
    pub task: SurveyTask,
    pub rows: Vec<TaskRow>,
}

impl Questions {
    /// # Errors
    /// A task's file that is missing or is not the task's, or too few rows for the examples.
    pub(super) fn read(task: &Task, ask: &SurveyOptions) -> anyhow::Result<Self> {
        let data = ask.data.as_deref();
        ensure!(
            !task.needs_data() || data.is_some(),
            "{} comes from a file: give the folder of data sets with --data DIR",
            task.name()
        );
        // A folder may hold the files of many tasks, and be of no use to those that need none.
        ensure!(
            task.needs_data() || data.is_none_or(Path::is_dir),
            "{} needs no file: leave out --data",
            task.name()
        );
        let count = ask.rows.unwrap_or(task.first());
        let mut read = task.rows(data, count)?;
        let notes = read.notes.phrases();
        read.rows.truncate(count);
        let rows = if ask.shots == 0 {
            read.rows
        } else {
            let shown = with_shots(&read.rows, ask.shots, ask.seed, "\n\n");
            shown.map_err(|rows| {
                anyhow::anyhow!(
                    "{} has {rows} rows, too few for {} others in front of each: ask for fewer --shots",
                    task.name(),
                    ask.shots
                )
            })?
        };
        Ok(Self {
            task: SurveyTask {
                name: task.name().to_string(),
                about: task.about().to_string(),
                source: task.source().to_string(),
                score: task.score(),
                levels: task.levels().map(str::to_owned),
                rows: rows.len(),
                notes,
                fingerprint: questions_hash(&rows),
            },
            rows,
        })
    }
}

impl Asked {
    /// Writes it into a new folder, or finds the same in one that is gone on with; the models' folders are there
    /// then.
    ///
    /// # Errors
    /// A folder that holds a survey already, or another one; a link in a model's place.
    pub fn agree(&self, folder: &Folder, resume: bool) -> anyhow::Result<()> {
        let path = folder.asked();
        if !path.exists() {
            folder.remove_strays(&[]);
            let text = serde_json::to_string_pretty(self)? + "\n";
            write_whole(&path, text.as_bytes())?;
            return self.models.iter().try_for_each(|model| folder.make(model));
        }
        let before = Self::read(folder)?;
        if !resume {
            bail!(
                "{} holds a survey already: continue it with --resume, or give --out another folder",
                folder.path().display()
            );
        }
        match self.differs(&before) {
            None => {
                self.models.iter().try_for_each(|model| folder.make(model))?;
                folder.remove_strays(&self.models);
                Ok(())
            }
            Some(what) => bail!(
                "{} holds a survey that was begun with {what}: resume with the same settings, or give --out another folder",
                folder.path().display()
            ),
        }
    }

    /// Returns the fingerprint of the request without its shard: every rows' file of the survey carries it.
    ///
    /// # Errors
    /// When a value cannot be written as JSON, which none of these is.
    pub fn fingerprint(&self) -> anyhow::Result<String> {
        let whole = Self { shard: None, ..self.clone() };
        Ok(fingerprint::bytes(&serde_json::to_vec(&whole)?))
    }

    pub fn read(folder: &Folder) -> anyhow::Result<Self> {
        let path = folder.asked();
        let text = file::text(&path, file::REPORT)
            .with_context(|| format!("{} holds no survey", folder.path().display()))?;
        not_newer(&text, &path)?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not what a survey wrote", path.display()))
    }

    /// Names the first difference from the request `before` of an earlier run, the shard's index aside; `None`
    /// where they are alike.
    pub fn differs(&self, before: &Self) -> Option<String> {
        let shards = |asked: &Self| asked.shard.map(|shard| shard.of);
        let names = |asked: &Self| -> Vec<String> {
            let names = asked.tasks.iter().map(|task| task.name.clone());
            names.collect()
        };
        let options = [
            (self.models == before.models, "models"),
            (names(self) == names(before), "tasks"),
            (self.shots == before.shots, "--shots"),
            (self.seed == before.seed, "--seed"),
            (self.continuations == before.continuations, "--continuations"),
            (self.rows == before.rows, "--rows"),
            (shards(self) == shards(before), "shards"),
        ];
        let option = options.into_iter().find(|(same, _)| !same);
        option
            .map(|(_, what)| format!("other {what}"))
            .or_else(|| fingerprint::other_program([&before.program, &self.program]))
            .or_else(|| {
                let is_other = self.atelier != before.atelier;
                is_other.then(|| "another version of atelier's files".to_owned())
            })
            .or_else(|| fingerprint::other_engine([&before.engine, &self.engine]))
            .or_else(|| self.other_files(before))
            .or_else(|| self.other_questions(before))
            .or_else(|| {
                let same = Self { shard: self.shard, ..before.clone() };
                (*self != same).then(|| "other options".to_string())
            })
    }

    fn other_files(&self, before: &Self) -> Option<String> {
        let none = Files::new();
        let of = |asked: &Self, at: usize| asked.files.get(at).cloned().unwrap_or(none.clone());
        self.models.iter().enumerate().find_map(|(at, model)| {
            let (before, now) = (of(before, at), of(self, at));
            let file = fingerprint::other_file(&before, &now)?;
            Some(format!("another {file} of {model}"))
        })
    }

    fn other_questions(&self, before: &Self) -> Option<String> {
        let mut tasks = self.tasks.iter().zip(&before.tasks);
        tasks.find_map(|(now, before)| {
            if now.rows != before.rows {
                let (rows, name) = (before.rows, &now.name);
                return Some(format!("{rows} rows of {name}, and now they are {}", now.rows));
            }
            if now.fingerprint != before.fingerprint {
                return Some(format!("other questions or right answers of {}", now.name));
            }
            (now != before).then(|| format!("another way to ask {}", now.name))
        })
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

/// FNV-1a of all questions with their answers and lines: the page joins reports by it.
fn questions_hash(rows: &[TaskRow]) -> String {
    let texts =
        rows.iter().flat_map(|row| [row.line.to_string(), row.item.text(), row.item.right()]);
    let bytes = texts.flat_map(|text| text.into_bytes().into_iter().chain([0xff]));
    format!("{:016x}", fnv(bytes))
}
