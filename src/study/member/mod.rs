//! One member of one run, by itself: what it reads, what it writes, what it votes, and what the answer loses
//! without it (docs/definitions.md, "One member"). The run is the report's lens.

mod accounting;
pub(in crate::study) mod check;

pub use accounting::Accounting;

use serde::{Deserialize, Serialize};

use crate::study::report::AnswerVocabulary;

/// Tokens that are listed of those raised most, and of those lowered most.
pub const LISTED: usize = 12;

/// A member's own row. What it votes on the options stands in the lens, at `index`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberAccount {
    /// See [`member_names`](crate::engine::member_names).
    pub name: String,
    /// Which of the lens's members.
    pub index: usize,
    /// Where each of an attention's heads looks from the prompt's last token, `[H]`. Empty of every other
    /// kind: an MLP reads the last token's stream alone, and the embedding its word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<HeadReading>,
    /// The tokens of the whole vocabulary whose logits it adds most to, the most first.
    pub raises: Vec<TokenVote>,
    /// Those whose logits it takes most from, the most first.
    pub lowers: Vec<TokenVote>,
    /// The member's mean vote over the whole vocabulary: only what differs from this moves the answer.
    pub mean_vote: f64,
    /// V
    pub vocabulary: usize,
    /// The run's logit of the right option less the mean of the others'.
    pub lead: f64,
    /// The run of the same plan without the member; `None` where there is no such plan: nothing runs without its
    /// embedding, the bias is no branch's, and a plan must run something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<MemberWithout>,
}

/// One head from the prompt's last token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadReading {
    /// Counted from 0.
    pub head: usize,
    /// Has the plan switched it off?
    pub is_off: bool,
    /// Softmax weights. `[T]`
    pub weights: Vec<f32>,
    /// Beside each the length of weight times value through the head's columns of the output matrix. `[T]`
    pub carried: Vec<f32>,
}

/// A member's vote on one token: what it adds to the token's logit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenVote {
    pub id: u32,
    /// Where the model has a tokenizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub vote: f32,
}

/// The run that lacks the member, on the same prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberWithout {
    /// In the one-line notation.
    pub plan: String,
    /// `[K]`
    pub logits: Vec<f32>,
    /// `[K]` softmax of `logits`.
    pub probabilities: Vec<f64>,
    /// Its answer in the whole vocabulary; `None` where the device has no room to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<AnswerVocabulary>,
    /// Its logit of the right option less the mean of the others'.
    pub lead: f64,
    /// Is the likeliest option the right one?
    pub correct: bool,
}
