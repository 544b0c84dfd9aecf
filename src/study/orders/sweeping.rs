//! Runs a sweep: rows in chunks, all orders of a chunk together.

use std::ops::Range;
use std::sync::Arc;

use super::reading::{Reading, count_unknown};
use super::result::OrderRows;
use super::{Order, Orders};
use crate::engine::Reference;
use crate::plan::Plan;
use crate::study::rows::{self, FoundRows, RowsRun};
use crate::study::{LoadedModel, Running, StudyError, Unknown};
use crate::task::item::Item;
use crate::task::score::Score;

/// Rows that go through together. Always the same, so that a sweep that was stopped and goes on
/// multiplies the same matrices, and ends with the same bytes, as one that was not.
pub const CHUNK: usize = 16;

/// A sweep on its way; [`Sweeping::advance`] it until there is nothing left to do.
pub struct Sweeping<'a> {
    model: &'a LoadedModel,
    pub(super) task: String,
    pub(super) score: Score,
    pub(super) readings: Vec<Reading>,
    pub(super) orders: Vec<Order>,
    /// The model's own, then the orders'.
    plans: Arc<[Plan]>,
    pub(super) seed: u64,
    /// Whether the device has room to read the whole vocabulary.
    has_vocabulary: bool,
    /// Numbers of the rows done, for each of `plans`.
    pub(super) rows: Vec<OrderRows>,
    chunk: Option<RowsRun<'a>>,
    /// Work done and to do, in block runs.
    done: usize,
    total: usize,
    /// Block runs of one row, and what they would be with each plan run alone.
    pub(super) block_runs: (usize, usize),
}

impl<'a> Sweeping<'a> {
    /// Checks every row before the first one runs.
    ///
    /// # Errors
    /// No rows, rows of several kinds, or the first row that the model cannot read, by its number.
    pub fn start(
        model: &'a LoadedModel,
        task: &str,
        items: &[Item],
        orders: Vec<Order>,
        seed: u64,
    ) -> Result<Self, StudyError> {
        let score = items.first().ok_or(StudyError::NoRows)?.score();
        if let Some(row) = items.iter().position(|item| item.score() != score) {
            return Err(StudyError::MixedRows { row: row + 1 });
        }
        let readings = Reading::all(model, task, items)?;
        let own = Plan::whole(&model.shape().order)?;
        let plans: Arc<[Plan]> =
            std::iter::once(own).chain(orders.iter().map(|order| order.plan.clone())).collect();
        let mut sweeping = Self {
            model,
            task: task.to_string(),
            score,
            readings,
            rows: vec![OrderRows::default(); plans.len()],
            block_runs: super::block_runs(&plans),
            orders,
            plans,
            seed,
            has_vocabulary: model.engine.vocabulary_lack().is_none(),
            chunk: None,
            done: 0,
            total: 0,
        };
        sweeping.total = sweeping.work(0..items.len());
        Ok(sweeping)
    }

    /// How many of `items`, those it was started with, have words that the model does not know.
    ///
    /// # Errors
    /// The first row with an option that it does not know.
    pub fn unknown(&self, items: &[Item], unknown: &Unknown) -> Result<usize, StudyError> {
        count_unknown(&self.task, &self.readings, items, unknown)
    }

    /// Goes on from what a stopped sweep of the same orders on the same rows had.
    ///
    /// # Errors
    /// A sweep of another task, other orders, more rows, or another seed.
    pub fn resume(&mut self, stopped: &Orders) -> Result<(), StudyError> {
        let names = |variant: &super::Variant| (variant.name.clone(), variant.plan.clone());
        let same = stopped.task == self.task
            && stopped.score == self.score
            && stopped.seed == self.seed
            && stopped.rows_asked == self.readings.len()
            && stopped.rows <= self.readings.len()
            && stopped
                .variants
                .iter()
                .map(names)
                .eq(self.orders.iter().map(|order| (order.name.clone(), order.plan.to_string())));
        // A stopped sweep ends with a whole chunk.
        let whole = stopped.rows.is_multiple_of(CHUNK) || stopped.rows == self.readings.len();
        refuse_if!(!same || !whole, StudyError::OtherSweep { task: stopped.task.clone() });
        self.rows = std::iter::once(&stopped.original)
            .chain(&stopped.variants)
            .map(|variant| variant.rows.clone())
            .collect();
        // A file that was edited may have lists of other lengths.
        if !self.are_whole(&self.rows, stopped.rows) {
            return Err(StudyError::OtherSweep { task: stopped.task.clone() });
        }
        self.done = self.work(0..stopped.rows);
        Ok(())
    }

    pub(super) fn own_plan(&self) -> &Plan {
        &self.plans[0]
    }

    /// Is this what so many rows add, for the model's own order and every other?
    pub(super) fn are_whole(&self, found: &[OrderRows], rows: usize) -> bool {
        found.len() == self.plans.len()
            && found.iter().all(|found| found.is_of(self.score, self.has_vocabulary, rows))
    }

    /// The sweep of some of its rows alone.
    pub(super) fn part(&self, rows: Range<usize>) -> Self {
        Self {
            task: self.task.clone(),
            readings: self.readings[rows.clone()].to_vec(),
            orders: self.orders.clone(),
            plans: self.plans.clone(),
            rows: vec![OrderRows::default(); self.plans.len()],
            chunk: None,
            done: 0,
            total: self.work(rows),
            ..*self
        }
    }

    /// Block runs behind these rows.
    pub(super) fn work(&self, rows: Range<usize>) -> usize {
        rows::work(&self.readings[rows], self.block_runs)
    }

    /// Takes in the numbers of a chunk.
    fn take_in(&mut self, found: &FoundRows) {
        let mut traces = found.traces.iter().flatten();
        self.has_vocabulary &= traces.all(|trace| trace.vocabulary.is_some());
        for (plan, rows) in self.rows.iter_mut().enumerate() {
            for (trace, reading) in found.traces[plan].iter().zip(&found.readings) {
                rows.push_votes(self.score, reading, trace);
            }
            for (scores, reading) in found.scores(plan).into_iter().zip(&found.readings) {
                rows.push_passages(reading, scores);
            }
            rows.correct.extend(found.right.get(plan).into_iter().flatten());
        }
    }
}

impl Running for Sweeping<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let from = self.rows_done();
        let to = (from + CHUNK).min(self.readings.len());
        let mut chunk = match self.chunk.take() {
            Some(chunk) => chunk,
            None if from == to => return Ok(None),
            None => {
                let readings = &self.readings[from..to];
                RowsRun::start(self.model, readings, &self.plans, Reference::FirstPlan)?
            }
        };
        let done = match chunk.advance()? {
            Some((done, _)) => {
                self.chunk = Some(chunk);
                self.work(0..from) + done
            }
            None => {
                self.take_in(&chunk.finish());
                self.work(0..to)
            }
        };
        // Never backwards, whatever a stage counts.
        self.done = self.done.max(done);
        Ok(Some((self.done, self.total)))
    }

    fn is_waiting(&self) -> bool {
        self.chunk.as_ref().is_some_and(RowsRun::is_waiting)
    }

    fn rows_done(&self) -> usize {
        self.rows[0].correct.len()
    }
}
