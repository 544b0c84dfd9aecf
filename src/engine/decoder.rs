//! Sequences that grow token by token under one plan, without computing anything twice: the keys and
//! values of every block run of the plan are kept (docs/definitions.md, "Orders"), and so the logits
//! are those of the whole sequence run anew.

use std::rc::Rc;
use std::sync::Arc;

use super::execution::{ContinuedCache, Execution, PlanCache};
use super::record::Next;
use super::schedule::Schedule;
use super::{Engine, EngineError, Run, check};
use crate::model::Prompt;
use crate::plan::Plan;

/// Tokens by which a sequence's room in a cache grows.
pub(super) const CACHE_STEP: usize = 64;

/// Sequences under one plan, and what is kept of them.
///
/// [`Decoder::ask`] for the next tokens of some, [`Decoder::advance`] until their logits are there,
/// [`Decoder::push`] what was chosen.
pub struct Decoder<'a> {
    engine: &'a Engine,
    plan: Plan,
    /// `None`: every token is recomputed.
    cache: Option<Rc<PlanCache<'a>>>,
    sequences: Vec<Sequence>,
    /// The sequences that were asked for, and the run that answers.
    asked: Option<(Vec<usize>, Execution<'a, Next>)>,
}

struct Sequence {
    ids: Vec<u32>,
    /// Tokens whose keys and values are kept.
    kept: usize,
}

impl<'a> Decoder<'a> {
    /// Makes a decoder of sequences and a plan that were checked.
    pub(super) fn new(engine: &'a Engine, sequences: Vec<Vec<u32>>, plan: &Plan) -> Self {
        let record = Next { prompts: Arc::from([]), vocabulary: engine.shape().vocabulary };
        let cache = PlanCache::new(engine, &record, plan, sequences.len()).map(Rc::new);
        let sequence = |ids| Sequence { ids, kept: 0 };
        let sequences = sequences.into_iter().map(sequence).collect();
        Self { engine, plan: plan.clone(), cache, sequences, asked: None }
    }

    /// Whether keys and values are cached. Else every token is recomputed from the first.
    pub fn is_cached(&self) -> bool {
        self.cache.is_some()
    }

    /// Token ids of a sequence, those that were pushed among them.
    pub fn ids(&self, sequence: usize) -> &[u32] {
        &self.sequences[sequence].ids
    }

    /// Appends a token to a sequence.
    ///
    /// # Errors
    /// Past the vocabulary, or past the context: the sequence stays as it was.
    pub fn push(&mut self, sequence: usize, id: u32) -> Result<(), EngineError> {
        let ids = &mut self.sequences[sequence].ids;
        ids.push(id);
        check::ids(self.engine.shape(), ids).inspect_err(|_| {
            ids.pop();
        })
    }

    /// Begins to compute the logits of the next token of each of `sequences`. Drops an earlier request that
    /// is not done.
    ///
    /// # Errors
    /// A sequence has more tokens than the device takes at once, or the device failed.
    pub fn ask(&mut self, sequences: &[usize]) -> Result<(), EngineError> {
        self.asked = None;
        for &n in sequences {
            let Sequence { ids, kept } = &mut self.sequences[n];
            let rope = self.engine.rope.as_ref();
            let is_long = |length| rope.is_some_and(|rope| rope.is_long(length));
            // Keys that were turned by other angles are of no use; and what is asked for twice needs a
            // row to be read at.
            if is_long(ids.len()) != is_long(*kept) {
                *kept = 0;
            }
            *kept = (*kept).min(ids.len() - 1);
        }

        let asked = || sequences.iter().map(|&n| &self.sequences[n]);
        let prompts = asked()
            .map(|sequence| Prompt { token_ids: sequence.ids.clone(), option_ids: Vec::new() });
        let vocabulary = self.engine.shape().vocabulary;
        let record = Next { prompts: prompts.collect(), vocabulary };
        let continued = self.cache.clone().map(|cache| ContinuedCache {
            cache,
            sequences: sequences.to_vec(),
            past: asked().map(|sequence| sequence.kept).collect(),
        });
        let (plans, bytes) = (std::slice::from_ref(&self.plan), self.engine.backend.limits().bytes);
        let run = Execution::within(self.engine, record, plans, bytes, continued)?;
        self.asked = Some((sequences.to_vec(), run));
        Ok(())
    }

    /// Runs one block more, or checks once whether the device has answered. When all is done, returns the
    /// logits `[V]` of every sequence that was asked for, in that order.
    ///
    /// # Errors
    /// The device failed, or the model's files changed since they were opened.
    pub fn advance(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let Some((sequences, mut run)) = self.asked.take() else {
            return Ok(Some(Vec::new()));
        };
        run.advance()?;
        if !run.is_done() {
            self.asked = Some((sequences, run));
            return Ok(None);
        }
        for n in sequences {
            self.sequences[n].kept = self.sequences[n].ids.len();
        }
        Ok(Some(Box::new(run).finish()?.into_iter().flatten().collect()))
    }

    /// Whether the last [`Decoder::advance`] only found that the device has not answered yet. See
    /// [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.asked.as_ref().is_some_and(|(_, run)| run.is_waiting())
    }

    /// How many of sequences that grow to these lengths have room for their keys and values at once: the
    /// first so many, at least one.
    pub fn room(engine: &Engine, plan: &Plan, lengths: impl Iterator<Item = usize>) -> usize {
        let schedule = Schedule::new(std::slice::from_ref(plan));
        let Some(cache) = engine.backend.cache(&schedule, 0) else {
            return lengths.count().max(1);
        };
        // Half: while it grows, what it grows out of is there too.
        let mut left = engine.backend.limits().bytes / 2 / cache.bytes_a_token().max(1);
        let fits = lengths.take_while(|&length| {
            let rest = left.checked_sub(length.next_multiple_of(CACHE_STEP) as u64);
            left = rest.unwrap_or(0);
            rest.is_some()
        });
        fits.count().max(1)
    }
}
