//! Where results go: standard output for the reader, a file that is whole or not there, standard
//! error for progress.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::study::report::Report;

/// Prints to standard output. A reader that has seen enough (`atelier … | head`) is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("the result could not be printed"),
    }
}

/// A report as one line of JSON.
pub fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string(report).context("the report could not be written as JSON")? + "\n")
}

/// Writes beside a file and renames, so that it is whole or as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut part = path.to_path_buf().into_os_string();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // What was written of it is of no use; the first error is the one to tell.
        let _ = std::fs::remove_file(&part);
    }
    written.with_context(|| format!("{} could not be written", path.display()))
}

/// A file to write when the work is done.
pub struct OutFile {
    path: PathBuf,
}

impl OutFile {
    /// Checks the folder before the work starts, so that hours of it are not lost to a typing error.
    pub fn new(path: &Path) -> anyhow::Result<Self> {
        if path.is_dir() || path.file_name().is_none() {
            bail!(
                "{} is a folder: give --out a file name, such as lens.atelier.json",
                path.display()
            );
        }
        match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
                bail!(
                    "the folder {} does not exist: make it, or give --out another place",
                    folder.display()
                )
            }
            _ => Ok(OutFile {
                path: path.to_path_buf(),
            }),
        }
    }

    /// Writes beside the file and renames, so that an interrupted run leaves the file as it was.
    pub fn write(&self, text: &str) -> anyhow::Result<()> {
        write_whole(&self.path, text.as_bytes())
    }
}

/// A progress bar on standard error: drawn only where that is a terminal, and only for work that
/// takes long enough to wonder about.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
}

const SHOWN_AFTER: Duration = Duration::from_millis(300);

impl Progress {
    pub fn new(doing: &'static str, unit: &str) -> Self {
        Self::with(
            doing,
            &format!("{{msg}} {{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left"),
        )
    }

    /// With how many a second, too.
    pub fn with_rate(doing: &'static str, unit: &str) -> Self {
        let rate = "{per_sec}, {eta} left";
        Self::with(
            doing,
            &format!("{{msg}} {{bar:40}} {{pos}}/{{len}} {unit}, {rate}"),
        )
    }

    fn with(doing: &'static str, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let bar = match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        Progress {
            bar: bar.with_message(doing),
            started: Instant::now(),
        }
    }

    /// What is being done now.
    pub fn doing(&self, what: String) {
        self.bar.set_message(what);
    }

    pub fn at(&self, done: usize, total: usize) {
        if self.bar.is_hidden() && self.started.elapsed() > SHOWN_AFTER {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
