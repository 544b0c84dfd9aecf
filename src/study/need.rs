//! Vote and need: what every member and every head says directly, and what the answer loses without it,
//! over rows of a task. Two numbers side by side, never one of both: later blocks may do again what one
//! has lost, or may have needed what it said to nobody else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::orders::{Reading, count_unknown};
use super::rows::{FoundRows, RowsRun};
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
    /// The model's own order, and the runs without each part.
    whole: RunRows,
    without: Vec<RunRows>,
    chunk: Option<RowsRun<'a>>,
}

/// Numbers of a run on every row.
#[derive(Clone, Default)]
struct RunRows {
    lead: Vec<f64>,
    correct: Vec<bool>,
    /// Over the whole vocabulary; empty where it is not read.
    log_probability: Vec<f64>,
    first_word: Vec<bool>,
    /// Net votes of the part that the run lacks.
    votes: Vec<f64>,
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
            whole: RunRows::default(),
            without: vec![RunRows::default(); parts.len()],
            parts,
            chunk: None,
        })
    }

    /// Leaves out only some of the parts. To be called before anything runs.
    #[must_use]
    pub fn only(self, is_wanted: impl Fn(&PlanPart) -> bool) -> Self {
        let own = self.plans[0].clone();
        let parts: Vec<PlanPart> = self.parts.into_iter().filter(is_wanted).collect();
        let without = vec![RunRows::default(); parts.len()];
        Self { plans: plans(own, &parts), without, parts, ..self }
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
        let right = |is: &bool| f64::from(u8::from(*is));
        let costs = |without: &RunRows| -> Vec<f64> {
            let rows = self.whole.correct.iter().zip(&without.correct);
            rows.map(|(whole, other)| right(whole) - right(other)).collect()
        };
        NeedRows {
            votes: self.without.iter().map(|run| run.votes.clone()).collect(),
            costs: self.without.iter().map(costs).collect(),
        }
    }

    /// Takes in the rows of a chunk.
    fn take_in(&mut self, rows: &FoundRows) {
        let runs = std::iter::once(&mut self.whole).chain(&mut self.without);
        for (run, traces) in runs.zip(&rows.traces) {
            for (trace, reading) in traces.iter().zip(&rows.readings) {
                run.push(trace, reading.answer);
            }
        }
        for (n, (run, part)) in self.without.iter_mut().zip(&self.parts).enumerate() {
            let traces = rows.traces[0].iter().zip(&rows.traces[n + 1]);
            let each = traces.zip(&rows.readings);
            run.votes
                .extend(each.map(|((whole, other), row)| vote(part, whole, other, row.answer)));
        }

        // A device that lost its room in the middle would leave means over some of the rows.
        let is_read = |run: &RunRows| run.log_probability.len() == run.lead.len();
        if !is_read(&self.whole) || !self.without.iter().all(is_read) {
            for run in self.without.iter_mut().chain([&mut self.whole]) {
                run.log_probability.clear();
                run.first_word.clear();
            }
        }
    }

    /// Returns the means over the rows, with intervals.
    pub fn need(self) -> Need {
        let Self { whole, without, .. } = self;
        let less = |whole: &[f64], other: &[f64]| -> Vec<f64> {
            whole.iter().zip(other).map(|(whole, other)| whole - other).collect()
        };
        let losses: Vec<_> = without.iter().map(|run| less(&whole.lead, &run.lead)).collect();
        let lost = without.iter().map(|run| less(&whole.log_probability, &run.log_probability));
        let lost: Vec<_> = lost.collect();
        let resamples = Resamples::new(whole.lead.len(), RESAMPLES, self.seed);
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
                vote: resamples.mean(&without[n].votes),
                loss: resamples.mean(&losses[n]),
                lost: known(&lost[n]),
                accuracy: share(&without[n].correct),
                first_word: known_share(&without[n].first_word),
            })
            .collect();
        let [components, heads] = [false, true].map(|is_head| {
            let is_compared = |&n: &usize| parts[n].head.is_some() == is_head;
            let compared: Vec<usize> = (0..parts.len()).filter(is_compared).collect();
            ComparedParts {
                rank_correlation: rank_correlation(&parts, &compared),
                largest_loss: LargestLoss::new(&losses, &compared, &resamples),
                largest_lost: LargestLoss::new(&lost, &compared, &resamples),
            }
        });
        Need {
            task: self.task,
            rows: whole.lead.len(),
            resamples: RESAMPLES,
            seed: self.seed,
            accuracy: share(&whole.correct),
            lead: resamples.mean(&whole.lead),
            log_probability: known(&whole.log_probability),
            first_word: known_share(&whole.first_word),
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
            let part = (all - done).min(CHUNK) * advanced / of.max(1);
            self.chunk = Some(chunk);
            return Ok(Some((done + part, all)));
        }
        self.take_in(&chunk.finish());
        Ok(Some((self.rows_done(), all)))
    }

    fn is_waiting(&self) -> bool {
        self.chunk.as_ref().is_some_and(RowsRun::is_waiting)
    }

    fn rows_done(&self) -> usize {
        self.whole.lead.len()
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

impl RunRows {
    /// Adds a row.
    fn push(&mut self, trace: &Trace, answer: usize) {
        let wide: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
        self.lead.push(logit_difference(&trace.logits, answer));
        self.correct.push(argmax(&wide) == answer);
        if let Some(vocabulary) = &trace.vocabulary {
            let right = &vocabulary.followed[answer];
            self.log_probability.push(right.log_probability);
            self.first_word.push(right.rank == 1);
        }
    }
}

/// Returns a part's net vote on a row, of the runs with and without it.
fn vote(part: &PlanPart, whole: &Trace, other: &Trace, answer: usize) -> f64 {
    let vote = logit_difference(&whole.member_logits[part.member], answer);
    if part.head.is_none() {
        return vote;
    }
    // The same input, one head less: what is missing is the head's, read with the whole run's scale.
    let rest = logit_difference(&other.member_logits[part.member], answer);
    vote - rest * f64::from(whole.scale) / f64::from(other.scale)
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
