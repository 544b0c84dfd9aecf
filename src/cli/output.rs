//! Where results go: standard output for the reader, a file that is whole or not there, standard
//! error for progress.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};

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
        let mut part = self.path.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &self.path));
        if written.is_err() {
            // What was written of it is of no use; the first error is the one to tell.
            let _ = std::fs::remove_file(&part);
        }
        written.with_context(|| format!("{} could not be written", self.path.display()))
    }
}

/// A progress bar on standard error, not drawn where that is no terminal.
pub fn progress(total: usize, doing: &'static str, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(total as u64).with_message(doing);
    let template = format!("{{msg}} {{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left");
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
