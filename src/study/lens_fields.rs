//! A [`Lens`] as it is written: its decomposition's fields beside its own. (serde's `flatten` would do
//! it in one line, and in 5 kB of the page.)

use serde::{Deserialize, Serialize};

use super::report::Lens;
use crate::engine::Member;
use crate::measure::decomposition::{ColumnNumbers, Decomposition, Depth, Triple};

#[derive(Serialize, Deserialize)]
pub struct LensFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<Vec<String>>,
    answer: usize,
    plan: String,
    token_ids: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<Vec<String>>,
    option_token_ids: Vec<u32>,
    members: Vec<Member>,
    member_logits: Vec<Vec<f32>>,
    logits: Vec<f32>,
    probabilities: Vec<f64>,
    correct: bool,
    sum_error: f64,
    probability: ColumnNumbers,
    logit: ColumnNumbers,
    paper: Triple,
    by_depth: Vec<Depth>,
}

impl From<LensFields> for Lens {
    fn from(fields: LensFields) -> Self {
        Self {
            prompt: fields.prompt,
            options: fields.options,
            answer: fields.answer,
            plan: fields.plan,
            token_ids: fields.token_ids,
            tokens: fields.tokens,
            option_token_ids: fields.option_token_ids,
            members: fields.members,
            member_logits: fields.member_logits,
            logits: fields.logits,
            probabilities: fields.probabilities,
            correct: fields.correct,
            decomposition: Decomposition {
                sum_error: fields.sum_error,
                probability: fields.probability,
                logit: fields.logit,
                paper: fields.paper,
                by_depth: fields.by_depth,
            },
        }
    }
}

impl From<Lens> for LensFields {
    fn from(lens: Lens) -> Self {
        let decomposition = lens.decomposition;
        Self {
            prompt: lens.prompt,
            options: lens.options,
            answer: lens.answer,
            plan: lens.plan,
            token_ids: lens.token_ids,
            tokens: lens.tokens,
            option_token_ids: lens.option_token_ids,
            members: lens.members,
            member_logits: lens.member_logits,
            logits: lens.logits,
            probabilities: lens.probabilities,
            correct: lens.correct,
            sum_error: decomposition.sum_error,
            probability: decomposition.probability,
            logit: decomposition.logit,
            paper: decomposition.paper,
            by_depth: decomposition.by_depth,
        }
    }
}
