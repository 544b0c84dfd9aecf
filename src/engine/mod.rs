//! Runs plans and records members.
//!
//! An [`Engine`] works at the level of the model, not of tensors: prompts x plans in, one
//! [`Trace`] each out. Plans that begin alike share their prefix and equal next blocks run as one
//! batch (see [`schedule`]).

pub mod candle;
mod error;
pub mod schedule;

pub use error::EngineError;

use crate::model::ModelConfig;
use crate::plan::{Half, Plan};

/// A tokenised prompt and the vocabulary rows to read at its last token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// T token ids, at least one, each below the vocabulary size.
    pub token_ids: Vec<u32>,
    /// K output rows, distinct, each below the vocabulary size. May be empty.
    pub option_ids: Vec<u32>,
}

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
    /// `u_i` [M][K]: each member through the final norm (its scale taken once, from the full
    /// run's final stream) and the options' output rows.
    pub member_logits: Vec<Vec<f32>>,
    /// [K] the model's own logits for the options.
    pub logits: Vec<f32>,
}

/// Told how much of the work is done, in block runs; answers whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> std::ops::ControlFlow<()>;

/// A model ready to run.
pub trait Engine {
    fn config(&self) -> &ModelConfig;

    /// Device and precision, for people: `"CPU (f32)"`.
    fn describe(&self) -> String;

    /// Runs every plan on every prompt: `[plan][prompt]`.
    ///
    /// # Errors
    /// A prompt past the context, an id past the vocabulary, or a cancelled run.
    fn run(&self, prompts: &[Prompt], plans: &[Plan], progress: Progress) -> Result<Vec<Vec<Trace>>, EngineError>;

    /// [V] logits of the next token, for each prompt under one plan.
    fn next_token_logits(&self, prompts: &[Prompt], plan: &Plan) -> Result<Vec<Vec<f32>>, EngineError>;
}

/// The members a plan records, in order.
pub fn members(plan: &Plan) -> Vec<Member> {
    let mut members = vec![Member { kind: Kind::Embedding, block: None }];
    for run in plan.block_runs() {
        let block = Some(run.index);
        if run.half != Half::Mlp {
            members.push(Member { kind: Kind::Attention, block });
        }
        if run.half != Half::Attention {
            members.push(Member { kind: Kind::Mlp, block });
        }
    }
    members
}
