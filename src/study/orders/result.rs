//! A sweep's result: the `orders` part of a report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Sweep;
use crate::measure::interval::Mean;
use crate::study::geometry::Geometry;
use crate::task::score::Score;

/// Many orders of one model's blocks on the same rows, beside the model's own order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// Where the rows come from: a task's name, or a file's.
    pub task: String,
    /// The score that [`Measures::accuracy`] counts.
    pub score: Score,
    /// Rows done of those asked for; fewer when it was stopped.
    pub rows: usize,
    pub rows_asked: usize,
    /// Mean over rows of 1 / K; 0 where there is nothing to choose from.
    pub chance: f64,
    /// Share of the most frequent right answer: what always answering it would score.
    pub majority: f64,
    /// Tokens of each row's right answer, which a perplexity is a mean over; empty where each counts as one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_tokens: Vec<usize>,
    /// Resamples behind every interval but those of shares and their changes.
    pub resamples: usize,
    pub seed: u64,
    /// Fingerprint of the run, where a file keeps it: only a run with the same one resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Block runs made for one row, and what they would be with each plan run alone.
    pub block_runs: usize,
    pub block_runs_alone: usize,
    /// The model's own order.
    pub original: Variant,
    pub variants: Vec<Variant>,
    /// The variants as a figure's points: one each, but for shuffles, whose point is the mean over
    /// the seeds.
    pub points: Vec<SweepPoint>,
    /// The stream's geometry on these rows under the model's own order and the reader's, where asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub geometry: Vec<Geometry>,
}

/// Everything besides its options that a sweep's numbers depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The program's version.
    pub program: String,
    /// Device and precision.
    pub engine: String,
    /// SHA-256 of the model's files, whole, by name.
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the questions with their right answers, in their order.
    pub questions: String,
    /// SHA-256 of all that was found, as it was written: a number that changed since is seen.
    #[serde(default)]
    pub found: String,
}

impl OrderRows {
    /// Whether only the right answers are known: see [`Orders::shared`].
    pub fn is_shared(&self) -> bool {
        let correct = self.correct.clone();
        *self == Self { correct, ..Self::default() }
    }
}

impl Orders {
    /// Keeps of each row only whether it is right, and of the geometry only the original order's maps.
    #[must_use]
    pub fn shared(mut self) -> Self {
        for variant in self.variants.iter_mut().chain(std::iter::once(&mut self.original)) {
            let correct = std::mem::take(&mut variant.rows.correct);
            variant.rows = OrderRows { correct, ..OrderRows::default() };
        }
        self.answer_tokens.clear();
        self.geometry.retain(|geometry| geometry.plan == self.original.plan);
        for geometry in &mut self.geometry {
            geometry.trajectories.tokens.clear();
        }
        self
    }
}

/// One order on all rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// As `--plan` reads it: `reverse:2`, or a line of notation.
    pub name: String,
    /// In the one-line notation.
    pub plan: String,
    pub measures: Measures,
    pub rows: OrderRows,
}

/// A point of a sweep's curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    pub sweep: Sweep,
    /// The `i` of `drop:i`, `swap:i` and `head:i:h`, the `s` of the others.
    pub at: usize,
    /// The `h` of `head:i:h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// Rounds of a loop; `None` for the other sweeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// Block runs between the ends that stay: `T - 2s - 1`. `None` for drop, swap and heads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub middle: Option<usize>,
    /// Indices into [`Orders::variants`]; several only for shuffles.
    pub variants: Vec<usize>,
    pub measures: Measures,
}

/// Means over rows, each with its 95 % interval (docs/definitions.md, section 17): Wilson's for shares of
/// right rows (and what is computed from one, the normalised score), Tango's for their change, the
/// bootstrap's for all else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Share of rows that the score calls right.
    pub accuracy: Mean,
    /// `(accuracy - chance) / (the original's accuracy - chance)`, chance the larger of
    /// [`Orders::chance`] and [`Orders::majority`]; `None` where the original is not above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised: Option<Mean>,
    /// Accuracy less the original's, row by row.
    pub change: Mean,
    /// The right option's logit less the best other's. For continuations, the right one's
    /// log-probability less the best other's, nats.
    pub margin: Mean,
    /// From the original's distribution over the whole vocabulary to this one's, nats; `None` where the device
    /// has no room to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kl: Option<Mean>,
    /// Share of rows whose right answer is what the model says first by itself: every token of it has rank 1
    /// of the whole vocabulary after those before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<Mean>,
    /// Points are `softmax(u_i)`: `mse = bias - diversity`.
    pub probability: VoteMeans,
    /// Points are `u_i`: the sum of the two that follow.
    pub logit: VoteMeans,
    /// Points are `u_i` less their mean over the options.
    pub centred: VoteMeans,
    /// Points are those means.
    pub offset: VoteMeans,
    /// As the paper prints them: not one identity.
    pub paper: VoteMeans,
    /// `ln P` of the right answer over the whole vocabulary, summed over its tokens, nats per row; `None` where
    /// a text is written, or the device has no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<Mean>,
    /// Accuracy when every continuation's log-probability is divided by its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_per_byte: Option<Mean>,
    /// `exp` of minus the mean log-probability of a token of the right answer
    /// ([`Orders::answer_tokens`]), for last words of a whole word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perplexity: Option<Mean>,
}

/// Bias, diversity and MSE of the members' votes, means over rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VoteMeans {
    pub mse: Mean,
    pub bias: Mean,
    pub diversity: Mean,
}

/// Numbers of each row, in the rows' order: means and intervals are made of them, and a stopped sweep resumes
/// from them. All lists are `[rows]`, or empty where the score has no such number or the device no room for the
/// whole vocabulary. A shared sweep has `correct` alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderRows {
    pub correct: Vec<bool>,
    pub margin: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kl: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_word: Vec<bool>,
    /// `[mse, bias, diversity]` each.
    pub probability: Vec<[f64; 3]>,
    pub logit: Vec<[f64; 3]>,
    pub centred: Vec<[f64; 3]>,
    pub offset: Vec<[f64; 3]>,
    pub paper: Vec<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_likelihood: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correct_per_byte: Vec<bool>,
}
