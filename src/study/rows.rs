//! Rows asked under plans, stage by stage: members vote on all of them, then what their score needs besides is run.

use std::sync::Arc;

use super::orders::{Generating, MAX_WRITTEN, Reading, Rivals, block_runs};
use super::{LoadedModel, Running, StudyError};
use crate::engine::{Capture, EngineError, Reference, Run, TokenScore, Trace, VocabularyWish};
use crate::model::{Passage, Prompt};
use crate::plan::Plan;

/// Tokens that the right one is compared with where a row has no options of its own.
const RIVALS: usize = 3;

/// Rows that go through the model together, on their way; [`RowsRun::advance`] it until it is done.
pub struct RowsRun<'a> {
    model: &'a LoadedModel,
    plans: Arc<[Plan]>,
    reference: Reference,
    /// Block runs of the votes, and of all stages.
    votes: usize,
    total: usize,
    stage: Option<RowsStage<'a>>,
    found: FoundRows,
}

/// Numbers of rows under every plan.
#[derive(Default)]
pub struct FoundRows {
    pub readings: Vec<Reading>,
    /// With the options that members vote on. `[row]`
    pub prompts: Vec<Prompt>,
    /// `[plan][row]`
    pub traces: Vec<Vec<Trace>>,
    /// `[plan][passage]`, the passages row by row; no plan where rows have none.
    scores: Vec<Vec<TokenScore>>,
    /// `[plan][row]` whether the text written says what was expected; no plan where none is written.
    pub right: Vec<Vec<bool>>,
}

/// The stage that the rows are in.
enum RowsStage<'a> {
    /// Looks for the tokens that the first plan finds likeliest, where a row has no options of its own.
    Rivals(Box<dyn Run<Trace> + 'a>),
    Votes(Box<dyn Run<Trace> + 'a>),
    Passages(Box<dyn Run<TokenScore> + 'a>),
    Texts(Box<Generating<'a>>),
}

/// Block runs behind these rows, with `runs` of one row: with shared work done once, and with each plan run alone.
pub fn work(readings: &[Reading], runs: (usize, usize)) -> usize {
    let row = |reading: &Reading| {
        let texts = usize::from(reading.expected.is_some());
        runs.0 * (1 + reading.passages.len()) + runs.1 * texts * MAX_WRITTEN
    };
    readings.iter().map(row).sum()
}

impl<'a> RowsRun<'a> {
    /// Begins to ask the rows under every plan; `reference`: what a plan's distribution over the whole vocabulary is
    /// compared with.
    ///
    /// # Errors
    /// Rows without options, on a device that has no room for the whole vocabulary; when the engine fails.
    pub fn start(
        model: &'a LoadedModel,
        readings: &[Reading],
        plans: &Arc<[Plan]>,
        reference: Reference,
    ) -> Result<Self, StudyError> {
        let runs = block_runs(plans);
        let mut run = Self {
            model,
            plans: Arc::clone(plans),
            reference,
            votes: runs.0 * readings.len(),
            total: work(readings, runs),
            stage: None,
            found: FoundRows { readings: readings.to_vec(), ..FoundRows::default() },
        };
        run.stage = Some(match run.begin_likeliest()? {
            Some(likeliest) => RowsStage::Rivals(likeliest),
            None => run.begin_votes(&[])?,
        });
        Ok(run)
    }

    /// Returns what was found; call it once [`Self::advance`] gave `None`.
    pub fn finish(self) -> FoundRows {
        self.found
    }

    /// Begins to read the likeliest tokens after the prompts that have no options, of which rivals are chosen.
    fn begin_likeliest(&self) -> Result<Option<Box<dyn Run<Trace> + 'a>>, StudyError> {
        let engine = &self.model.engine;
        let open = self.found.readings.iter().filter(|reading| reading.rivals != Rivals::Given);
        let prompts: Arc<[Prompt]> = open.map(|reading| reading.prompt.clone()).collect();
        if prompts.is_empty() {
            return Ok(None);
        }
        if let Some(bytes) = engine.vocabulary_lack() {
            return Err(EngineError::NoVocabulary { bytes }.into());
        }

        // The right token may be among them.
        let top = (RIVALS + 1).min(engine.shape().vocabulary);
        let vocabulary = Some(VocabularyWish { top, ..VocabularyWish::ROWS });
        let capture = Capture { vocabulary, ..Capture::default() };
        Ok(Some(engine.start(prompts, Arc::from([self.plans[0].clone()]), capture)?))
    }

    /// Begins the votes under all plans, on each row's own options or on its rivals.
    fn begin_votes(&mut self, likeliest: &[Trace]) -> Result<RowsStage<'a>, StudyError> {
        let engine = &self.model.engine;
        self.found.prompts =
            with_rivals(&self.found.readings, likeliest, engine.vocabulary_lack())?;
        let reference = self.reference.clone();
        let vocabulary = Some(VocabularyWish { reference, ..VocabularyWish::ROWS });
        let capture = Capture { vocabulary, ..Capture::default() };
        let prompts = self.found.prompts.clone().into();
        Ok(RowsStage::Votes(engine.start(prompts, Arc::clone(&self.plans), capture)?))
    }

    /// Begins what a score needs besides votes: passages, or texts that the model writes.
    fn begin_rest(&self) -> Result<Option<RowsStage<'a>>, StudyError> {
        let plans = Arc::clone(&self.plans);
        let FoundRows { readings, prompts, .. } = &self.found;
        let passages = readings.iter().flat_map(|reading| &reading.passages);
        let passages: Arc<[Passage]> = passages.map(|(passage, _)| passage.clone()).collect();
        if !passages.is_empty() {
            return Ok(Some(RowsStage::Passages(self.model.engine.score(passages, plans)?)));
        }
        let expected: Vec<String> = readings.iter().filter_map(|r| r.expected.clone()).collect();
        if expected.is_empty() {
            return Ok(None);
        }
        let starts = prompts.iter().map(|prompt| prompt.token_ids.clone()).collect();
        let texts = Generating::new(self.model, plans, starts, expected)?;
        Ok(Some(RowsStage::Texts(Box::new(texts))))
    }
}

impl Running for RowsRun<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let Some(stage) = self.stage.take() else {
            return Ok(None);
        };
        let (votes, all) = (self.votes, self.total);
        let after_votes =
            |(done, total): (usize, usize)| votes + (all - votes) * done / total.max(1);

        // Every stage begins the next.
        let (done, stage) = match stage {
            RowsStage::Rivals(mut run) => match run.advance()? {
                Some(_) => (0, Some(RowsStage::Rivals(run))),
                None => (0, Some(self.begin_votes(&run.finish()?.concat())?)),
            },
            RowsStage::Votes(mut run) => match run.advance()? {
                Some((done, _)) => (done, Some(RowsStage::Votes(run))),
                None => {
                    self.found.traces = run.finish()?;
                    (votes, self.begin_rest()?)
                }
            },
            RowsStage::Passages(mut run) => match run.advance()? {
                Some(progress) => (after_votes(progress), Some(RowsStage::Passages(run))),
                None => {
                    self.found.scores = run.finish()?;
                    (all, None)
                }
            },
            RowsStage::Texts(mut texts) => {
                if texts.advance()? {
                    (after_votes(texts.progress()), Some(RowsStage::Texts(texts)))
                } else {
                    self.found.right = texts.right();
                    (all, None)
                }
            }
        };

        self.stage = stage;
        Ok(Some((done, all)))
    }

    fn is_waiting(&self) -> bool {
        match &self.stage {
            None => false,
            Some(RowsStage::Rivals(run) | RowsStage::Votes(run)) => run.is_waiting(),
            Some(RowsStage::Passages(run)) => run.is_waiting(),
            Some(RowsStage::Texts(texts)) => texts.is_waiting(),
        }
    }
}

impl FoundRows {
    /// Returns the scores of each row's passages under the plan of this number; no row where rows have none.
    pub fn scores(&self, plan: usize) -> Vec<&[TokenScore]> {
        let Some(mut scores) = self.scores.get(plan).map(Vec::as_slice) else {
            return Vec::new();
        };
        let row = |reading: &Reading| {
            let (scored, rest) = scores.split_at(reading.passages.len());
            scores = rest;
            scored
        };
        self.readings.iter().map(row).collect()
    }
}

/// Every prompt with its options: the row's own, or the right token and the likeliest others, by the `likeliest`
/// tokens of the rows that have none.
///
/// # Errors
/// The likeliest tokens were not read, since the device's memory ran out: it `lacks` so many bytes.
fn with_rivals(
    readings: &[Reading],
    likeliest: &[Trace],
    lacks: Option<u64>,
) -> Result<Vec<Prompt>, EngineError> {
    if likeliest.iter().any(|trace| trace.vocabulary.is_none())
        && let Some(bytes) = lacks
    {
        return Err(EngineError::NoVocabulary { bytes });
    }
    let mut likeliest = likeliest.iter().filter_map(|trace| trace.vocabulary.as_ref());
    let prompt = |reading: &Reading| {
        let mut prompt = reading.prompt.clone();
        if let Rivals::Original { right } = reading.rivals
            && let Some(found) = likeliest.next()
        {
            let others = found.top_ids.iter().copied().filter(|&id| id != right);
            prompt.option_ids = std::iter::once(right).chain(others.take(RIVALS)).collect();
        }
        prompt
    };
    Ok(readings.iter().map(prompt).collect())
}
