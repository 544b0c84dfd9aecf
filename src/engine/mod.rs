//! Runs plans and records members.
//!
//! An [`Engine`] works at the level of the model, not of tensors: prompts x plans in, one
//! [`Trace`] each out. Plans that begin alike share their prefix and equal next blocks run as one
//! batch (see [`schedule`]).

pub mod backend;
pub mod candle;
mod check;
mod choice;
pub mod cpu;
mod error;
pub mod memory;
mod product;
mod rope;
pub mod schedule;
#[cfg(feature = "webgpu")]
pub mod webgpu;

pub use choice::{EngineChoice, Loading};
pub use error::EngineError;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::model::{ModelConfig, Passage, Prompt};
use crate::plan::{Half, Plan};

/// What wrote a member into the residual stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Embedding,
    Attention,
    Mlp,
}

/// One summand of the residual stream. `block` is the stored block's index, `None` for the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Member {
    pub kind: Kind,
    pub block: Option<usize>,
}

/// One plan run on one prompt, read at the prompt's last token.
#[derive(Clone, Debug)]
pub struct Trace {
    /// M members, in the order they were written.
    pub members: Vec<Member>,
    /// `u_i` `[M][K]`: each member through the final norm (its scale taken once, from the full
    /// run's final stream) and the options' output rows.
    pub member_logits: Vec<Vec<f32>>,
    /// `[K]` the model's own logits for the options.
    pub logits: Vec<f32>,
    /// `[S + 1][T * D]` the residual stream of all tokens before the first step and after each, the
    /// final norm not applied; empty unless [`Capture::States`] was asked for.
    pub states: Vec<Vec<f32>>,
}

/// What a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// Members' option logits.
    Members,
    /// The residual stream after every step too: `(S + 1) T D` numbers a prompt and plan.
    States,
}

/// The scored tokens of one [`Passage`] under one plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenScore {
    /// Sum over the scored tokens, nats.
    pub log_probability: f64,
    /// Is every one of them the likeliest token where it stands?
    pub greedy: bool,
}

/// A model ready to run.
pub trait Engine {
    fn config(&self) -> &ModelConfig;

    /// Device and precision, for people: `"CPU (f32)"`.
    fn describe(&self) -> String;

    /// Numbers the model stores, shared ones once.
    fn parameters(&self) -> usize;

    /// What the runs since the last call cost the device, for people; `None` where nobody counts.
    fn profile(&self) -> Option<String> {
        None
    }

    /// Begins to run every plan on every prompt.
    ///
    /// # Errors
    /// An id past the vocabulary, a prompt past the context, a plan for a deeper model.
    fn start<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        capture: Capture,
    ) -> Result<Box<dyn Run<Trace> + 'a>, EngineError>;

    /// Begins to score every passage under every plan.
    ///
    /// # Errors
    /// As [`Engine::start`]; a passage that scores none of its tokens, or its first.
    fn score<'a>(
        &'a self,
        passages: Arc<[Passage]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<TokenScore> + 'a>, EngineError>;

    /// Begins to compute the `[V]` logits of the next token, for every prompt under every plan.
    ///
    /// # Errors
    /// As [`Engine::start`].
    fn next<'a>(
        &'a self,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
    ) -> Result<Box<dyn Run<Vec<f32>> + 'a>, EngineError>;

    /// Runs every plan on every prompt, `[plan][prompt]`, telling `progress` the block runs done
    /// and to do; it answers whether to go on.
    fn run(
        &self,
        prompts: &[Prompt],
        plans: &[Plan],
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Vec<Vec<Trace>>, EngineError> {
        let mut run = self.start(prompts.into(), plans.into(), Capture::Members)?;
        while let Some((done, of)) = run.advance()? {
            if progress(done, of).is_break() {
                return Err(EngineError::Cancelled);
            }
        }
        run.finish()
    }
}

/// A run in small steps, so that a browser's worker can hear "cancel" between them.
pub trait Run<T> {
    /// Runs one batch of blocks: `Some((done, of))` in block runs, `None` once all is done.
    fn advance(&mut self) -> Result<Option<(usize, usize)>, EngineError>;

    /// Did the last [`Run::advance`] only find that the device has not answered yet? A browser's
    /// GPU answers between tasks: let the event loop turn before the next. Elsewhere runs block.
    fn is_waiting(&self) -> bool {
        false
    }

    /// What was recorded, `[plan][prompt]`; call it once [`Run::advance`] gave `None`.
    fn finish(self: Box<Self>) -> Result<Vec<Vec<T>>, EngineError>;
}

impl<T> dyn Run<T> + '_ {
    /// Advances to the end, for callers with nothing else to do; not in a browser, where a GPU's
    /// answer would never come.
    ///
    /// # Errors
    /// What the engine says.
    pub fn complete(mut self: Box<Self>) -> Result<Vec<Vec<T>>, EngineError> {
        while self.advance()?.is_some() {}
        self.finish()
    }
}

impl TokenScore {
    /// Sums `scores`, a log-probability for each scored token and whether it is the likeliest,
    /// passage by passage.
    fn of_each(passages: &[Passage], mut scores: &[(f64, bool)]) -> Vec<Self> {
        let one = |passage: &Passage| {
            let (own, rest) = scores.split_at(passage.scored);
            scores = rest;
            Self {
                log_probability: own.iter().map(|score| score.0).sum(),
                greedy: own.iter().all(|score| score.1),
            }
        };
        passages.iter().map(one).collect()
    }
}

/// The members that a plan records, in order: 1 + 2 for every block run.
pub fn members(plan: &Plan) -> Vec<Member> {
    let mut members = vec![Member {
        kind: Kind::Embedding,
        block: None,
    }];
    for run in plan.block_runs() {
        let block = Some(run.index);
        if run.half != Half::Mlp {
            members.push(Member {
                kind: Kind::Attention,
                block,
            });
        }
        if run.half != Half::Attention {
            members.push(Member {
                kind: Kind::Mlp,
                block,
            });
        }
    }
    members
}
