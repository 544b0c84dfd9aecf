//! One row of one task under one model, with all that the measures need.

use serde::{Deserialize, Serialize};

use crate::engine::Member;
use crate::measure::decomposition::{Decomposition, decompose};

/// A row as it is stored; its field names are the columns of the rows' file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRow {
    /// Its place among the rows asked, from 0.
    pub row: usize,
    /// Its place in the data set's file, from 1.
    pub line: usize,
    /// How hard it is, in the task's own count, where it has levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// T
    pub tokens: usize,
    /// Index of the right option among those voted on.
    pub answer: usize,
    /// Index of the likeliest one.
    pub answered: usize,
    /// Whether the task's score calls it right.
    pub correct: bool,
    /// Whether it is right with every continuation's log-probability divided by its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct_per_byte: Option<bool>,
    /// `[K]` output rows of the options voted on.
    pub option_ids: Vec<u32>,
    /// `[K]` the model's own logits.
    pub logits: Vec<f32>,
    /// `[M * K]` `u_i`, member by member.
    pub member_logits: Vec<f32>,
    /// `max_k |sum_i u_ik - logits_k|`
    pub sum_error: f64,
    /// `[mse, bias, diversity]`
    pub probability: [f64; 3],
    pub logit: [f64; 3],
    /// The two parts of `logit`: the logits less their means over the options, and those means.
    pub centred: [f64; 3],
    pub offset: [f64; 3],
    pub paper: [f64; 3],
    /// `ln sum_v exp(x_v)` over the whole vocabulary where the members vote: the options' `ln P` are their logits
    /// less this. `None` where the device has no room, as are the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_partition: Option<f64>,
    /// Entropy of the whole vocabulary there, nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// `[K]` ranks of the options voted on, of the whole vocabulary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub option_ranks: Vec<u32>,
    /// `ln P` over the whole vocabulary of every option or continuation, nats; of the word, where that is what is
    /// asked. None where a text is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_likelihoods: Vec<f64>,
    /// Probability of all options together; `None` where one begins another, or their contexts differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Whether the right answer is what the model says first by itself: every token of it has rank 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<bool>,
    /// Tokens of the right answer, which a perplexity is a mean over; a last word counts as one.
    pub answer_tokens: usize,
    /// Text, where there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The row's own choices: options, or continuations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Index of the right one of those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
}

impl MeasuredRow {
    /// K
    pub fn options(&self) -> usize {
        self.logits.len()
    }

    /// `ln P` of the right answer over the whole vocabulary, nats; `None` where it is not known.
    pub fn log_likelihood(&self) -> Option<f64> {
        self.log_likelihoods.get(self.right.unwrap_or(self.answer)).copied()
    }

    /// `[M][K]`
    pub fn votes(&self) -> Vec<Vec<f32>> {
        let votes = self.member_logits.chunks(self.options().max(1));
        votes.map(<[f32]>::to_vec).collect()
    }

    /// Everything of docs/definitions.md, section 3. `members` `[M]`.
    pub fn decomposition(&self, members: &[Member]) -> Decomposition {
        decompose(members, &self.votes(), &self.logits, self.answer)
    }

    /// Does it fit a model of so many members, with numbers everywhere?
    pub fn is_sound(&self, members: usize) -> bool {
        let numbers = self.logits.iter().chain(&self.member_logits);
        let beyond = [self.log_partition, self.entropy, self.mass].into_iter().flatten();
        self.answer < self.options()
            && self.answered < self.options()
            && self.option_ids.len() == self.options()
            && self.member_logits.len() == members * self.options()
            && self.right.is_none_or(|right| right < self.choices.len())
            && numbers.copied().all(f32::is_finite)
            && beyond.chain(self.log_likelihoods.iter().copied()).all(f64::is_finite)
            && (self.option_ranks.is_empty() || self.option_ranks.len() == self.options())
            && self.answer_tokens > 0
    }
}
