//! `--out`: tried before the work starts, written whole, and what may become of what is there already.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::lock::try_lock;
use super::output;
use crate::model::ModelFiles;
use crate::study::report::VERSION;
use crate::task::file;
use crate::unfinished::{Unfinished, remove_strays};

/// Writes beside a file and renames, so that it is whole or as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let written = Unfinished::begin(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.finish()
    });
    written.with_context(|| format!("{} could not be written", path.display()))?;
    Ok(())
}

/// Refuses the file of a newer atelier: only a program that knows a file's layout may resume from it.
///
/// # Errors
/// When the file's layout is newer than this program's.
pub fn not_newer(text: &str, path: &Path) -> anyhow::Result<()> {
    let value = serde_json::from_str::<serde_json::Value>(text);
    let version = value.ok().and_then(|value| value["atelier"].as_u64());
    match version {
        Some(found) if found > u64::from(VERSION) => bail!(
            "{} was written by a newer atelier (layout {found}, this one reads up to {VERSION}): use a newer one",
            path.display()
        ),
        _ => Ok(()),
    }
}

/// How a run treats a file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// It stays, and the run does not start.
    Kept,
    /// The reader said --force.
    Replaced,
    /// The run resumes from it.
    Resumed,
}

impl There {
    /// As `--force` and `--resume` say.
    pub fn of(force: bool, resume: bool) -> Self {
        match (force, resume) {
            (true, _) => Self::Replaced,
            (_, true) => Self::Resumed,
            _ => Self::Kept,
        }
    }
}

/// A file to write when the work is done, or none.
pub struct OutFile {
    /// Where a link leads.
    path: PathBuf,
    kind: OutKind,
    held: Option<File>,
    /// Made to be held, with nothing in it yet.
    is_made: bool,
    /// Whether it was said that what was written is too large to be read.
    is_said: bool,
}

/// The kind of place that is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutKind {
    /// No file was named: it goes nowhere.
    Nowhere,
    /// A pipe or a device is written into, and never replaced.
    Into,
    File,
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if self.is_made {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl OutFile {
    /// Looks at the place that `--out` names, and tries it, before the work starts, so that hours of it are not lost
    /// to a typing error. `inputs` are files and folders that are read.
    ///
    /// # Errors
    /// A folder, a place that cannot be written, a file that is there.
    pub fn new(out: Option<&Path>, there: There, inputs: &[&Path]) -> anyhow::Result<Self> {
        let Some(path) = out else {
            return Ok(Self::unheld(PathBuf::new(), OutKind::Nowhere));
        };
        let shown = path.display();
        ensure!(
            path != Path::new("-"),
            "--out names a file: leave it out to print, or write ./- for a file of that name"
        );
        let is_folder = shown.to_string().ends_with(std::path::is_separator);
        if is_folder || path.is_dir() || path.file_name().is_none() {
            bail!("{shown} is a folder: give --out a file name, such as lens.atelier.json");
        }
        let found = std::fs::metadata(path).ok();
        #[cfg(unix)]
        ensure!(
            !found.as_ref().is_some_and(is_socket),
            "{shown} is a socket, which cannot be written into: give --out a file, a pipe or a device"
        );
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            return Ok(Self::unheld(path.to_path_buf(), OutKind::Into));
        }
        let path = target(path).with_context(|| {
            format!("{shown} is a link that leads to itself: give --out another place")
        })?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        ensure!(
            folder.is_dir(),
            "the folder {} does not exist: make it, or give --out another place",
            folder.display()
        );
        let name = path.file_name().and_then(|name| name.to_str());
        ensure!(
            there == There::Replaced
                || found.is_some()
                || !name.is_some_and(ModelFiles::wants)
                || !is_model(folder),
            "{shown} would be taken for a part of the model in that folder: give --out another name, or say --force"
        );
        if there == There::Kept
            && let Some(found) = &found
        {
            ensure!(
                !inputs.iter().any(|input| same(input, &path)),
                "{shown} is one of the files that are read: give --out another one, or replace it with --force"
            );
            ensure!(
                found.len() == 0,
                "{shown} is there already: give --out another file, or replace it with --force"
            );
        }
        remove_strays(folder, |stray| Some(stray) == name);
        // Dropped, it leaves nothing.
        Unfinished::begin(&path)
            .with_context(|| format!("{shown} cannot be written: give --out another place"))?;
        Ok(Self::unheld(path, OutKind::File))
    }

    fn unheld(path: PathBuf, kind: OutKind) -> Self {
        Self { path, kind, held: None, is_made: false, is_said: false }
    }

    /// Whether a file was named.
    pub fn is_named(&self) -> bool {
        self.kind != OutKind::Nowhere
    }

    /// Holds the place until the run ends, so that no other run writes there meanwhile. Whether
    /// anything is there.
    ///
    /// # Errors
    /// Another run that holds it.
    pub fn hold(&mut self) -> anyhow::Result<bool> {
        if self.kind != OutKind::File {
            return Ok(false);
        }
        let shown = self.path.display();
        let was_there = self.path.exists();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.path)
            .with_context(|| format!("{shown} cannot be written: give --out another place"))?;
        let found = file.metadata()?;
        // Another run may have put a new file there before the lock was ours.
        let is_ours = try_lock(&file, &self.path)?
            && std::fs::metadata(&self.path).is_ok_and(|now| is_same(&found, &now));
        ensure!(
            is_ours,
            "another atelier is writing to {shown}: wait until it is done, or give --out another file"
        );
        self.held = Some(file);
        self.is_made = !was_there;
        Ok(found.len() > 0)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what an earlier run left, through the handle that holds it: on Windows a second one could not
    /// read a locked file.
    ///
    /// # Errors
    /// Nothing is held, or it is no text.
    pub fn text(&mut self) -> anyhow::Result<String> {
        let read = self.held.as_mut().ok_or(io::ErrorKind::NotFound.into()).and_then(|file| {
            file.rewind()?;
            file::bounded_text(file, file::REPORT)
        });
        read.with_context(|| format!("{} cannot be read", self.path.display()))
    }

    /// Writes what is done so far, where the end can replace it: into a pipe or a device goes the end alone.
    ///
    /// # Errors
    /// When there is no `text` of it, or a place that cannot be written.
    pub fn save(&mut self, text: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<()> {
        if self.kind == OutKind::File { self.write(&text()?) } else { Ok(()) }
    }

    /// Writes beside the file and renames, so that an interrupted run leaves the file as it was.
    ///
    /// # Errors
    /// A place that cannot be written.
    pub fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.write_with(|to| Ok(to.write_all(text.as_bytes())?))?;
        if self.is_named() && text.len() as u64 > file::REPORT && !self.is_said {
            self.is_said = true;
            output::say(&format!(
                "atelier: {} is larger than {} MB: neither --resume, `atelier figures` nor `atelier open` reads it",
                self.path.display(),
                file::REPORT >> 20
            ));
        }
        Ok(())
    }

    /// Writes the file as [`Self::write`] does, piece by piece.
    ///
    /// # Errors
    /// When `write` fails, or the place cannot be written.
    pub fn write_with(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let written = self.put(write);
        written.map_err(|error| {
            let is_ours = error.downcast_ref::<io::Error>().is_none();
            if is_ours {
                return error;
            }
            error.context(format!("{} could not be written", self.path.display()))
        })
    }

    fn put(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.kind == OutKind::Nowhere {
            return write(&mut io::sink());
        }
        if self.kind == OutKind::Into {
            let file = OpenOptions::new().write(true).open(&self.path)?;
            let mut file = BufWriter::new(file);
            write(&mut file)?;
            return Ok(file.flush()?);
        }
        let mut file = Unfinished::begin(&self.path)?;
        write(&mut file)?;
        let file = file.finish()?;
        if self.held.is_some() {
            // The lock is on the file, and this is another one now.
            self.held = Some(file);
            self.is_made = false;
        }
        Ok(())
    }
}

/// Where a link leads, whether or not anything is there; `None` for one that leads to no end.
fn target(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_path_buf();
    // As many as a system follows.
    for _ in 0..40 {
        let Ok(next) = std::fs::read_link(&path) else {
            return Some(path);
        };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    None
}

#[cfg(unix)]
fn is_socket(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_socket()
}

/// Does a folder hold what a model is made of?
pub fn is_model(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = names.map(|entry| entry.file_name());
    names.any(|name| {
        let name = name.to_str();
        name.is_some_and(|name| name == "config.json" || ModelFiles::is_weights(name))
    })
}

/// Are these one file, or is the second one of the model in the first?
fn same(input: &Path, out: &Path) -> bool {
    let (Ok(input), Ok(out)) = (input.canonicalize(), out.canonicalize()) else {
        return false;
    };
    if input.is_dir() {
        let name = out.file_name().and_then(|name| name.to_str());
        return out.parent() == Some(&input) && name.is_some_and(ModelFiles::wants);
    }
    let (a, b) = (std::fs::metadata(&input), std::fs::metadata(&out));
    input == out || matches!((a, b), (Ok(a), Ok(b)) if is_same(&a, &b))
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// As near as it can be told.
#[cfg(not(unix))]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    (a.len(), a.created().ok()) == (b.len(), b.created().ok())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A reader of a pipe got several documents one behind the other, and a named pipe, which the reader
    /// closed after the first, was waited for without end.
    #[test]
    fn into_a_pipe_goes_the_end_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        let mut out = OutFile::new(Some(&pipe), There::Kept, &[]).expect("a pipe");
        out.save(|| Ok("a draft".to_owned())).expect("nothing is written");
        let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).expect("text"));
        out.write("the end").expect("written");
        assert_eq!(reader.join().expect("a reader"), "the end");
    }

    #[test]
    fn what_is_held_is_read_by_who_holds_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.atelier.json");
        let mut out = OutFile::new(Some(&path), There::Resumed, &[]).expect("a place");
        assert!(out.text().is_err(), "nothing is held yet");
        assert!(!out.hold().expect("held"), "nothing is there");
        assert!(path.exists(), "it is held");
        out.save(|| Ok("a draft".to_owned())).expect("written");
        assert_eq!(out.text().expect("a draft"), "a draft");
        assert_eq!(out.text().expect("again"), "a draft");
    }

    /// As `mktemp` makes them.
    #[test]
    fn an_empty_file_of_the_readers_stays_and_one_of_the_programs_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let [new, empty] = ["new", "empty"].map(|name| folder.path().join(name));
        std::fs::write(&empty, "").expect("written");
        for path in [&new, &empty] {
            let mut out = OutFile::new(Some(path), There::Kept, &[]).expect("a place");
            assert!(!out.hold().expect("held"), "nothing is in it");
        }
        assert!(!new.exists() && empty.exists());
    }
}
