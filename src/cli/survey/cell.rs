//! One model on one task, from the first row or from where it was stopped.

use std::io;
use std::path::Path;

use super::asked::Questions;
use super::journal::{self, Journal};
use super::rows_file::{About, HashedWriter, RowsWriter, write_checksum};
use super::running::SurveyRunning;
use crate::study::LoadedModel;
use crate::study::survey::{Asking, WINDOW};
use crate::unfinished::Unfinished;

impl SurveyRunning<'_> {
    /// Runs what is not in a cell's journal yet, and makes the rows' file of it; `progress` hears the rows done. Returns
    /// whether that is done: false where the reader asked to stop.
    ///
    /// # Errors
    /// A [`StudyError`](crate::study::StudyError) of the model, after which others go on; files that cannot be written,
    /// which stop a survey.
    pub fn cell(
        &self,
        model: &LoadedModel,
        questions: &Questions,
        go_on: &dyn Fn() -> bool,
        progress: &dyn Fn(usize),
    ) -> anyhow::Result<bool> {
        let task = questions.task.name.as_str();
        let asking = Asking::start(model, task, &questions.rows, self.continuations)?;
        let batches = asking.batches(self.shard.index, self.shard.of);
        let part = self.folder.part(&model.name, task);

        // Everything that the cell's rows depend on.
        let cell = format!("{}\n{}\n{task}\n{}", self.asked, model.name, self.shard);
        let (mut journal, before) = Journal::open(&part, cell.clone(), &batches)?;
        let mut done: usize = batches[..before].iter().map(Vec::len).sum();
        progress(done);

        // What is not in the journal yet.
        for batch in &batches[before..] {
            if !go_on() {
                return Ok(false);
            }
            let Some(rows) = asking.run(batch, go_on)? else {
                return Ok(false);
            };
            journal.add(&rows)?;
            done += batch.len();
            progress(done);
        }
        drop(journal);

        // The rows' file of the whole journal.
        let about = About {
            model: model.name.clone(),
            task: task.to_owned(),
            members: model.engine.members(&model.plan(None)?),
            facts: asking.facts().clone(),
            asked: self.asked.to_string(),
            shard: self.shard,
        };
        let rows = journal::rows(&part, cell, WINDOW)?;
        write_rows(&self.folder.rows(&model.name, task), &about, rows)?;
        Ok(true)
    }
}

/// Writes a rows' file that is whole or not there, and its hash beside it.
pub fn write_rows(
    path: &Path,
    about: &About,
    rows: impl Iterator<Item = anyhow::Result<crate::study::survey::MeasuredRow>>,
) -> anyhow::Result<()> {
    let written = || -> anyhow::Result<()> {
        let mut writer = RowsWriter::new(HashedWriter::new(Unfinished::begin(path)?), about)?;
        for row in rows {
            writer.push(row?)?;
        }
        let (file, hash) = writer.finish()?.finish();
        // First, so that a rows' file in its place always has its hash.
        write_checksum(path, &hash)?;
        file.finish()?;
        Ok(())
    }();
    written.map_err(|error| {
        // Rows that cannot be read back need no room.
        let is_disk = error.chain().any(|cause| cause.is::<io::Error>());
        let hint = if is_disk { ": make room, and continue with --resume" } else { "" };
        error.context(format!("{} could not be written{hint}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::super::shard::Shard;
    use super::*;
    use crate::study::survey::CellFacts;
    use crate::task::score::Score;

    #[test]
    fn room_is_asked_for_where_the_disk_has_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sum.parquet");
        let about = About {
            model: "a".to_owned(),
            task: "sum".to_owned(),
            members: Vec::new(),
            facts: CellFacts {
                score: Score::Option,
                instead: None,
                rivals: false,
                too_long: 0,
                unknown: 0,
            },
            asked: String::new(),
            shard: Shard::WHOLE,
        };
        let why = |error: anyhow::Error| {
            let written = write_rows(&path, &about, std::iter::once(Err(error)));
            format!("{:#}", written.expect_err("a row that cannot be read"))
        };
        let full = io::Error::from(ErrorKind::StorageFull);
        assert!(why(full.into()).contains("could not be written: make room, and continue"));
        let damaged = why(anyhow::anyhow!("row 3 is damaged"));
        assert!(
            damaged.ends_with("sum.parquet could not be written: row 3 is damaged"),
            "{damaged}"
        );
    }
}
