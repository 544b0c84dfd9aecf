//! The whole vocabulary at one stream: what the model says there, beyond a prompt's options
//! (docs/definitions.md, "Beyond the options").

use std::sync::Arc;

use crate::engine::EngineError;
use crate::engine::backend::VocabularyRows;
use crate::model::{ModelShape, Prompt};

/// A wish to read the whole vocabulary at the last token of every prompt, under every plan.
#[derive(Clone, Debug, PartialEq)]
pub struct VocabularyWish {
    /// How many of the likeliest tokens, 0 to [`MAX_TOP`].
    pub top: usize,
    pub reference: Reference,
    /// Whether the last bits of a prompt's numbers may not depend on the prompts that are read beside it, as in
    /// files of many rows; else a stream that is read alone takes a faster product.
    pub is_reproducible: bool,
}

/// The distribution with which a plan's distribution is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reference {
    #[default]
    None,
    /// The run of the first plan on the same prompt.
    FirstPlan,
    /// A run that was made before, by the last stream of every prompt:
    /// [`Trace::last_stream`](crate::engine::Trace::last_stream). `[P][D]`
    Streams(Arc<[Vec<f32>]>),
    /// The run of the first plan is itself the reference of runs that were made before, by the last stream of
    /// every prompt: it gives [`Trace::earlier_kl`](crate::engine::Trace::earlier_kl). `[P][D]`
    OfEarlier(Arc<[Vec<f32>]>),
}

/// Likeliest tokens that are listed at most: more is a table that nobody reads, and a pass over the
/// vocabulary each.
pub const MAX_TOP: usize = 50;

/// The whole vocabulary's distribution at one stream.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VocabularyReading {
    /// `ln sum_v exp(x_v)`, x the logits.
    pub log_partition: f64,
    /// The likeliest tokens, the likeliest first; of equal ones the smaller id.
    pub top_ids: Vec<u32>,
    /// Natural logarithms.
    pub top_log_probabilities: Vec<f64>,
    /// `sum p_r (ln p_r - ln p)` from a reference r, nats: along the depth the run's end, at the end the
    /// run that was wished; 0 where there is none.
    pub kl: f64,
    /// Nats.
    pub entropy: f64,
    /// The tokens that are followed, in the order of the wish; at the run's end the prompt's options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub followed: Vec<FollowedToken>,
}

/// How a followed token fares at one stream.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FollowedToken {
    pub id: u32,
    /// 1 + the tokens that are likelier; of equal ones the smaller id is.
    pub rank: u32,
    /// Natural logarithm.
    pub log_probability: f64,
}

impl VocabularyWish {
    /// The ten likeliest tokens of an answer.
    pub const ANSWER: Self = Self { top: 10, reference: Reference::None, is_reproducible: false };

    /// Only what is read of the options, for each of many rows.
    pub const ROWS: Self = Self { top: 0, reference: Reference::None, is_reproducible: true };

    /// # Errors
    /// More likeliest tokens than there are or may be asked for; a reference that is no stream of every
    /// prompt.
    pub fn check(&self, shape: &ModelShape, prompts: &[Prompt]) -> Result<(), EngineError> {
        check_top(self.top, shape)?;
        let (Reference::Streams(streams) | Reference::OfEarlier(streams)) = &self.reference else {
            return Ok(());
        };
        let are_whole = streams.iter().all(|stream| stream.len() == shape.width);
        match streams.len() == prompts.len() && are_whole {
            true => Ok(()),
            false => Err(EngineError::Reference { prompts: prompts.len(), streams: streams.len() }),
        }
    }

    /// Numbers given back of a stream that follows `options` tokens.
    pub fn numbers(&self, options: usize) -> usize {
        VocabularyRows::numbers(self.top, options)
    }
}

/// # Errors
/// More than there are or may be asked for.
pub fn check_top(top: usize, shape: &ModelShape) -> Result<(), EngineError> {
    let most = MAX_TOP.min(shape.vocabulary);
    match top <= most {
        true => Ok(()),
        false => Err(EngineError::Top { top, most }),
    }
}

impl VocabularyReading {
    /// Reads what [`Output::Vocabulary`](crate::engine::backend::Output::Vocabulary) gave of one
    /// stream with `top` likeliest tokens; `followed` may be shorter than what was followed.
    pub fn parse(numbers: &[f32], top: usize, followed: &[u32]) -> Self {
        let (sums, rest) = numbers.split_at(3);
        let log_partition = f64::from(sums[0]);
        let (likeliest, fates) = rest.split_at(2 * top);
        let likeliest = likeliest.as_chunks::<2>().0;
        let fates = followed.iter().zip(fates.as_chunks::<2>().0);
        Self {
            log_partition,
            top_ids: likeliest.iter().map(|&[id, _]| id as u32).collect(),
            top_log_probabilities: likeliest.iter().map(|&[_, x]| f64::from(x)).collect(),
            entropy: f64::from(sums[1]),
            // Rounding may leave a sum of equals just below 0.
            kl: f64::from(sums[2]).max(0.0),
            followed: fates
                .map(|(&id, &[rank, x])| FollowedToken {
                    id,
                    rank: rank as u32,
                    log_probability: f64::from(x),
                })
                .collect(),
        }
    }
}
