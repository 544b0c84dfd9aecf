//! The file every study writes and the page opens: `*.atelier.json`, versioned.

mod averages;
pub(in crate::study) mod check;
pub(in crate::study) mod columns;
mod opened;
mod sharing;

pub use opened::{Opened, ReportError};
pub use sharing::ShareError;
pub(in crate::study) use sharing::round;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::{Member, VocabularyReading};
use crate::measure::decomposition::{ColumnNumbers, Decomposition, Triple, Triples};
use crate::measure::leads::Lead;
use crate::study::LoadedModel;
use crate::study::coupling::{Coupling, TaskCoupling};
pub use crate::study::facts::ModelFacts;
use crate::study::geometry::Geometry;
use crate::study::member::MemberAccount;
use crate::study::need::Need;
use crate::study::orders::{Median, Orders};
use crate::study::parts::PartLosses;

/// Version of the report's layout. A reader refuses a newer one and says so.
pub const VERSION: u32 = 1;

/// A study's result, with all that is needed to see how it was computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// See [`VERSION`].
    pub atelier: u32,
    pub model: ModelFacts,
    /// Device and precision: `"CPU (f32)"`.
    pub engine: String,
    /// One prompt through the lens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lens: Option<Lens>,
    /// One member of that run, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Box<MemberAccount>>,
    /// Losses of that run's answer without each of its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Box<PartLosses>>,
    /// Many prompts through the lens, and their averages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<Prompts>,
    /// One prompt, before and after its blocks were rearranged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lab: Option<Box<Lab>>,
    /// Sweeps over orders, one a task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<Orders>,
    /// Over those tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub medians: Vec<Median>,
    /// Votes of every part and losses without it, one entry per task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub need: Vec<Need>,
    /// How alike the linearised steps of one prompt's run are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupling: Option<Box<Coupling>>,
    /// Coupling over the rows of a task, one entry per task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_coupling: Vec<TaskCoupling>,
}

impl Report {
    /// A report of this model with nothing in it yet.
    pub fn of(model: &LoadedModel) -> Self {
        Report {
            atelier: VERSION,
            model: model.facts(),
            engine: model.engine.describe(),
            ..Report::default()
        }
    }
}

/// One plan on one prompt. Field names are those of the golden files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lens {
    /// Text, where the model has a tokenizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// Index of the right option.
    pub answer: usize,
    /// In the one-line notation.
    pub plan: String,
    pub token_ids: Vec<u32>,
    /// The prompt's tokens as text, in step with `token_ids`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Vec<String>>,
    pub option_token_ids: Vec<u32>,
    pub members: Vec<Member>,
    /// `[M][K]`
    pub member_logits: Vec<Vec<f32>>,
    /// `[K]`
    pub logits: Vec<f32>,
    /// `[K]` softmax of `logits`: what the model answers among these options.
    pub probabilities: Vec<f64>,
    /// Is the likeliest option the right one?
    pub correct: bool,
    /// Numbers over the whole vocabulary; `None` where the device has no room to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<AnswerVocabulary>,
    /// Bytes that the device lacked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vocabulary_lacks_bytes: Option<u64>,
    /// Whether it could be read until a run took that memory, and can be once the model is opened again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vocabulary_ran_out: bool,
    #[serde(flatten)]
    pub decomposition: Decomposition,
    /// Which option leads the sum of the first members, and from which member on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<Lead>,
    /// The stream at the last token, read by the whole vocabulary before the first step and after
    /// each (docs/definitions.md, "Logit lens"). `[S + 1]`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logit_lens: Option<Vec<VocabularyReading>>,
    /// Logit lens after every member except the bias: the embedding's reading, before the first block, stands first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logit_lens_members: Option<Vec<VocabularyReading>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logit_lens_norm: Option<LensNorm>,
    /// Logit lens at other positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logit_lens_grid: Option<DepthGrid>,
    /// Text of each token that a logit lens names, by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logit_lens_words: Option<BTreeMap<u32, String>>,
    /// The position that looks in `attention_pattern`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_query: Option<usize>,
    /// Softmax weights, for every run of a block's attention and each of its query heads
    /// (docs/definitions.md, "Attention pattern"). `[runs][H][T]`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_pattern: Option<Vec<Vec<Vec<f32>>>>,
    /// Beside each the length of weight times value through the head's columns of the output matrix; 0
    /// where the plan has switched the head off. `[runs][H][T]`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_carried: Option<Vec<Vec<Vec<f32>>>>,
    /// Single heads, at several positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_head: Option<Vec<HeadLooks>>,
    /// Answer of the model's own order: shares among the options. `[K]`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Vec<f64>>,
    /// Numbers of that order over the whole vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_vocabulary: Option<AnswerVocabulary>,
}

/// The model's numbers over its whole vocabulary at the prompt's last token (docs/definitions.md, "Beyond the
/// options"). Probabilities are shares of the whole vocabulary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerVocabulary {
    /// `ln sum_v exp(x_v)`, x the logits.
    pub log_partition: f64,
    /// `[K]`
    pub option_probabilities: Vec<f64>,
    /// 1 is the likeliest token. `[K]`
    pub option_ranks: Vec<u32>,
    /// All options together.
    pub mass: f64,
    /// Nats.
    pub entropy: f64,
    /// The likeliest tokens, the likeliest first.
    pub top: Vec<LikelyToken>,
    /// `-ln P(right)`, nats.
    pub surprise: f64,
    /// From the original order's distribution to this plan's, nats; `None` where the original was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kl: Option<f64>,
}

/// One of the likeliest tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikelyToken {
    pub id: u32,
    pub logit: f64,
    pub probability: f64,
    /// Where the model has a tokenizer, and the token is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A logit lens at several positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthGrid {
    /// Counted from 0.
    pub positions: Vec<usize>,
    /// `[positions][S + 1]`
    pub depths: Vec<Vec<VocabularyReading>>,
}

/// One head at several positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadLooks {
    /// Which of the runs in `attention_pattern`.
    pub run: usize,
    pub head: usize,
    /// Positions that look, counted from 0.
    pub queries: Vec<usize>,
    /// `[Q][T]`
    pub weights: Vec<Vec<f32>>,
    /// `[Q][T]`
    pub carried: Vec<Vec<f32>>,
}

/// The final norm's scale along the depth of a logit lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LensNorm {
    /// With the scale of each stream
    Recomputed,
    /// With the scale of the run's last stream
    Held,
}

/// Many prompts under one plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompts {
    pub rows: Vec<Lens>,
    pub averages: Averages,
}

/// Means over rows; `by_depth` has one entry a member.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Averages {
    pub rows: usize,
    pub accuracy: f64,
    /// Share of the most frequent right answer: what always answering it would score.
    pub majority: f64,
    /// The largest of the rows' `sum_error`.
    pub sum_error: f64,
    /// The mean error of the model's shares among the options.
    pub share_error: f64,
    pub probability: ColumnNumbers,
    pub logit: ColumnNumbers,
    /// The part of the logits' column that moves probabilities.
    pub centred: ColumnNumbers,
    /// The part of it that moves none: `logit = centred + offset`, number by number.
    pub offset: ColumnNumbers,
    pub paper: Triple,
    #[serde(deserialize_with = "columns::depths")]
    pub by_depth: Vec<AverageDepth>,
}

/// A junction point's means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AverageDepth {
    pub members: usize,
    #[serde(flatten)]
    pub triples: Triples,
    pub accuracy: f64,
}

impl Lab {
    /// From the original's distribution over the whole vocabulary to the other's, nats; `None` where the
    /// device has no room to read it.
    pub fn kl(&self) -> Option<f64> {
        self.arranged.vocabulary.as_ref()?.kl
    }
}

/// One question before and after the blocks were rearranged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// The model's own order.
    pub original: Lens,
    /// The reader's.
    pub arranged: Lens,
    /// Both streams, in the same order.
    pub geometry: [Geometry; 2],
}
