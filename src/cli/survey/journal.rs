//! The rows of an unfinished task: one line a row, a checksum and a JSON object, appended batch by
//! batch. A line that was cut off or is not what was written, and a batch that was, is run again.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::folder::is_own;
use crate::cli::fingerprint;
use crate::study::survey::MeasuredRow;

pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

/// How long the disk may keep what was written to itself: a process that is killed loses nothing of
/// it, a machine that loses its power this much.
const SYNC: Duration = Duration::from_secs(1);

impl Journal {
    /// Opens or begins it; how many of `batches` are whole in it. What follows them is cut off.
    pub fn open(path: &Path, batches: &[Vec<usize>]) -> anyhow::Result<(Self, usize)> {
        let could_not = || format!("{} could not be written", path.display());
        is_own(path)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(could_not)?;
        let (mut done, mut end) = (0, 0);
        let mut reader = BufReader::new(&file);
        'batches: for batch in batches {
            let mut length = 0;
            for &row in batch {
                // A line that is no text was cut off, too.
                let Ok((bytes, line)) = line_of(&mut reader) else {
                    break 'batches;
                };
                if read(&line).is_none_or(|found| found.row != row) {
                    break 'batches;
                }
                length += bytes as u64;
            }
            end += length;
            done += 1;
        }
        file.set_len(end).with_context(could_not)?;
        file.seek(SeekFrom::Start(end)).with_context(could_not)?;
        let journal = Self { path: path.to_path_buf(), file, synced: Instant::now() };
        Ok((journal, done))
    }

    /// Adds a batch's rows, in one write.
    pub fn add(&mut self, rows: &[MeasuredRow]) -> anyhow::Result<()> {
        let mut text = Vec::new();
        for row in rows {
            let json = serde_json::to_string(row)?;
            text.extend_from_slice(format!("{} {json}\n", checksum(&json)).as_bytes());
        }
        let mut written = self.file.write_all(&text);
        if written.is_ok() && self.synced.elapsed() > SYNC {
            written = self.file.sync_data();
            self.synced = Instant::now();
        }
        written.with_context(|| {
            format!(
                "{} could not be written: make room, and go on with --resume",
                self.path.display()
            )
        })
    }
}

/// Longest line that is read: a row's is its prompt, and some numbers of each member and option.
const LINE: u64 = 1 << 28;

/// The next line and how many bytes it has; one that does not end in time has no line break.
fn line_of(from: &mut impl BufRead) -> std::io::Result<(usize, String)> {
    let mut line = String::new();
    let bytes = from.take(LINE).read_line(&mut line)?;
    Ok((bytes, line))
}

/// A whole line's row, unless the line is another than was written.
fn read(line: &str) -> Option<MeasuredRow> {
    let (sum, json) = line.strip_suffix('\n')?.split_once(' ')?;
    let row = (sum == checksum(json)).then(|| serde_json::from_str(json).ok());
    row.flatten()
}

/// Enough to see that a line changed.
fn checksum(json: &str) -> String {
    let mut sum = fingerprint::bytes(json.as_bytes());
    sum.truncate(16);
    sum
}

/// Every row of a finished journal, in the rows' order: it holds windows in order, and of one window
/// at a time rows are in memory.
pub fn rows(
    path: &Path,
    window: usize,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<MeasuredRow>>> {
    let shown = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{shown} cannot be read"))?;
    let mut file = BufReader::new(file);
    let mut lines = std::iter::from_fn(move || match line_of(&mut file) {
        Ok((0, _)) => None,
        Ok((_, line)) => {
            Some(read(&line).with_context(|| format!("{shown} holds a line that is no row")))
        }
        Err(error) => Some(Err(error).with_context(|| format!("{shown} cannot be read"))),
    });
    let mut next: Option<anyhow::Result<MeasuredRow>> = lines.next();
    let mut held: std::vec::IntoIter<MeasuredRow> = Vec::new().into_iter();
    Ok(std::iter::from_fn(move || {
        if let Some(row) = held.next() {
            return Some(Ok(row));
        }
        let mut rows: Vec<MeasuredRow> = Vec::new();
        loop {
            match next.take() {
                None => break,
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(row)) => {
                    let same =
                        rows.first().is_none_or(|first| first.row / window == row.row / window);
                    if !same {
                        next = Some(Ok(row));
                        break;
                    }
                    rows.push(row);
                    next = lines.next();
                }
            }
        }
        rows.sort_by_key(|row| row.row);
        held = rows.into_iter();
        held.next().map(Ok)
    }))
}
