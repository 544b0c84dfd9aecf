//! The rows of an unfinished task: one line a row, a checksum of its cell and itself and a JSON object,
//! appended batch by batch. A line that was cut off, is not what was written, or is of another cell (a file
//! that was copied here), and a batch with such a line, is run again.

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
    /// Name of the cell, which holds everything that its rows depend on: part of every line's checksum.
    cell: String,
    synced: Instant,
}

/// How long the disk may keep what was written to itself: a process that is killed loses nothing of
/// it, a machine that loses its power this much.
const SYNC: Duration = Duration::from_secs(1);

impl Journal {
    /// Opens or begins that of a cell; how many of `batches` are whole in it. What follows them is cut off.
    pub fn open(
        path: &Path,
        cell: String,
        batches: &[Vec<usize>],
    ) -> anyhow::Result<(Self, usize)> {
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
                if read(&cell, &line).is_none_or(|found| found.row != row) {
                    break 'batches;
                }
                length += bytes as u64;
            }
            end += length;
            done += 1;
        }
        file.set_len(end).with_context(could_not)?;
        file.seek(SeekFrom::Start(end)).with_context(could_not)?;
        let journal = Self { path: path.to_path_buf(), file, cell, synced: Instant::now() };
        Ok((journal, done))
    }

    /// Adds a batch's rows, in one write.
    pub fn add(&mut self, rows: &[MeasuredRow]) -> anyhow::Result<()> {
        let mut text = Vec::new();
        for row in rows {
            let json = serde_json::to_string(row)?;
            text.extend_from_slice(format!("{} {json}\n", checksum(&self.cell, &json)).as_bytes());
        }
        let mut written = self.file.write_all(&text);
        if written.is_ok() && self.synced.elapsed() > SYNC {
            written = self.file.sync_data();
            self.synced = Instant::now();
        }
        written.with_context(|| {
            format!(
                "{} could not be written: make room, and continue with --resume",
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

/// A whole line's row, unless the line is another than was written for this cell.
fn read(cell: &str, line: &str) -> Option<MeasuredRow> {
    let (sum, json) = line.strip_suffix('\n')?.split_once(' ')?;
    let row = (sum == checksum(cell, json)).then(|| serde_json::from_str(json).ok());
    row.flatten()
}

/// Enough to see that a line changed, or came from another cell.
fn checksum(cell: &str, json: &str) -> String {
    let mut sum = fingerprint::bytes(format!("{cell}\n{json}").as_bytes());
    sum.truncate(16);
    sum
}

/// Every row of a cell's finished journal, in the rows' order: it holds windows in order, and of one window
/// at a time rows are in memory.
pub fn rows(
    path: &Path,
    cell: String,
    window: usize,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<MeasuredRow>>> {
    let shown = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{shown} cannot be read"))?;
    let mut file = BufReader::new(file);
    let lines = std::iter::from_fn(move || match line_of(&mut file) {
        Ok((0, _)) => None,
        Ok((_, line)) => {
            Some(read(&cell, &line).with_context(|| format!("{shown} holds a line that is no row")))
        }
        Err(error) => Some(Err(error).with_context(|| format!("{shown} cannot be read"))),
    });
    let mut lines = lines.peekable();
    let mut held: std::vec::IntoIter<MeasuredRow> = Vec::new().into_iter();
    Ok(std::iter::from_fn(move || {
        if let Some(row) = held.next() {
            return Some(Ok(row));
        }
        let first = match lines.next()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error)),
        };
        let number = first.row / window;
        let mut rows = vec![first];
        let is_beside = |next: &anyhow::Result<MeasuredRow>| {
            next.as_ref().is_ok_and(|row| row.row / window == number)
        };
        while let Some(Ok(row)) = lines.next_if(is_beside) {
            rows.push(row);
        }
        rows.sort_by_key(|row| row.row);
        held = rows.into_iter();
        held.next().map(Ok)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(row: usize) -> MeasuredRow {
        let json = format!(
            r#"{{"row":{row},"line":1,"tokens":2,"answer":0,"answered":0,"correct":true,"option_ids":[],"logits":[],
                "member_logits":[],"sum_error":0,"probability":[0,0,0],"logit":[0,0,0],"centred":[0,0,0],
                "offset":[0,0,0],"paper":[0,0,0],"answer_tokens":1}}"#
        );
        serde_json::from_str(&json).expect("a row")
    }

    /// A journal that was copied from one model's folder into another's was taken for its own, and the report had the
    /// first one's numbers.
    #[test]
    fn rows_of_another_cell_are_run_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sum.rows.part");
        let batches = [vec![0], vec![1]];
        let open = |cell: &str| Journal::open(&path, cell.to_owned(), &batches).expect("a journal");
        let (mut journal, done) = open("asked\na\nsum\n1/1");
        assert_eq!(done, 0);
        journal.add(&[row(0)]).expect("written");
        drop(journal);

        assert_eq!(open("asked\na\nsum\n1/1").1, 1);
        let read = |cell: &str| {
            let mut rows = rows(&path, cell.to_owned(), 64).expect("a journal");
            rows.next().expect("a line").is_ok()
        };
        assert!(read("asked\na\nsum\n1/1") && !read("asked\nb\nsum\n1/1"));
        assert_eq!(open("asked\nb\nsum\n1/1").1, 0);
    }
}
