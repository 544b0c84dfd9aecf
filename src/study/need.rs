//! Vote and need: what every member and every head says directly, and what the answer loses without it,
//! over rows of a task. Two numbers side by side, never one of both: later blocks may do again what one
//! has lost, or may have needed what it said to nobody else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::orders::{Reading, count_unknown};
use super::rows::RowsRun;
use super::without::{PlanPart, parts};
use super::{LoadedModel, Running, StudyError, Unknown};
use crate::engine::{MemberKind, Reference, Trace};
use crate::measure::correlation::spearman;
use crate::measure::decomposition::{argmax, logit_difference};
use crate::measure::interval::{Mean, Resamples, share};
use crate::measure::largest::largest_mean;
use crate::plan::Plan;
use crate::task::item::Item;

/// Rows that run together.
const CHUNK: usize = 8;
/// Resamples of the bootstrap.
const RESAMPLES: usize = 1000;

/// Every part of one model on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Need {
    pub task: String,
    pub rows: usize,
    pub resamples: usize,
    pub seed: u64,
    /// Share of right answers of the model's own order.
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
    /// Attentions and MLPs among each other.
    pub components: ComparedParts,
    /// Heads among each other: a head is a part of its attention, so the two go together by construction.
    pub heads: ComparedParts,
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
    /// Its net vote: the direct addition to the logit difference, the final norm's scale held at the full run's.
    pub vote: Mean,
    /// Loss of the logit difference without it.
    pub loss: Mean,
    /// Loss of `ln P` of the right option over the whole vocabulary without it, nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Mean>,
    /// Share of right answers without it.
    pub accuracy: Mean,
    /// Share of rows whose right option the model says first without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<Mean>,
}

/// Parts of which none holds another, compared over the same rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedParts {
    /// Spearman's, of vote and loss; `None` where one of them is constant, or of fewer than three parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_correlation: Option<f64>,
    /// The largest mean of [`NeedPart::loss`]; `None` of fewer than two parts or rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_loss: Option<LargestLoss>,
    /// The largest mean of [`NeedPart::lost`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_lost: Option<LargestLoss>,
}

/// The part with the largest mean loss, and whether the rows tell it from the others (docs/definitions.md,
/// section 17). Parts are indices into [`Need::parts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargestLoss {
    pub part: usize,
    /// Parts to which the difference, row by row, has an interval that reaches 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<usize>,
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
    found: PartRows,
    chunk: Option<RowsRun<'a>>,
}

/// Numbers a row.
#[derive(Default)]
struct PartRows {
    lead: Vec<f64>,
    correct: Vec<bool>,
    /// A part each.
    votes: Vec<Vec<f64>>,
    losses: Vec<Vec<f64>>,
    without: Vec<Vec<bool>>,
    beyond: FoundBeyond,
}

/// Numbers over the whole vocabulary, per row; empty where it is not read.
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
        refuse_if!(items.is_empty(), StudyError::NoRows);
        let readings = Reading::all(model, task, items)?;
        if readings.iter().any(|reading| reading.prompt.option_ids.len() < 2) {
            return Err(StudyError::NeedsOptions { task: task.to_owned() });
        }
        let own = model.plan(None)?;
        let parts = parts(&own, model.shape());
        Ok(Self {
            model,
            task: task.to_owned(),
            readings,
            plans: plans(own, &parts),
            seed,
            found: PartRows::of(parts.len()),
            parts,
            chunk: None,
        })
    }

    /// Leaves out only some of the parts. To be called before anything runs.
    #[must_use]
    pub fn only(self, is_wanted: impl Fn(&PlanPart) -> bool) -> Self {
        let own = self.plans[0].clone();
        let parts: Vec<PlanPart> = self.parts.into_iter().filter(is_wanted).collect();
        Self { plans: plans(own, &parts), found: PartRows::of(parts.len()), parts, ..self }
    }

    /// How many of `items`, those it was started with, have words that the model does not know.
    ///
    /// # Errors
    /// The first row with an option that it does not know.
    pub fn unknown(&self, items: &[Item], unknown: &Unknown) -> Result<usize, StudyError> {
        count_unknown(&self.task, &self.readings, items, unknown)
    }

    /// The votes and costs of each part, row by row.
    pub fn rows(&self) -> NeedRows {
        let PartRows { correct, without, votes, .. } = &self.found;
        let right = |is: &bool| f64::from(u8::from(*is));
        let lost = |without: &Vec<bool>| -> Vec<f64> {
            let rows = correct.iter().zip(without);
            rows.map(|(own, other)| right(own) - right(other)).collect()
        };
        NeedRows { votes: votes.clone(), costs: without.iter().map(lost).collect() }
    }

    /// Returns the means over the rows, with intervals.
    pub fn need(self) -> Need {
        let PartRows { lead, correct, votes, losses, without, beyond } = self.found;
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
        let [components, heads] = [false, true].map(|is_head| {
            let is_compared = |&n: &usize| parts[n].head.is_some() == is_head;
            let compared: Vec<usize> = (0..parts.len()).filter(is_compared).collect();
            ComparedParts {
                rank_correlation: rank_correlation(&parts, &compared),
                largest_loss: LargestLoss::new(&losses, &compared, &resamples),
                largest_lost: LargestLoss::new(&beyond.lost, &compared, &resamples),
            }
        });
        Need {
            task: self.task,
            rows: lead.len(),
            resamples: RESAMPLES,
            seed: self.seed,
            accuracy: share(&correct),
            lead: resamples.mean(&lead),
            log_probability: known(&beyond.log_probability),
            first_word: known_share(&beyond.first_word),
            parts,
            components,
            heads,
        }
    }
}

impl Running for Needing<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let (done, all) = (self.rows_done(), self.readings.len());
        let mut chunk = match self.chunk.take() {
            Some(chunk) => chunk,
            None if done == all => return Ok(None),
            None => {
                let readings = &self.readings[done..(done + CHUNK).min(all)];
                RowsRun::start(self.model, readings, &self.plans, Reference::None)?
            }
        };
        if let Some((advanced, of)) = chunk.advance()? {
            // Rows go through the model together: each is as far as all.
            let part = chunk.rows() * advanced / of.max(1);
            self.chunk = Some(chunk);
            return Ok(Some((done + part, all)));
        }
        let rows = chunk.finish();
        for (row, reading) in rows.readings.iter().enumerate() {
            self.found.add(&rows.traces, row, reading.answer, &self.parts);
            self.found.beyond.add(&rows.traces, row, reading.answer);
        }
        Ok(Some((self.rows_done(), all)))
    }

    fn is_waiting(&self) -> bool {
        self.chunk.as_ref().is_some_and(RowsRun::is_waiting)
    }

    fn rows_done(&self) -> usize {
        self.found.lead.len()
    }
}

/// Correlates vote and loss over the parts with these indices.
fn rank_correlation(parts: &[NeedPart], compared: &[usize]) -> Option<f64> {
    let votes: Vec<f64> = compared.iter().map(|&n| parts[n].vote.mean).collect();
    let losses: Vec<f64> = compared.iter().map(|&n| parts[n].loss.mean).collect();
    spearman(&votes, &losses).map(|correlation| correlation.r)
}

impl LargestLoss {
    /// Finds it among the parts with these indices. `losses` `[parts][rows]`
    fn new(losses: &[Vec<f64>], compared: &[usize], resamples: &Resamples) -> Option<Self> {
        let losses: Vec<Vec<f64>> = compared.iter().map(|&n| losses[n].clone()).collect();
        let largest = largest_mean(&losses, resamples)?;
        Some(Self {
            part: compared[largest.part],
            beside: largest.beside.into_iter().map(|n| compared[n]).collect(),
        })
    }
}

/// The model's own order, then one a part.
fn plans(own: Plan, parts: &[PlanPart]) -> Arc<[Plan]> {
    let without = parts.iter().map(|part| part.without.clone());
    std::iter::once(own).chain(without).collect()
}

impl PartRows {
    /// None yet, of so many parts.
    fn of(parts: usize) -> Self {
        Self {
            votes: vec![Vec::new(); parts],
            losses: vec![Vec::new(); parts],
            without: vec![Vec::new(); parts],
            beyond: FoundBeyond::new(parts),
            ..Self::default()
        }
    }

    /// One row: `traces` `[plan][row]`, the model's own order first.
    fn add(&mut self, traces: &[Vec<Trace>], row: usize, answer: usize, parts: &[PlanPart]) {
        let own = &traces[0][row];
        let difference = |logits: &[f32]| logit_difference(logits, answer);
        let is_right = |trace: &Trace| {
            let wide: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
            argmax(&wide) == answer
        };
        let before = difference(&own.logits);
        self.lead.push(before);
        self.correct.push(is_right(own));
        for (n, &PlanPart { member, head, .. }) in parts.iter().enumerate() {
            let other = &traces[n + 1][row];
            let mut vote = difference(&own.member_logits[member]);
            if head.is_some() {
                // The same input, one head less: what is missing is the head's, read with the own
                // run's scale.
                let rest = difference(&other.member_logits[member]);
                vote -= rest * f64::from(own.scale) / f64::from(other.scale);
            }
            self.votes[n].push(vote);
            self.losses[n].push(before - difference(&other.logits));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parts_are_told_apart_by_their_differences_row_by_row() {
        let row = |n: u32| f64::from(n);
        let losses = |more: fn(u32) -> f64| {
            let first: Vec<f64> = (0..12).map(row).collect();
            let second: Vec<f64> = (0..12).map(|n| row(n) + more(n)).collect();
            [vec![0.0; 12], first, second]
        };
        let resamples = Resamples::new(12, RESAMPLES, 0);
        let largest = |losses: &[Vec<f64>]| LargestLoss::new(losses, &[1, 2], &resamples);

        // Both reach from 0 to 11, and the second always costs more.
        let apart = losses(|n| 0.1 + 0.01 * f64::from(n % 3));
        assert_eq!(largest(&apart), Some(LargestLoss { part: 2, beside: Vec::new() }));
        let open = losses(|n| if n % 2 == 0 { 1.0 } else { -0.9 });
        assert_eq!(largest(&open), Some(LargestLoss { part: 2, beside: vec![1] }));
        assert_eq!(LargestLoss::new(&apart, &[1], &resamples), None);
    }
}
