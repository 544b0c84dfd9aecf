//! Where a sweep's rows come from: the generated language, a data set's file, a file of prompts.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::study::LoadedModel;
use crate::study::orders::Reading;
use crate::task::item::Item;
use crate::task::minilang::{self, Task};
use crate::task::painters::Painters;
use crate::task::rows;

/// A source, found but not read.
pub enum Source {
    Generated(Task),
    Data(Painters, PathBuf),
    Prompts(PathBuf),
}

/// A task's name and its rows.
pub struct Rows {
    pub task: String,
    pub items: Vec<Item>,
}

impl Source {
    /// # Errors
    /// A name that is no task, a data set without its file, or a file for generated tasks.
    pub fn of(
        tasks: &[String],
        data: Option<&Path>,
        prompts: Option<&Path>,
    ) -> anyhow::Result<Vec<Source>> {
        if let Some(path) = prompts {
            return Ok(vec![Source::Prompts(path.to_path_buf())]);
        }
        let mut sources = Vec::new();
        for name in tasks {
            let source = match (Task::from_name(name), Painters::from_name(name), data) {
                (Some(task), _, None) => Source::Generated(task),
                (Some(_), _, Some(_)) => bail!("{name} is generated: leave out --data"),
                (None, Some(painters), Some(path)) => Source::Data(painters, path.to_path_buf()),
                (None, Some(_), None) => {
                    bail!("{name} comes from a file: give it with --data FILE")
                }
                (None, None, _) => {
                    let generated = Task::ALL.map(Task::name).join(", ");
                    let data = Painters::ALL.map(Painters::name).join(", ");
                    bail!(
                        "there is no task '{name}': choose from {generated}, or with --data {data}"
                    )
                }
            };
            sources.push(source);
        }
        if data.is_some() && sources.len() > 1 {
            bail!("--data is one file: give one --task with it");
        }
        Ok(sources)
    }

    /// The first `count` rows of a file, or `count` held-out rows of the language.
    ///
    /// # Errors
    /// A file that cannot be read, or its first line that is no row.
    pub fn rows(&self, count: usize, seed: u64) -> anyhow::Result<Rows> {
        let (task, mut items) = match self {
            Source::Generated(task) => {
                let rows = minilang::held_out(*task, count, seed);
                let items = rows.into_iter().map(|row| Item::Option {
                    prompt: row.prompt,
                    options: row.options,
                    answer: row.answer,
                });
                (task.name().to_string(), items.collect())
            }
            Source::Data(painters, path) => {
                let items = painters.read(&bytes(path)?);
                let items = items.with_context(|| path.display().to_string())?;
                (painters.name().to_string(), items)
            }
            Source::Prompts(path) => {
                let rows = rows::read(&bytes(path)?).with_context(|| path.display().to_string())?;
                let items: Vec<Item> = rows.into_iter().map(Item::from).collect();
                (path.display().to_string(), items)
            }
        };
        items.truncate(count);
        Ok(Rows { task, items })
    }
}

impl Rows {
    /// Leaves out rows that do not fit the model's context; how many.
    ///
    /// # Errors
    /// Whatever else is wrong with a row shows when the sweep starts.
    pub fn drop_long(&mut self, model: &LoadedModel) -> anyhow::Result<usize> {
        let before = self.items.len();
        self.items.retain(|item| !Reading::is_too_long(model, item));
        Ok(before - self.items.len())
    }
}

/// A file's bytes, or standard input's for `-`.
pub fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    bytes.with_context(|| format!("{} cannot be read", path.display()))
}
