//! Runs a sweep: rows in chunks, all orders of a chunk together.

use std::ops::Range;
use std::sync::Arc;

use super::generating::Generating;
use super::reading::{Reading, count_unknown, read_likeliest, with_rivals};
use super::result::OrderRows;
use super::{Order, Orders};
use crate::engine::{Capture, Reference, Run, TokenScore, Trace, VocabularyWish};
use crate::model::{Passage, Prompt};
use crate::plan::Plan;
use crate::study::{LoadedModel, StudyError, Unknown};
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
    stage: Option<ChunkStage<'a>>,
    /// Work done and to do, in block runs.
    done: usize,
    total: usize,
    /// Block runs of one row, and what they would be with each plan run alone.
    pub(super) block_runs: (usize, usize),
}

/// The stage that a chunk of rows is in.
enum ChunkStage<'a> {
    /// Looks for the tokens that the model's own order finds likeliest, where a row has no options of its own.
    Rivals(Box<dyn Run<Trace> + 'a>),
    Members(Vec<Prompt>, Box<dyn Run<Trace> + 'a>),
    Passages(Box<dyn Run<TokenScore> + 'a>),
    Generate(Box<Generating<'a>>),
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
            stage: None,
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
            stage: None,
            done: 0,
            total: self.work(rows),
            ..*self
        }
    }

    /// Block runs behind these rows.
    pub(super) fn work(&self, rows: Range<usize>) -> usize {
        let row = |reading: &Reading| {
            let generated = usize::from(reading.expected.is_some());
            self.block_runs.0 * (1 + reading.passages.len())
                + self.block_runs.1 * generated * super::generating::TOKENS
        };
        self.readings[rows].iter().map(row).sum()
    }

    /// Rows that every order has been through.
    pub fn rows_done(&self) -> usize {
        let done = |rows: &OrderRows| rows.correct.len();
        self.rows.iter().map(done).min().unwrap_or(0)
    }

    /// Runs one batch of blocks: `Some((done, of))` in block runs, `None` once all is done.
    ///
    /// # Errors
    /// When the engine fails, or a written text cannot be decoded.
    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let from = self.rows_done();
        let to = (from + CHUNK).min(self.readings.len());
        let before = self.done;
        match self.stage.take() {
            None if from == to => return Ok(None),
            None => self.stage = Some(self.begin(from..to)?),
            Some(ChunkStage::Rivals(mut run)) => {
                self.stage = Some(match run.advance()? {
                    Some(_) => ChunkStage::Rivals(run),
                    None => self.members(from..to, &run.finish()?.concat())?,
                });
            }
            Some(ChunkStage::Members(prompts, mut run)) => match run.advance()? {
                Some((done, _)) => {
                    self.done = self.work(0..from) + done;
                    self.stage = Some(ChunkStage::Members(prompts, run));
                }
                None => {
                    let traces = run.finish()?;
                    self.votes(from, &traces);
                    self.stage = self.after_members(from..to, &prompts)?;
                }
            },
            Some(ChunkStage::Passages(mut run)) => match run.advance()? {
                Some((done, _)) => {
                    self.done = self.work(0..from) + self.block_runs.0 * (to - from) + done;
                    self.stage = Some(ChunkStage::Passages(run));
                }
                None => {
                    let scores = run.finish()?;
                    self.passages(from..to, &scores);
                }
            },
            Some(ChunkStage::Generate(mut generating)) => {
                if generating.advance()? {
                    let (done, of) = generating.progress();
                    let whole = self.block_runs.1 * (to - from) * super::generating::TOKENS;
                    self.done = self.work(0..from)
                        + self.block_runs.0 * (to - from)
                        + whole * done / of.max(1);
                    self.stage = Some(ChunkStage::Generate(generating));
                } else {
                    for (rows, right) in self.rows.iter_mut().zip(generating.right()) {
                        rows.correct.extend(right);
                    }
                }
            }
        }
        // Never backwards, whatever a stage counts.
        self.done = self.done.max(before);
        if self.stage.is_none() && self.rows_done() == to {
            self.done = self.work(0..to);
        }
        Ok(Some((self.done, self.total)))
    }

    /// Is the device to answer first? See [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        match &self.stage {
            None => false,
            Some(ChunkStage::Rivals(run)) => run.is_waiting(),
            Some(ChunkStage::Members(_, run)) => run.is_waiting(),
            Some(ChunkStage::Passages(run)) => run.is_waiting(),
            Some(ChunkStage::Generate(generating)) => generating.is_waiting(),
        }
    }

    /// A chunk's first stage.
    fn begin(&self, rows: Range<usize>) -> Result<ChunkStage<'a>, StudyError> {
        let readings = &self.readings[rows.clone()];
        match read_likeliest(&self.model.engine, readings, self.own_plan())? {
            Some(run) => Ok(ChunkStage::Rivals(run)),
            None => self.members(rows, &[]),
        }
    }

    /// All orders of a chunk, its rows with their options: the row's own, or its rivals by the `likeliest` tokens
    /// of the rows that have none.
    fn members(
        &self,
        rows: Range<usize>,
        likeliest: &[Trace],
    ) -> Result<ChunkStage<'a>, StudyError> {
        let prompts = with_rivals(&self.model.engine, &self.readings[rows], likeliest)?;
        let vocabulary =
            Some(VocabularyWish { reference: Reference::FirstPlan, ..VocabularyWish::ROWS });
        let run = self.model.engine.start(
            prompts.clone().into(),
            self.plans.clone(),
            Capture { vocabulary, ..Capture::default() },
        )?;
        Ok(ChunkStage::Members(prompts, run))
    }

    /// `traces` `[plan][prompt]` of the chunk.
    fn votes(&mut self, from: usize, traces: &[Vec<Trace>]) {
        self.has_vocabulary &= traces.iter().flatten().all(|trace| trace.vocabulary.is_some());
        for (rows, traces_of_plan) in self.rows.iter_mut().zip(traces) {
            for (trace, reading) in traces_of_plan.iter().zip(&self.readings[from..]) {
                rows.push_votes(self.score, reading, trace);
            }
        }
    }

    fn after_members(
        &self,
        rows: Range<usize>,
        prompts: &[Prompt],
    ) -> Result<Option<ChunkStage<'a>>, StudyError> {
        let readings = &self.readings[rows];
        let passages: Vec<Passage> = readings
            .iter()
            .flat_map(|reading| reading.passages.iter().map(|(passage, _)| passage.clone()))
            .collect();
        if !passages.is_empty() {
            let run = self.model.engine.score(passages.into(), self.plans.clone())?;
            return Ok(Some(ChunkStage::Passages(run)));
        }
        let expected: Vec<String> = readings.iter().filter_map(|r| r.expected.clone()).collect();
        if expected.is_empty() {
            return Ok(None);
        }
        let starts = prompts.iter().map(|p| p.token_ids.clone()).collect();
        let generating = Generating::new(self.model, self.plans.clone(), starts, expected)?;
        Ok(Some(ChunkStage::Generate(Box::new(generating))))
    }

    /// `scores` `[plan][passage]`, the chunk's passages row by row.
    fn passages(&mut self, rows: Range<usize>, scores: &[Vec<TokenScore>]) {
        for (found, mut scores) in self.rows.iter_mut().zip(scores.iter().map(Vec::as_slice)) {
            for reading in &self.readings[rows.clone()] {
                let (own, rest) = scores.split_at(reading.passages.len());
                scores = rest;
                found.push_passages(reading, own);
            }
        }
    }
}
