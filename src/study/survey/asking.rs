//! One model on one task's rows.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::scoring::{measured, parting, scored};
use super::{Aggregate, Found, MeasuredRow};
use crate::engine::{Member, Reference};
use crate::model::ModelError;
use crate::plan::Plan;
use crate::study::orders::{Reading, Rivals};
use crate::study::rows::RowsRun;
use crate::study::{LoadedModel, Running, StudyError};
use crate::task::item::{Candidate, Item, TaskRow};
use crate::task::score::Score;

/// Rows that are sorted by length together. Shards take whole windows.
pub const WINDOW: usize = 64;

/// Rows that go through the model together. Windows and batches depend on the rows alone, never on
/// what was done before or by whom, so that a stopped, resumed or divided survey multiplies the same
/// matrices, and ends with the same bytes, as one that was not.
pub const BATCH: usize = 16;

/// Facts that are settled before a task's first row runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellFacts {
    /// How the rows are scored: the task's own way, or as continuations.
    pub score: Score,
    /// Why not the task's own way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Do members vote among the right answer's first token and those that the model finds likeliest
    /// besides it? Otherwise they vote among the row's own options: their only tokens, or, where
    /// they have several, the first in which they part.
    pub rivals: bool,
    /// Rows that are longer than the model's context: left out.
    pub too_long: usize,
    /// Rows with words that the model does not know, and reads all as one token.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unknown: usize,
}

fn is_none(rows: &usize) -> bool {
    *rows == 0
}

/// A row among those asked, and what it asks.
pub(super) struct RowPlace<'a> {
    pub row: usize,
    pub asked: &'a TaskRow,
}

/// Every row checked, none run.
pub struct Asking<'a> {
    model: &'a LoadedModel,
    plans: Arc<[Plan]>,
    rows: &'a [TaskRow],
    /// Tokens of each row; none for one that is too long.
    lengths: Vec<u32>,
    facts: CellFacts,
}

impl<'a> Asking<'a> {
    /// Where an option is not one token for this model, the
    /// task is refused, or with `continuations` all its rows are scored by how likely each option is
    /// as a continuation.
    ///
    /// # Errors
    /// No rows, rows of several kinds, the first row that the model cannot read or whose options it
    /// does not know, or no row that is short enough.
    pub fn start(
        model: &'a LoadedModel,
        task: &str,
        rows: &'a [TaskRow],
        continuations: bool,
    ) -> Result<Self, StudyError> {
        let first = rows.first().ok_or(StudyError::NoRows)?;
        let score = first.item.score();
        let mut asking = Self {
            model,
            plans: Arc::from([Plan::whole(&model.shape().order)?]),
            lengths: Vec::with_capacity(rows.len()),
            rows,
            facts: CellFacts {
                score,
                instead: None,
                rivals: score != Score::Option,
                too_long: 0,
                unknown: 0,
            },
        };
        if let Err(refusal) = asking.measure(task) {
            let reason = match &refusal {
                StudyError::Row { error, .. } => match &**error {
                    StudyError::Model(
                        reason
                        @ (ModelError::OptionPieces { .. } | ModelError::OptionMerges { .. }),
                    ) => reason.to_string(),
                    _ => return Err(refusal),
                },
                _ => return Err(refusal),
            };
            refuse_if!(!continuations, StudyError::NotOneToken { task: task.to_string(), reason });
            asking.facts.score = Score::Continuation;
            asking.facts.instead = Some(reason);
            asking.measure(task)?;
            asking.facts.rivals = !asking.part_everywhere();
        }
        Ok(asking)
    }

    /// The length of every row.
    fn measure(&mut self, task: &str) -> Result<(), StudyError> {
        let rows = self.rows;
        let score = rows[0].item.score();
        self.lengths.clear();
        self.facts.unknown = 0;
        for (row, TaskRow { line, item, .. }) in rows.iter().enumerate() {
            refuse_if!(item.score() != score, StudyError::MixedRows { row: row + 1 });
            let length = match self.known(item) {
                Ok(reading) => {
                    let passages = reading.passages.iter().map(|(p, _)| p.token_ids.len());
                    let all = passages.chain([reading.prompt.token_ids.len()]);
                    all.max().map_or(0, |length| u32::try_from(length).unwrap_or(u32::MAX))
                }
                Err(StudyError::Model(ModelError::TooLong { .. })) => 0,
                Err(error) => {
                    return Err(StudyError::Row {
                        task: task.to_string(),
                        row: *line,
                        error: Box::new(error),
                    });
                }
            };
            self.lengths.push(length);
        }
        self.facts.too_long = self.lengths.iter().filter(|&&l| l == 0).count();
        refuse_if!(
            self.facts.too_long == self.rows.len(),
            StudyError::AllTooLong { task: task.to_string(), context: self.model.shape().context }
        );
        Ok(())
    }

    /// A row's reading; whether the model knows its words is counted.
    fn known(&mut self, item: &Item) -> Result<Reading, StudyError> {
        let reading = self.reading(item)?;
        if let Some(unknown) = &self.model.unknown
            && !reading.is_known(item, unknown)?
        {
            self.facts.unknown += 1;
        }
        Ok(reading)
    }

    /// Do the options of every row part at one token, all to different ones?
    fn part_everywhere(&self) -> bool {
        let mut rows = self.rows.iter().zip(&self.lengths).filter(|(_, length)| **length > 0);
        rows.all(|(row, _)| {
            self.reading(&row.item).is_ok_and(|reading| parting(&reading).is_some())
        })
    }

    fn reading(&self, item: &Item) -> Result<Reading, StudyError> {
        match (item, &self.facts.instead) {
            (Item::Option { prompt, options, answer }, Some(_)) => {
                let candidates = options.iter().map(|option| Candidate {
                    context: prompt.clone(),
                    continuation: option.clone(),
                });
                let item = Item::Continuation { candidates: candidates.collect(), answer: *answer };
                let mut reading = Reading::new(self.model, &item)?;
                if !self.facts.rivals
                    && let Some(prompt) = parting(&reading)
                {
                    reading.prompt = prompt;
                    reading.rivals = Rivals::Given;
                    reading.answer = *answer;
                }
                Ok(reading)
            }
            _ => Reading::new(self.model, item),
        }
    }

    /// Returns the facts that were settled before the first row.
    pub fn facts(&self) -> &CellFacts {
        &self.facts
    }

    /// Rows that will be run.
    pub fn len(&self) -> usize {
        self.rows.len() - self.facts.too_long
    }

    /// Never: at least one row is short enough.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of its rows at once, kept in memory, and what they come to; `None` where there are none. For surveys
    /// that are over in minutes: others keep row after row on the disk.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn found(&self, members: &[Member]) -> Result<Option<Found>, StudyError> {
        let mut measured = Vec::with_capacity(self.len());
        for batch in self.batches(0, 1) {
            measured.extend(self.run(&batch, &|| true)?.into_iter().flatten());
        }
        // Batches are of like lengths; sums are taken in the rows' own order.
        measured.sort_by_key(|row| row.row);
        let mut sums = Aggregate::new(members, measured.len(), &self.facts);
        for row in &measured {
            sums.add(row);
        }
        Ok(sums.finish(&self.facts))
    }

    /// Every batch of rows, window after window, in the order in which they are to be run: those of
    /// shard `shard` of `of` (counted from 0).
    pub fn batches(&self, shard: usize, of: usize) -> Vec<Vec<usize>> {
        let mut batches = Vec::new();
        let windows = 0..self.rows.len().div_ceil(WINDOW);
        for window in windows.filter(|window| window % of == shard) {
            let end = (window * WINDOW + WINDOW).min(self.rows.len());
            let mut rows: Vec<(u32, usize)> = (window * WINDOW..end)
                .map(|row| (self.lengths[row], row))
                .filter(|&(length, _)| length > 0)
                .collect();
            rows.sort_unstable();
            let rows: Vec<usize> = rows.into_iter().map(|(_, row)| row).collect();
            batches.extend(rows.chunks(BATCH).map(<[usize]>::to_vec));
        }
        batches
    }

    /// Runs one batch; `None` when `go_on` said no.
    ///
    /// # Errors
    /// When a row cannot be read, the engine fails, or a row's numbers are not finite.
    pub fn run(
        &self,
        batch: &[usize],
        go_on: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<MeasuredRow>>, StudyError> {
        let readings = batch.iter().map(|&row| self.reading(&self.rows[row].item));
        let readings = readings.collect::<Result<Vec<_>, _>>()?;
        let mut run = RowsRun::start(self.model, &readings, &self.plans, Reference::None)?;
        while run.advance()?.is_some() {
            if !go_on() {
                return Ok(None);
            }
        }
        let found = run.finish();
        let each = batch.iter().zip(&readings).zip(&found.prompts).zip(&found.traces[0]);
        let each = each.map(|(((&row, reading), prompt), trace)| {
            measured(&RowPlace { row, asked: &self.rows[row] }, reading, prompt, trace)
        });
        let mut rows: Vec<MeasuredRow> = each.collect();
        for ((row, reading), scores) in rows.iter_mut().zip(&readings).zip(found.scores(0)) {
            scored(row, reading, scores);
        }
        for (row, &right) in rows.iter_mut().zip(found.right.iter().flatten()) {
            row.correct = right;
        }
        let members = found.traces[0].first().map_or(0, |trace| trace.members.len());
        match rows.iter().find(|row| !row.is_sound(members)) {
            Some(row) => Err(StudyError::NotFinite { row: row.line }),
            None => Ok(Some(rows)),
        }
    }
}
