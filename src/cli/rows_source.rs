//! Where a sweep's rows come from: the program itself, a data set's file, a file of prompts.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::output;
use crate::study::orders::Reading;
use crate::study::{LoadedModel, Unknown};
use crate::task::catalogue::Task;
use crate::task::file;
use crate::task::item::Item;
use crate::task::rows;

/// A source, found but not read.
pub enum SweepSource {
    Task(Box<Task>, Option<PathBuf>),
    Prompts(PathBuf),
}

/// A task's name and its rows.
#[derive(Clone)]
pub struct NamedRows {
    pub task: String,
    pub items: Vec<Item>,
}

impl SweepSource {
    /// # Errors
    /// A name that is no task, a data set without its file, or one file for several tasks.
    pub fn of(
        tasks: &[String],
        data: Option<&Path>,
        prompts: Option<&Path>,
    ) -> anyhow::Result<Vec<SweepSource>> {
        if let Some(path) = prompts {
            return Ok(vec![SweepSource::Prompts(path.to_path_buf())]);
        }
        // A folder may hold the files of many tasks, and be of no use to those that need none.
        let one_file = data.is_some_and(|data| !data.is_dir());
        let mut sources = Vec::new();
        for task in Task::find_all(tasks)? {
            if !task.needs_data() && one_file {
                bail!("{} needs no file: leave out --data", task.name());
            }
            if task.needs_data() && data.is_none() {
                bail!("{} comes from a file: give it with --data FILE", task.name());
            }
            sources.push(SweepSource::Task(Box::new(task), data.map(Path::to_path_buf)));
        }
        if one_file && sources.len() > 1 {
            bail!("--data is one file: give one --task with it, or the folder of all");
        }
        Ok(sources)
    }

    /// The first `count` rows of a file, or at most `count` rows of a task that needs none.
    ///
    /// # Errors
    /// A file that cannot be read, or its first line that is no row.
    pub fn rows(&self, count: usize) -> anyhow::Result<NamedRows> {
        let (task, mut items) = match self {
            SweepSource::Task(task, data) => {
                let read = task.rows(data.as_deref(), count)?;
                for phrase in read.notes.left_out() {
                    output::say(&format!("atelier: {}: {phrase}", task.name()));
                }
                let items = read.rows.into_iter().map(|row| row.item).collect();
                (task.name().to_string(), items)
            }
            SweepSource::Prompts(path) => {
                let rows = rows::read(&bytes(path)?).with_context(|| path.display().to_string())?;
                let items: Vec<Item> = rows.into_iter().map(|row| row.item).collect();
                (output::plain(&path.display().to_string(), false), items)
            }
        };
        items.truncate(count);
        Ok(NamedRows { task, items })
    }
}

impl NamedRows {
    /// Leaves out rows that do not fit the model's context, and says how many.
    pub fn drop_long(&mut self, model: &LoadedModel) {
        let before = self.items.len();
        self.items.retain(|item| !Reading::is_too_long(model, item));
        let long = before - self.items.len();
        if long > 0 {
            let task = &self.task;
            output::say(&format!("atelier: {task}: {long} rows left out, longer than the context"));
        }
    }

    /// Says how many rows have words that the model does not know, where any has.
    pub fn say_unknown(&self, count: usize, unknown: &Unknown) {
        if count > 0 {
            output::say(&format!(
                "atelier: {}: {count} rows have words that the model does not know and reads all as {}",
                self.task, unknown.name
            ));
        }
    }
}

/// A file's bytes, or standard input's for `-`.
pub fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = if path == Path::new("-") {
        file::bounded(std::io::stdin(), file::PROMPTS)
    } else {
        file::read(path, file::PROMPTS)
    };
    bytes.with_context(|| format!("{} cannot be read", path.display()))
}
