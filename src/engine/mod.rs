//! Runs plans and records members.
//!
//! An [`Engine`] works at the level of the model, not of tensors: prompts x plans in, one
//! [`Trace`] each out. Plans that begin alike share their prefix and equal next blocks run as one
//! batch ([`schedule`]); what is kept is decided once ([`record`]), and a device does few things
//! ([`backend`]): `cpu`, our own code on this processor; `webgpu`, our own WGSL; `cuda`, candle's
//! tensors.
//!
//! Beside runs, [`Engine::tangents`] gives products with the Jacobians of one block, at a stream that
//! [`Engine::streams`] gave; on the CPU and WebGPU.

pub mod backend;
mod branch;
mod check;
mod choice;
pub(crate) mod cpu;
#[cfg(any(test, feature = "reference"))]
pub(crate) mod cuda;
mod decoder;
mod error;
mod execution;
mod loading;
pub mod memory;
mod readout;
pub mod record;
pub(crate) mod rope;
pub mod schedule;
mod tangent;
#[cfg(test)]
mod tests;
mod trace;
pub mod trial;
mod vocabulary_run;
#[cfg(feature = "webgpu")]
pub mod webgpu;

pub use choice::EngineChoice;
pub use decoder::Decoder;
pub use error::EngineError;
pub use loading::Loading;
pub use record::{
    AttentionReading, AttentionWish, DepthWish, FollowedToken, MAX_TOP, Reference, TokenScore,
    VocabularyReading, VocabularyWish,
};
pub use tangent::{TangentPoint, TangentProduct, Tangents};
pub use trace::{
    Capture, Member, MemberKind, StepStreams, Trace, last_members, member_names, members,
};

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use std::sync::Arc;

use self::backend::Backend;
use self::execution::Execution;
use self::memory::Memory;
use self::readout::Readout;
use self::record::{Likelihoods, Members, Next, Record, Streams};
use self::rope::Rope;
use self::schedule::pack::Pack;
use self::vocabulary_run::VocabularyRun;
use crate::model::weights::Weights;
use crate::model::{ModelShape, Passage, Prompt};
use crate::plan::Plan;

/// A model ready to run.
pub struct Engine {
    weights: Rc<Weights>,
    readout: Rc<Readout>,
    rope: Option<Rope>,
    backend: Box<dyn Backend>,
    /// Whether the device's memory ended in a run, which gave the whole vocabulary's back.
    has_run_out: Cell<bool>,
}

impl Engine {
    fn new(weights: Rc<Weights>, backend: Box<dyn Backend>) -> Result<Self, EngineError> {
        Ok(Self {
            readout: Rc::new(Readout::new(weights.clone())?),
            rope: weights.shape.rope().map(Rope::of),
            weights,
            backend,
            has_run_out: Cell::default(),
        })
    }

    /// The model's sizes, as they were checked when it was opened.
    pub fn shape(&self) -> &ModelShape {
        &self.weights.shape
    }

    /// Device and precision, for people: `"CPU (bf16)"`.
    pub fn describe(&self) -> String {
        self.backend.describe()
    }

    /// Numbers the model stores, shared ones once.
    pub fn parameters(&self) -> u64 {
        self.weights.parameters()
    }

    /// Bytes that the device lacks to read the whole vocabulary; `None` where it can.
    pub fn vocabulary_lack(&self) -> Option<u64> {
        self.backend.vocabulary_lack()
    }

    /// Whether the whole vocabulary could be read until a run took the device's memory: a model that is opened
    /// again reads it again.
    pub fn has_run_out(&self) -> bool {
        self.has_run_out.get()
    }

    /// Whether this engine computes on the CPU.
    pub fn is_on_processor(&self) -> bool {
        self.backend.is_on_processor()
    }

    /// Returns the memory that the model takes with every matrix in its stored dtype, as on the CPU.
    pub fn stored(&self) -> Memory {
        Memory::on_processor(&self.weights)
    }

    /// Describes for people the device's work in the runs since the last call (dispatches, operations,
    /// bytes); `None` if the backend does not count it.
    pub fn profile(&self) -> Option<String> {
        self.backend.profile()
    }

    /// The members that a plan records in this model.
    pub fn members(&self, plan: &Plan) -> Vec<Member> {
        members(plan, self.shape().has_bias_member())
    }

    /// Begins to run every plan on every prompt.
    ///
    /// # Errors
    /// An id past the vocabulary, a prompt past the context or the device's room, a plan for a deeper
    /// model.
    pub fn start<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        mut capture: Capture,
    ) -> Result<Box<dyn Run<Trace> + 'a>, EngineError> {
        check::prompts(self.shape(), &prompts)?;
        if let Some(wish) = &capture.depths {
            wish.check(self.shape(), &prompts)?;
        }
        for wish in &capture.attention {
            wish.check(self.shape(), &prompts)?;
        }
        if let Some(wish) = &capture.vocabulary {
            wish.check(self.shape(), &prompts)?;
            if self.vocabulary_lack().is_none() {
                return Ok(Box::new(VocabularyRun::start(self, prompts, plans, capture)?));
            }
            capture.vocabulary = None;
        }
        self.record(prompts, plans, capture)
    }

    /// Begins to record the members of checked prompts under plans.
    fn record<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        capture: Capture,
    ) -> Result<Box<dyn Run<Trace> + 'a>, EngineError> {
        let record = Members::new(prompts, plans.clone(), capture, self.readout.clone());
        self.execute(record, &plans)
    }

    /// Begins to score every passage under every plan.
    ///
    /// # Errors
    /// As [`Engine::start`]; a passage that scores none of its tokens, or its first.
    pub fn score<'a>(
        &'a self,
        passages: Arc<[Passage]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<TokenScore> + 'a>, EngineError> {
        check::passages(self.shape(), &passages)?;
        self.execute(Likelihoods { passages }, &plans)
    }

    /// Begins to compute the `[V]` logits of the next token, for every prompt under every plan.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn next<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<Vec<f32>> + 'a>, EngineError> {
        check::prompts(self.shape(), &prompts)?;
        let vocabulary = self.shape().vocabulary;
        self.execute(Next { prompts, vocabulary }, &plans)
    }

    /// Begins to run every plan on every sequence of token ids, for the residual streams alone: `[S + 1]`
    /// of `[T, D]`, that which enters each step and the last, the final norm not applied.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn streams<'a>(
        &'a self,
        sequences: Arc<[Vec<u32>]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<StepStreams> + 'a>, EngineError> {
        for ids in sequences.iter() {
            check::ids(self.shape(), ids)?;
        }
        let width = self.shape().width;
        self.execute(Streams { sequences, width }, &plans)
    }

    /// Prepares products with the Jacobians of one block at a stream that [`Engine::streams`] gave.
    ///
    /// # Errors
    /// A block or head that the model lacks; a stream longer than the context or the device's room; an
    /// engine without derivatives; the device failed.
    ///
    /// # Panics
    /// If the stream is not whole rows of D.
    pub fn tangents<'a>(
        &'a self,
        point: TangentPoint,
    ) -> Result<Box<dyn Tangents + 'a>, EngineError> {
        let tokens = check::point(self.shape(), &point)?;
        let pack = Pack::of(&[tokens], self.rope.as_ref());
        self.backend.tangents(point, Rc::new(pack))
    }

    /// Runs every plan on every prompt, `[plan][prompt]`, telling `progress` the block runs done
    /// and to do; it answers whether to go on.
    ///
    /// # Errors
    /// As [`Engine::start`]; cancelled.
    pub fn run(
        &self,
        prompts: &[Prompt],
        plans: &[Plan],
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Vec<Vec<Trace>>, EngineError> {
        let mut run = self.start(prompts.into(), plans.into(), Capture::answer())?;
        while let Some((done, of)) = run.advance()? {
            refuse_if!(progress(done, of).is_break(), EngineError::Cancelled);
        }
        run.finish()
    }

    /// Returns a member's votes on the tokens `ids` of the vocabulary, in order: its vector `written`, `[D]`,
    /// through the final norm at the `scale` of its run and those tokens' rows of the unembedding. `None`
    /// stands for the bias member, which no branch wrote.
    ///
    /// # Errors
    /// An id past the vocabulary; the output rows cannot be read.
    pub fn read_out(
        &self,
        written: Option<&[f32]>,
        scale: f32,
        ids: Range<u32>,
    ) -> Result<Vec<f32>, EngineError> {
        self.readout.tokens(written, scale, ids)
    }

    fn execute<'a, R: Record + 'a>(
        &'a self,
        record: R,
        plans: &[Plan],
    ) -> Result<Box<dyn Run<R::Item> + 'a>, EngineError> {
        check::plans(self.shape(), plans)?;
        Ok(Box::new(Execution::new(self, record, plans)?))
    }

    /// Sequences that grow under one plan by the tokens that are given to them: nothing is computed
    /// twice where the backend keeps keys and values (see [`Decoder::is_cached`]).
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn decoder<'a>(
        &'a self,
        sequences: Vec<Vec<u32>>,
        plan: &Plan,
    ) -> Result<Decoder<'a>, EngineError> {
        check::plans(self.shape(), std::slice::from_ref(plan))?;
        for ids in &sequences {
            check::ids(self.shape(), ids)?;
        }
        Ok(Decoder::new(self, sequences, plan))
    }

    /// `[N, D]`: the tokens of sequences after their first `past`, embedded, each at its position.
    fn embed(&self, sequences: &[Vec<u32>], past: &[usize]) -> Result<Vec<f32>, EngineError> {
        let new = |(ids, &past): (&Vec<u32>, &usize)| ids[past..].to_vec();
        let ids: Vec<u32> = sequences.iter().zip(past).flat_map(new).collect();
        let places = |(ids, &past): (&Vec<u32>, &usize)| past as u32..ids.len() as u32;
        let positions: Vec<u32> = sequences.iter().zip(past).flat_map(places).collect();

        let weights = &self.weights;
        let mut stream = weights.gather(&weights.embedding, &ids)?;
        let scale = weights.shape.input.scale;
        if scale != 1.0 {
            stream.iter_mut().for_each(|x| *x *= scale);
        }
        if let Some(table) = &weights.positions {
            let rows = weights.gather(table, &positions)?;
            stream.iter_mut().zip(rows).for_each(|(x, p)| *x += p);
        }
        Ok(stream)
    }
}

/// A run in small steps, so that a browser's worker can hear "cancel" between them.
pub trait Run<T> {
    /// Runs one block on the streams that wait for it: `Some((done, of))` in block runs, `None` once
    /// all is done.
    ///
    /// # Errors
    /// The device failed, or the model's files changed since they were opened.
    fn advance(&mut self) -> Result<Option<(usize, usize)>, EngineError>;

    /// Whether the last [`Run::advance`] only found that the device has not answered yet. A browser's
    /// GPU answers between tasks: let the event loop turn before the next call. Elsewhere runs block.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Returns the recorded items, `[plan][prompt]`; call it once [`Run::advance`] gave `None`.
    ///
    /// # Errors
    /// The device failed.
    fn finish(self: Box<Self>) -> Result<Vec<Vec<T>>, EngineError>;
}

impl<T> dyn Run<T> + '_ {
    /// Advances to the end, for callers with nothing else to do; not in a browser, where a GPU's
    /// answer would never come.
    ///
    /// # Errors
    /// The device failed, or the model's files changed since they were opened.
    pub fn complete(mut self: Box<Self>) -> Result<Vec<Vec<T>>, EngineError> {
        while self.advance()?.is_some() {}
        self.finish()
    }
}
