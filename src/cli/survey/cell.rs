//! One model on one task, from the first row or from where it was stopped.

use std::path::Path;

use anyhow::Context;

use super::folder::Folder;
use super::journal::{self, Journal};
use super::rows_file::{About, HashedWriter, RowsWriter, write_checksum};
use super::shard::Shard;
use super::spool::Spool;
use crate::study::survey::{Asking, WINDOW};
use crate::study::{LoadedModel, StudyError, Unknown};
use crate::unfinished::Unfinished;

/// How a cell ended.
pub enum End {
    Done,
    /// The reader asked to stop.
    Stopped,
    /// The model cannot go on; others can.
    Failed(StudyError),
}

/// What belongs to one cell.
pub struct CellJob<'a> {
    pub model: &'a LoadedModel,
    /// What its tokenizer reads for words that it does not know.
    pub unknown: Option<Unknown>,
    pub task: &'a str,
    pub rows: &'a Spool,
    pub continuations: bool,
    pub shard: Shard,
    /// Fingerprint of all that the survey asks.
    pub asked: &'a str,
}

impl CellJob<'_> {
    /// Runs what is not in the journal yet, and makes the rows' file of it. `progress` hears the rows
    /// done.
    ///
    /// # Errors
    /// Files that cannot be written: nothing else stops a survey.
    pub fn run(
        &self,
        folder: &Folder,
        go_on: &dyn Fn() -> bool,
        progress: &dyn Fn(usize),
    ) -> anyhow::Result<End> {
        let unknown = self.unknown.clone();
        let asking = Asking::start(self.model, unknown, self.task, self.rows, self.continuations);
        let asking = match asking {
            Ok(asking) => asking,
            Err(error) => return Ok(End::Failed(error)),
        };
        let batches = asking.batches(self.shard.index, self.shard.of);
        let part = folder.part(&self.model.name, self.task);
        let cell = self.name();
        let (mut journal, before) = Journal::open(&part, cell.clone(), &batches)?;
        let mut done: usize = batches[..before].iter().map(Vec::len).sum();
        progress(done);
        for batch in &batches[before..] {
            if !go_on() {
                return Ok(End::Stopped);
            }
            match asking.run(batch, go_on) {
                Ok(Some(rows)) => journal.add(&rows)?,
                Ok(None) => return Ok(End::Stopped),
                Err(error) => return Ok(End::Failed(error)),
            }
            done += batch.len();
            progress(done);
        }
        drop(journal);
        let plan = match self.model.plan(None) {
            Ok(plan) => plan,
            Err(error) => return Ok(End::Failed(error)),
        };
        let about = About {
            model: self.model.name.clone(),
            task: self.task.to_string(),
            members: self.model.engine.members(&plan),
            facts: asking.facts().clone(),
            asked: self.asked.to_string(),
            shard: self.shard,
        };
        let rows = journal::rows(&part, cell, WINDOW)?;
        write_rows(&folder.rows(&self.model.name, self.task), &about, rows)?;
        Ok(End::Done)
    }

    /// All that the cell's rows depend on: what was asked, and which of its models, tasks and parts this is.
    fn name(&self) -> String {
        format!("{}\n{}\n{}\n{}", self.asked, self.model.name, self.task, self.shard)
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
    written.with_context(|| {
        format!("{} could not be written: make room, and go on with --resume", path.display())
    })
}
