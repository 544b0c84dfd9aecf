//! Vote and need: what every member and every head says directly, and what the answer loses without it,
//! over rows of a task. Two numbers side by side, never one of both: later blocks may do again what one
//! has lost, or may have needed what it said to nobody else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::orders::{Reading, count_unknown};
use super::without::{PlanPart, parts};
use super::{LoadedModel, StudyError, Unknown};
use crate::engine::{Capture, MemberKind, Run, Trace, VocabularyWish};
use crate::measure::correlation::spearman;
use crate::measure::decomposition::{argmax, lead};
use crate::measure::interval::{Mean, Resamples, share};
use crate::model::Prompt;
use crate::plan::Plan;
use crate::task::item::Item;

/// Rows that run together.
const CHUNK: usize = 8;
/// Of the bootstrap.
const RESAMPLES: usize = 1000;

/// Every part of one model on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Need {
    pub task: String,
    pub rows: usize,
    pub resamples: usize,
    pub seed: u64,
    /// Of the model's own order: its share of right answers.
    pub accuracy: Mean,
    /// Its logit of the right option less the mean of the others'.
    pub lead: Mean,
    /// Its `ln P` of the right option over the whole vocabulary, nats; `None` where the device has no room, as are
    /// the parts' numbers of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_probability: Option<Mean>,
    /// Its share of rows whose right option it says first, of the whole vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<Mean>,
    pub parts: Vec<NeedPart>,
    /// Spearman's, of vote and loss over the parts; `None` where one of them is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_correlation: Option<f64>,
}

/// An attention, an MLP, or one head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedPart {
    pub kind: MemberKind,
    /// A place in the model's own order, and the stored block that runs there.
    pub run: usize,
    pub block: usize,
    /// A query head of the attention, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// The model's own order without it.
    pub plan: String,
    /// What it adds to the lead directly, the final norm's scale held at the full run's.
    pub vote: Mean,
    /// What the lead loses without it.
    pub loss: Mean,
    /// What `ln P` of the right option over the whole vocabulary loses without it, nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Mean>,
    /// Share of right answers without it.
    pub accuracy: Mean,
    /// Share of rows whose right option the model says first without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<Mean>,
}

/// Numbers of every part on every row, in the order of [`Need::parts`]. `[parts][rows]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeedRows {
    pub votes: Vec<Vec<f64>>,
    /// 1 where the answer is right and wrong without the part, -1 where the part makes it wrong.
    pub costs: Vec<Vec<f64>>,
}

/// A run of [`Need`] in steps.
pub struct Needing<'a> {
    model: &'a LoadedModel,
    task: String,
    readings: Vec<Reading>,
    parts: Vec<PlanPart>,
    /// The model's own order, then one a part.
    plans: Arc<[Plan]>,
    seed: u64,
    found: FoundRows,
    run: Option<Box<dyn Run<Trace> + 'a>>,
}

/// Numbers a row.
#[derive(Default)]
struct FoundRows {
    lead: Vec<f64>,
    correct: Vec<bool>,
    /// A part each.
    votes: Vec<Vec<f64>>,
    losses: Vec<Vec<f64>>,
    without: Vec<Vec<bool>>,
    beyond: FoundBeyond,
}

/// What the whole vocabulary says: numbers per row, none where it is not read.
#[derive(Default)]
struct FoundBeyond {
    log_probability: Vec<f64>,
    first_word: Vec<bool>,
    /// A part each.
    lost: Vec<Vec<f64>>,
    first_word_without: Vec<Vec<bool>>,
}

impl<'a> Needing<'a> {
    /// # Errors
    /// No rows; a row that the model cannot read, or whose answer is no single option's token.
    pub fn start(
        model: &'a LoadedModel,
        task: &str,
        items: &[Item],
        seed: u64,
    ) -> Result<Self, StudyError> {
        if items.is_empty() {
            return Err(StudyError::NoRows);
        }
        let mut readings = Vec::with_capacity(items.len());
        for (row, item) in items.iter().enumerate() {
            let reading = Reading::new(model, item).map_err(|error| StudyError::Row {
                task: task.to_owned(),
                row: row + 1,
                error: Box::new(error),
            })?;
            if reading.prompt.option_ids.len() < 2 {
                return Err(StudyError::NeedsOptions { task: task.to_owned() });
            }
            readings.push(reading);
        }
        let own = model.plan(None)?;
        let parts = parts(&own, model.shape());
        let without = parts.iter().map(|part| part.without.clone());
        let plans: Vec<Plan> = std::iter::once(own).chain(without).collect();
        let found = FoundRows {
            votes: vec![Vec::new(); parts.len()],
            losses: vec![Vec::new(); parts.len()],
            without: vec![Vec::new(); parts.len()],
            beyond: FoundBeyond::new(parts.len()),
            ..FoundRows::default()
        };
        Ok(Self {
            model,
            task: task.to_owned(),
            readings,
            parts,
            plans: plans.into(),
            seed,
            found,
            run: None,
        })
    }

    /// How many of `items`, those it was started with, have words that the model does not know.
    ///
    /// # Errors
    /// The first row with an option that it does not know.
    pub fn unknown(&self, items: &[Item], unknown: &Unknown) -> Result<usize, StudyError> {
        count_unknown(&self.task, &self.readings, items, unknown)
    }

    /// Some block runs: rows done and to do, `None` once all are.
    ///
    /// # Errors
    /// What the engine says.
    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let (done, all) = (self.found.lead.len(), self.readings.len());
        let chunk = &self.readings[done..(done + CHUNK).min(all)];
        if chunk.is_empty() {
            return Ok(None);
        }
        let mut run = match self.run.take() {
            Some(run) => run,
            None => {
                let prompts: Vec<Prompt> = chunk.iter().map(|row| row.prompt.clone()).collect();
                let engine = &self.model.engine;
                let vocabulary = Some(VocabularyWish::ROWS);
                let capture = Capture { vocabulary, ..Capture::default() };
                engine.start(prompts.into(), self.plans.clone(), capture)?
            }
        };
        if let Some((advanced, of)) = run.advance()? {
            self.run = Some(run);
            // Rows go through the model together: each is as far as all.
            return Ok(Some((done + chunk.len() * advanced / of.max(1), all)));
        }
        let traces = run.finish()?;
        let answers = chunk.iter().map(|row| row.answer);
        for (row, answer) in answers.enumerate() {
            self.found.add(&traces, row, answer, &self.parts);
            self.found.beyond.add(&traces, row, answer);
        }
        Ok(Some((self.found.lead.len(), all)))
    }

    /// Is the device to answer first? See [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.is_waiting())
    }

    /// The votes and costs of each part, row by row.
    pub fn rows(&self) -> NeedRows {
        let FoundRows { correct, without, votes, .. } = &self.found;
        let right = |is: &bool| f64::from(u8::from(*is));
        let lost = |without: &Vec<bool>| -> Vec<f64> {
            let rows = correct.iter().zip(without);
            rows.map(|(own, other)| right(own) - right(other)).collect()
        };
        NeedRows { votes: votes.clone(), costs: without.iter().map(lost).collect() }
    }

    /// What was found, with intervals.
    pub fn need(self) -> Need {
        let FoundRows { lead, correct, votes, losses, without, beyond } = self.found;
        let resamples = Resamples::new(lead.len(), RESAMPLES, self.seed);
        let known = |list: &[f64]| (!list.is_empty()).then(|| resamples.mean(list));
        let known_share = |list: &[bool]| (!list.is_empty()).then(|| share(list));
        let order = &self.model.shape().order;
        let parts: Vec<NeedPart> = self
            .parts
            .iter()
            .enumerate()
            .map(|(n, part)| NeedPart {
                kind: part.kind,
                run: part.run,
                block: order[part.run],
                head: part.head,
                plan: part.without.to_string(),
                vote: resamples.mean(&votes[n]),
                loss: resamples.mean(&losses[n]),
                lost: known(&beyond.lost[n]),
                accuracy: share(&without[n]),
                first_word: known_share(&beyond.first_word_without[n]),
            })
            .collect();
        let of = |mean: fn(&NeedPart) -> f64| parts.iter().map(mean).collect::<Vec<f64>>();
        let correlation = spearman(&of(|part| part.vote.mean), &of(|part| part.loss.mean));
        Need {
            task: self.task,
            rows: lead.len(),
            resamples: RESAMPLES,
            seed: self.seed,
            accuracy: share(&correct),
            lead: resamples.mean(&lead),
            log_probability: known(&beyond.log_probability),
            first_word: known_share(&beyond.first_word),
            rank_correlation: correlation.map(|correlation| correlation.r),
            parts,
        }
    }
}

impl FoundRows {
    /// One row: `traces` `[plan][row]`, the model's own order first.
    fn add(&mut self, traces: &[Vec<Trace>], row: usize, answer: usize, parts: &[PlanPart]) {
        let own = &traces[0][row];
        let lead = |logits: &[f32]| lead(logits, answer);
        let is_right = |trace: &Trace| {
            let wide: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
            argmax(&wide) == answer
        };
        let before = lead(&own.logits);
        self.lead.push(before);
        self.correct.push(is_right(own));
        for (n, &PlanPart { member, head, .. }) in parts.iter().enumerate() {
            let other = &traces[n + 1][row];
            let mut vote = lead(&own.member_logits[member]);
            if head.is_some() {
                // The same input, one head less: what is missing is the head's, read with the own
                // run's scale.
                let rest = lead(&other.member_logits[member]);
                vote -= rest * f64::from(own.scale) / f64::from(other.scale);
            }
            self.votes[n].push(vote);
            self.losses[n].push(before - lead(&other.logits));
            self.without[n].push(is_right(other));
        }
    }
}

impl FoundBeyond {
    fn new(parts: usize) -> Self {
        Self {
            lost: vec![Vec::new(); parts],
            first_word_without: vec![Vec::new(); parts],
            ..Self::default()
        }
    }

    /// Adds one row: `traces` `[plan][row]`, the model's own order first.
    fn add(&mut self, traces: &[Vec<Trace>], row: usize, answer: usize) {
        // A device that lost its room in the middle would leave means over some of the rows.
        if traces.iter().any(|plan| plan[row].vocabulary.is_none()) {
            *self = Self::new(self.lost.len());
            return;
        }
        let readings = traces.iter().filter_map(|plan| plan[row].vocabulary.as_ref());
        let mut rights = readings.map(|reading| reading.followed[answer]);
        let Some(own) = rights.next() else { return };
        self.log_probability.push(own.log_probability);
        self.first_word.push(own.rank == 1);
        for (n, without) in rights.enumerate() {
            self.lost[n].push(own.log_probability - without.log_probability);
            self.first_word_without[n].push(without.rank == 1);
        }
    }
}
