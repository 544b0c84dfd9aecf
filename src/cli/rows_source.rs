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

/// `--task`, `--data` and `--prompts`: which rows are run.
#[derive(clap::Args)]
pub struct RowsArgs {
    /// Tasks or groups of tasks from `atelier tasks`, or TOML files that define a task. Tasks that are read
    /// from files need --data
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    task: Vec<String>,

    /// The data set's file or folder, for tasks that are read from files
    #[arg(long, value_name = "FILE|DIR", requires = "task")]
    data: Option<PathBuf>,

    /// A file of prompts, or `-` for standard input. One JSON object per line: {"prompt": "…", "options": ["
    /// a", " b"], "answer": 0}
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
}

impl RowsArgs {
    /// Files and folders that are read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let tasks = self.task.iter().map(Path::new);
        tasks.chain(self.data.as_deref()).chain(self.prompts.as_deref())
    }

    /// As [`NamedRows::read`].
    pub fn read(&self, count: usize) -> anyhow::Result<Vec<NamedRows>> {
        NamedRows::read(&self.task, self.data.as_deref(), self.prompts.as_deref(), count)
    }
}

/// A task's name and its rows.
#[derive(Clone)]
pub struct NamedRows {
    pub task: String,
    pub items: Vec<Item>,
}

impl NamedRows {
    /// At most `count` rows of a file of prompts, or of every task.
    ///
    /// # Errors
    /// A name that is no task, a data set without its file, one file for several tasks, or a file that
    /// cannot be read.
    pub fn read(
        tasks: &[String],
        data: Option<&Path>,
        prompts: Option<&Path>,
        count: usize,
    ) -> anyhow::Result<Vec<Self>> {
        if let Some(path) = prompts {
            let rows = rows::read(&bytes(path)?).with_context(|| path.display().to_string())?;
            let items = rows.into_iter().map(|row| row.item).take(count).collect();
            return Ok(vec![Self {
                task: output::plain(&path.display().to_string(), false),
                items,
            }]);
        }
        // A folder may hold the files of many tasks, and be of no use to those that need none.
        let one_file = data.is_some_and(|data| !data.is_dir());
        let tasks = Task::find_all(tasks)?;
        for task in &tasks {
            if !task.needs_data() && one_file {
                bail!("{} needs no file: leave out --data", task.name());
            }
            if task.needs_data() && data.is_none() {
                bail!("{} comes from a file: give it with --data FILE", task.name());
            }
        }
        if one_file && tasks.len() > 1 {
            bail!("--data is one file: give one --task with it, or the folder of all");
        }
        let read = tasks.iter().map(|task| {
            let read = task.rows(data, count)?;
            for phrase in read.notes.left_out() {
                output::say(&format!("atelier: {}: {phrase}", task.name()));
            }
            let items = read.rows.into_iter().map(|row| row.item).take(count).collect();
            Ok(Self { task: task.name().to_string(), items })
        });
        read.collect()
    }

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
