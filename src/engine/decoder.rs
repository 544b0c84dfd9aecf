//! Sequences that grow token by token under one plan, without computing anything twice: the keys and
//! values of every block run of the plan are kept (docs/definitions.md, "Orders"), and so the logits
//! are those of the whole sequence run anew.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::backend::{KvCache, Pass, Start};
use super::schedule::Schedule;
use super::schedule::pack::Pack;
use super::schedule::program::Program;
use super::{Engine, EngineError, Run, check};
use crate::model::Prompt;
use crate::plan::Plan;

/// Tokens of a pack at most (at least one sequence), where the device has room for them.
const PACK_ROWS: usize = 4096;

/// Tokens by which a sequence's room in a cache grows.
pub(super) const CACHE_STEP: usize = 64;

/// Sequences under one plan, and what is kept of them.
///
/// [`Decoder::ask`] for the next tokens of some, [`Decoder::advance`] until their logits are there,
/// [`Decoder::push`] what was chosen.
pub struct Decoder<'a> {
    engine: &'a Engine,
    plan: Plan,
    program: Rc<Program>,
    /// `None`: every token is recomputed.
    cache: Option<Box<dyn KvCache<'a> + 'a>>,
    sequences: Vec<Sequence>,
    /// The sequences that were asked for and wait, grouped in packs.
    packs: VecDeque<Vec<usize>>,
    state: Option<State<'a>>,
    /// The logits of the packs that are done: `[V]` per sequence.
    logits: Vec<Vec<f32>>,
    is_waiting: bool,
}

struct Sequence {
    ids: Vec<u32>,
    /// Tokens whose keys and values are kept.
    kept: usize,
}

/// The computation that is under way.
enum State<'a> {
    Cached {
        pass: Box<dyn Pass + 'a>,
        pack: Rc<Pack>,
        sequences: Vec<usize>,
        next_call: usize,
        is_reading: bool,
    },
    Recomputed(Box<dyn Run<Vec<f32>> + 'a>),
}

impl<'a> Decoder<'a> {
    /// Makes a decoder of sequences and a plan that were checked.
    pub(super) fn new(engine: &'a Engine, sequences: Vec<Vec<u32>>, plan: &Plan) -> Self {
        let schedule = Schedule::new(std::slice::from_ref(plan));
        let cache = engine.backend.cache(&schedule, sequences.len());
        let sequence = |ids| Sequence { ids, kept: 0 };
        Self {
            engine,
            plan: plan.clone(),
            program: Rc::new(Program::new(&schedule, 1)),
            cache,
            sequences: sequences.into_iter().map(sequence).collect(),
            packs: VecDeque::new(),
            state: None,
            logits: Vec::new(),
            is_waiting: false,
        }
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
        (self.state, self.is_waiting) = (None, false);
        self.logits.clear();
        self.packs.clear();
        if self.cache.is_none() {
            let prompt = |&sequence: &usize| Prompt {
                token_ids: self.sequences[sequence].ids.clone(),
                option_ids: Vec::new(),
            };
            let prompts: Arc<[Prompt]> = sequences.iter().map(prompt).collect();
            let run = self.engine.next(prompts, Arc::from([self.plan.clone()]))?;
            self.state = Some(State::Recomputed(run));
            return Ok(());
        }
        let limits = self.engine.backend.limits();
        let most_rows = PACK_ROWS.min(limits.pack_rows);
        let a_sequence = (self.engine.shape().vocabulary * size_of::<f32>()) as u64;
        let most_sequences = (limits.bytes / a_sequence.max(1)) as usize;
        let mut rows = usize::MAX;
        for &n in sequences {
            let sequence = &mut self.sequences[n];
            let whole = sequence.ids.len();
            let is_long = |length| match &self.engine.rope {
                Some(rope) => rope.is_long(length),
                None => false,
            };
            // Keys that were turned by other angles are of no use; and what is asked for twice needs a
            // row to be read at.
            if is_long(whole) != is_long(sequence.kept) && sequence.kept > 0 {
                sequence.kept = 0;
            }
            sequence.kept = sequence.kept.min(whole - 1);
            let tokens = whole - sequence.kept;
            if tokens > limits.pack_rows {
                let room = limits.pack_rows;
                self.packs.clear();
                return Err(EngineError::Room { tokens, room });
            }
            rows = rows.saturating_add(tokens);
            match self.packs.back_mut() {
                Some(pack) if rows <= most_rows && pack.len() < most_sequences => pack.push(n),
                _ => {
                    rows = tokens;
                    self.packs.push_back(vec![n]);
                }
            }
        }
        Ok(())
    }

    /// Runs one block more, or checks once whether the device has answered. When all is done, returns the
    /// logits `[V]` of every sequence that was asked for, in that order.
    ///
    /// # Errors
    /// The device failed, or the model's files changed since they were opened.
    pub fn advance(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let state = match self.state.take() {
            Some(state) => state,
            None => match self.packs.pop_front() {
                Some(pack) => self.begin(pack)?,
                None => return Ok(Some(std::mem::take(&mut self.logits))),
            },
        };
        match state {
            State::Recomputed(mut run) => {
                let is_done = run.advance()?.is_none();
                self.is_waiting = run.is_waiting();
                if is_done {
                    return Ok(Some(run.finish()?.into_iter().flatten().collect()));
                }
                self.state = Some(State::Recomputed(run));
            }
            State::Cached { mut pass, pack, sequences, mut next_call, mut is_reading } => {
                if is_reading {
                    let answer = pass.answer()?;
                    self.is_waiting = answer.is_none();
                    if let Some(given) = answer {
                        self.engine.weights.check_unchanged()?;
                        let vocabulary = self.engine.shape().vocabulary;
                        let rows = given.iter().flat_map(|given| given.chunks(vocabulary));
                        self.logits.extend(rows.map(<[f32]>::to_vec));
                        for &n in &sequences {
                            self.sequences[n].kept = self.sequences[n].ids.len();
                        }
                        let is_done = self.packs.is_empty();
                        return Ok(is_done.then(|| std::mem::take(&mut self.logits)));
                    }
                } else {
                    self.is_waiting = pass.is_crowded();
                    if !self.is_waiting {
                        pass.run(next_call)?;
                        next_call += 1;
                    }
                    if next_call == self.program.calls.len() {
                        // A single plan ends with its last call.
                        let last = self.program.calls.last();
                        let slot = last.and_then(|call| call.complete.last());
                        let slot = slot.map_or(0, |&(_, slot)| slot);
                        pass.give_logits(slot, &pack.last_rows())?;
                        pass.finish()?;
                        is_reading = true;
                    }
                }
                self.state = Some(State::Cached { pass, pack, sequences, next_call, is_reading });
            }
        }
        Ok(None)
    }

    /// Whether the last [`Decoder::advance`] only found that the device has not answered yet. See
    /// [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
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

    /// A pack of sequences that have all but one of their tokens kept, or none, or some.
    fn begin(&self, sequences: Vec<usize>) -> Result<State<'a>, EngineError> {
        let (mut past, mut lengths) = (Vec::new(), Vec::new());
        let (mut ids, mut at) = (Vec::new(), Vec::new());
        for &n in &sequences {
            let Sequence { ids: all, kept } = &self.sequences[n];
            // One that was asked for twice may have come to its end in the pack before.
            let kept = (*kept).min(all.len() - 1);
            past.push(kept);
            lengths.push(all.len() - kept);
            ids.extend_from_slice(&all[kept..]);
            at.extend(kept as u32..all.len() as u32);
        }
        let pack = Rc::new(Pack::going_on(&past, &lengths, self.engine.rope.as_ref()));
        let start = Start {
            pack: pack.clone(),
            program: self.program.clone(),
            embedded: self.engine.embed_at(&ids, &at)?,
            kept_rows: 0,
            numbers: sequences.len() * self.engine.shape().vocabulary,
        };
        let pass = match &self.cache {
            Some(cache) => cache.begin(start, sequences.clone())?,
            None => self.engine.backend.begin(start)?,
        };
        Ok(State::Cached { pass, pack, sequences, next_call: 0, is_reading: false })
    }
}
