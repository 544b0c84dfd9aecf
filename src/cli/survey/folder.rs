//! The folder that a survey writes: names in it, and the lock on it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::cli::out_file::is_model;
use crate::unfinished::remove_strays;

/// A survey's folder, or a shard's.
pub struct Folder {
    path: PathBuf,
    /// Held until the survey ends, however it ends.
    _lock: Option<File>,
}

impl Folder {
    /// Made where it is missing, and locked.
    pub fn locked(path: &Path) -> anyhow::Result<Self> {
        if path.exists() && !path.is_dir() {
            bail!("{} is a file: give --out a folder", path.display());
        }
        if is_model(path) {
            bail!("{} is a model's folder: give --out another one", path.display());
        }
        std::fs::create_dir_all(path.join("rows")).with_context(|| {
            format!("the folder {} cannot be made: give --out another place", path.display())
        })?;
        let lock = path.join(".lock");
        is_own(&lock)?;
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock)
            .with_context(|| format!("{} could not be written", lock.display()))?;
        match file.try_lock() {
            Ok(()) => {
                let folder = Self { path: path.to_path_buf(), _lock: Some(file) };
                folder.remove_strays();
                Ok(folder)
            }
            Err(TryLockError::WouldBlock) => bail!(
                "another atelier is writing to {}: wait until it is done, or give --out another folder",
                path.display()
            ),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("{} could not be locked", lock.display()))
            }
        }
    }

    /// Unfinished files of runs that were killed: nobody else writes here. The journals stay.
    fn remove_strays(&self) {
        remove_strays(&self.path, |_| true);
        let models = std::fs::read_dir(self.path.join("rows"));
        for model in models.into_iter().flatten().flatten() {
            remove_strays(&model.path(), |_| true);
        }
    }

    /// To read only.
    pub fn read(path: &Path) -> Self {
        Self { path: path.to_path_buf(), _lock: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was asked.
    pub fn asked(&self) -> PathBuf {
        self.path.join("survey.json")
    }

    pub fn report(&self) -> PathBuf {
        self.path.join("survey.atelier.json")
    }

    pub fn model(&self, model: &str) -> PathBuf {
        self.path.join("rows").join(file_name(model))
    }

    /// A model's facts and members.
    pub fn facts(&self, model: &str) -> PathBuf {
        self.model(model).join("model.json")
    }

    pub fn rows(&self, model: &str, task: &str) -> PathBuf {
        self.model(model).join(format!("{task}.parquet"))
    }

    /// Rows of an unfinished task.
    pub fn part(&self, model: &str, task: &str) -> PathBuf {
        self.model(model).join(format!("{task}.rows.part"))
    }

    /// Why a task has no rows.
    pub fn failed(&self, model: &str, task: &str) -> PathBuf {
        self.model(model).join(format!("{task}.failed"))
    }
}

/// What is written into where it lies has to be a file of the folder's own: a folder may come from
/// others, with a link in it that leads to a file of the reader's, or a pipe that nobody reads.
///
/// # Errors
/// What is there and is no such file.
pub fn is_own(path: &Path) -> anyhow::Result<()> {
    let found = std::fs::symlink_metadata(path);
    ensure!(
        found.map_or(true, |found| found.is_file()),
        "{} is a link, a pipe or a folder, and no file that a survey wrote: take it away, or give --out another folder",
        path.display()
    );
    Ok(())
}

/// A name that is one folder on every system.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let plain: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    // No hidden folder, and none that means another.
    match plain.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => plain,
    }
}
