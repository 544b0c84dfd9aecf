//! The folder that a survey writes: names in it, and the lock on it.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::cli::lock::try_lock;
use crate::cli::out_file::is_model;
use crate::unfinished::remove_strays;

/// Where a model's facts and members lie, in its folder.
const FACTS: &str = "model.json";

/// A survey's folder, or a shard's.
pub struct Folder {
    path: PathBuf,
    /// Held until the survey ends, however it ends.
    _lock: Option<File>,
}

impl Folder {
    /// Refuses a place that something else than a survey takes up, before anything is written there.
    ///
    /// # Errors
    /// A file, a model's folder, a report or rows without `survey.json`.
    pub fn check(path: &Path) -> anyhow::Result<()> {
        let shown = path.display();
        ensure!(!path.exists() || path.is_dir(), "{shown} is a file: give --out a folder");
        ensure!(!is_model(path), "{shown} is a model's folder: give --out another one");

        let folder = Self::read(path);
        let rows = path.join("rows");
        let mut written = [folder.report(), rows].into_iter();
        if let Some(other) = written.find(|written| !folder.asked().exists() && written.exists()) {
            bail!(
                "{} is there but no survey.json, so no survey can be resumed in {shown}: give --out another folder",
                other.display()
            );
        }
        Ok(())
    }

    /// Made where it is missing, and locked.
    ///
    /// # Errors
    /// See [`Folder::check`]; another run that writes there.
    pub fn locked(path: &Path) -> anyhow::Result<Self> {
        Self::check(path)?;
        std::fs::create_dir_all(path).with_context(|| {
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
        ensure!(
            try_lock(&file, &lock)?,
            "another atelier is writing to {}: wait until it is done, or give --out another folder",
            path.display()
        );
        Ok(Self { path: path.to_path_buf(), _lock: Some(file) })
    }

    /// Takes away what killed runs of this survey left unfinished: nobody else writes here. The journals
    /// stay, and so does every file that no survey writes.
    pub fn remove_strays(&self, models: &[String]) {
        let own = [self.asked(), self.report()];
        remove_strays(&self.path, |name| own.iter().any(|path| path.ends_with(name)));
        for model in models {
            remove_strays(&self.model(model), |name| {
                let endings = [".parquet", ".sha256", ".failed"];
                name == FACTS || endings.iter().any(|ending| name.ends_with(ending))
            });
        }
    }

    /// To read only.
    pub fn read(path: &Path) -> Self {
        Self { path: path.to_path_buf(), _lock: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the survey's request.
    pub fn asked(&self) -> PathBuf {
        self.path.join("survey.json")
    }

    pub fn report(&self) -> PathBuf {
        self.path.join("survey.atelier.json")
    }

    pub fn model(&self, model: &str) -> PathBuf {
        self.path.join("rows").join(file_name(model))
    }

    /// Makes a model's folder.
    ///
    /// # Errors
    /// When a link stands in its place, since the folder behind it is none of the survey's; when it cannot be made.
    pub fn make(&self, model: &str) -> anyhow::Result<()> {
        let folder = self.model(model);
        for place in [&self.path.join("rows"), &folder] {
            ensure!(
                !place.is_symlink(),
                "{} is a link, and no folder that a survey made: take it away, or give --out another folder",
                place.display()
            );
        }
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))
    }

    /// A model's facts and members.
    pub fn facts(&self, model: &str) -> PathBuf {
        self.model(model).join(FACTS)
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

/// Checks that a file to be written in place is the folder's own: a folder may come from others, with a link in
/// it that leads to a file of the reader's, or a pipe that nobody reads.
///
/// # Errors
/// When the path exists and is no regular file.
pub fn is_own(path: &Path) -> anyhow::Result<()> {
    let found = std::fs::symlink_metadata(path);
    ensure!(
        found.map_or(true, |found| found.is_file()),
        "{} is a link, a pipe or a folder, and no file that a survey wrote: take it away, or give --out another folder",
        path.display()
    );
    Ok(())
}

/// Removes a file, where there is one.
///
/// # Errors
/// The file is there and cannot be removed.
pub fn remove_if_there(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} could not be removed", path.display()))
        }
        _ => Ok(()),
    }
}

/// A name that is one file or folder on every system.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let plain: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    // No hidden folder, and none that means another.
    match plain.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => plain,
    }
}
