//! A task's questions on disk, read one at a time: a survey of any number of rows needs no more memory
//! for them than the places where they begin.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Context;

use crate::study::StudyError;
use crate::study::survey::QuestionSource;
use crate::task::item::TaskRow;

/// A file without a name, gone when it is dropped.
pub struct Spool {
    file: RefCell<File>,
    /// Where each question ends.
    ends: Vec<u64>,
}

impl Spool {
    /// Beside what a run will write, since memory is what some systems keep temporary files in.
    pub fn new(out: &Path, rows: impl Iterator<Item = TaskRow>) -> anyhow::Result<Self> {
        let is_there = |folder: &&Path| folder.is_dir();
        let folder = out.ancestors().find(is_there).unwrap_or(Path::new("."));
        let cannot = || {
            format!(
                "the questions cannot be kept in {}: make room, or give --out another place",
                folder.display()
            )
        };
        let file = tempfile::tempfile_in(folder).with_context(cannot)?;
        let mut to = BufWriter::new(file);
        let (mut ends, mut end) = (Vec::new(), 0);
        for row in rows {
            let text = serde_json::to_vec(&row)?;
            to.write_all(&text).with_context(cannot)?;
            end += text.len() as u64;
            ends.push(end);
        }
        ends.shrink_to_fit();
        let file = to.into_inner().map_err(std::io::IntoInnerError::into_error);
        Ok(Self { file: RefCell::new(file.with_context(cannot)?), ends })
    }

    fn read(&self, row: usize) -> std::io::Result<TaskRow> {
        let from = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let length = usize::try_from(self.ends[row] - from).map_err(std::io::Error::other)?;
        let mut text = vec![0; length];
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

impl QuestionSource for Spool {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, row: usize) -> Result<TaskRow, StudyError> {
        self.read(row).map_err(|error| StudyError::Questions { reason: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::item::Item;

    #[test]
    fn questions_come_back_in_any_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |n: usize| TaskRow {
            line: n + 1,
            level: (!n.is_multiple_of(3)).then_some(n % 3),
            item: Item::Option {
                prompt: "q \u{1f600} ".repeat(n),
                options: vec![" a".into(), " b".into()],
                answer: n % 2,
            },
        };
        let out = folder.path().join("not/there/yet");
        let spool = Spool::new(&out, (0..40).map(row)).expect("a spool");
        assert_eq!(spool.len(), 40);
        for n in [39, 0, 7, 8, 7] {
            assert_eq!(spool.get(n).expect("a row"), row(n));
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
