//! What a run's stream would answer along its depth (docs/definitions.md, "Logit lens"): the model's
//! own read-out of the stream before the first block and after every member.

use super::Demand;
use super::attention::positions;
use crate::engine::EngineError;
use crate::engine::backend::DepthRows;
use crate::engine::schedule::Schedule;
use crate::model::{ModelShape, Prompt};
use crate::plan::Half;

/// What to read along the depth of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DepthWish {
    /// How many of the likeliest tokens, 1 to [`DepthWish::MOST_TOP`].
    pub top: usize,
    /// Ids whose ranks and log-probabilities are wanted too.
    pub followed: Vec<u32>,
    /// The final norm's scale is that of the run's last stream, as the members' votes have it, rather
    /// than computed again from each stream.
    pub is_held: bool,
    /// Positions, counted from 0, at which the streams before the first step and after each are read
    /// too; the members' are read at the last token alone.
    pub positions: Vec<usize>,
}

/// The whole vocabulary's distribution at one depth.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DepthReading {
    /// The likeliest tokens, the likeliest first.
    pub top_ids: Vec<u32>,
    /// Natural logarithms.
    pub top_log_probabilities: Vec<f64>,
    /// From the run's end to here, `sum p_end (ln p_end - ln p_here)`, nats.
    pub kl: f64,
    /// Nats.
    pub entropy: f64,
    /// Of the tokens that are followed, in the order of the wish.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub followed: Vec<FollowedToken>,
}

/// How a followed token fares at one depth.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FollowedToken {
    pub id: u32,
    /// 1 + the tokens that are likelier.
    pub rank: u32,
    /// Natural logarithm.
    pub log_probability: f64,
}

impl DepthWish {
    /// More is a table that nobody reads, and a pass over the vocabulary each.
    pub const MOST_TOP: usize = 50;

    /// # Errors
    /// No likeliest token or more than there are or may be asked for; an id past the vocabulary; a
    /// position past a prompt.
    pub fn check(&self, shape: &ModelShape, prompts: &[Prompt]) -> Result<(), EngineError> {
        positions(&self.positions, prompts)?;
        let vocabulary = shape.vocabulary;
        let most = Self::MOST_TOP.min(vocabulary);
        if !(1..=most).contains(&self.top) {
            return Err(EngineError::Top { top: self.top, most });
        }
        match self.followed.iter().find(|&&id| id as usize >= vocabulary) {
            Some(&id) => Err(EngineError::TokenId { id, vocabulary }),
            None => Ok(()),
        }
    }

    /// Numbers that are given back of a stream.
    fn numbers(&self) -> usize {
        DepthRows::numbers(self.top, self.followed.len())
    }

    /// What every sequence costs under a schedule, beside its members.
    pub fn demand(&self, schedule: &Schedule) -> Demand {
        let members = |&node: &usize| {
            let runs = schedule.nodes[node].runs.iter();
            runs.map(|run| 1 + usize::from(run.half == Half::Both)).sum::<usize>()
        };
        let streams = schedule.paths.iter();
        let streams = streams.map(|path| {
            1 + path.iter().map(members).sum::<usize>() + self.positions.len() * path.len()
        });
        Demand { numbers: streams.sum::<usize>() * self.numbers(), ..Demand::default() }
    }

    /// The streams to read: for every list of a run's kept rows, its members in order, the sums of the
    /// first, of the first two, … of all, which is its `end` row; then every list of `grid` as it is,
    /// whose last row is its end.
    pub fn rows(
        &self,
        runs: impl Iterator<Item = (Vec<u32>, u32)>,
        grid: impl Iterator<Item = Vec<u32>>,
    ) -> DepthRows {
        let (mut sums, mut ends) = (Vec::new(), Vec::new());
        for (members, end) in runs {
            let last = sums.len() + members.len() - 1;
            sums.extend((1..members.len()).map(|count| members[..count].to_vec()));
            sums.push(vec![end]);
            ends.resize(sums.len(), last);
        }
        for streams in grid {
            sums.extend(streams.into_iter().map(|row| vec![row]));
            ends.resize(sums.len(), sums.len() - 1);
        }
        DepthRows {
            sums,
            ends,
            is_held: self.is_held,
            top: self.top,
            followed: self.followed.clone(),
        }
    }

    /// The readings of `streams` neighbouring streams, from stream `first` of what was given back.
    pub fn readings(&self, given: &[f32], first: usize, streams: usize) -> Vec<DepthReading> {
        let numbers = given.chunks_exact(self.numbers());
        let numbers = numbers.skip(first).take(streams);
        numbers.map(|numbers| self.reading(numbers)).collect()
    }

    fn reading(&self, numbers: &[f32]) -> DepthReading {
        let (shape, rest) = numbers.split_at(3);
        let log_sum = f64::from(shape[0]);
        let (top, followed) = rest.split_at(2 * self.top);
        let top = top.as_chunks::<2>().0;
        let followed = self.followed.iter().zip(followed.as_chunks::<2>().0);
        DepthReading {
            top_ids: top.iter().map(|&[id, _]| id as u32).collect(),
            top_log_probabilities: top.iter().map(|&[_, x]| f64::from(x) - log_sum).collect(),
            entropy: f64::from(shape[1]),
            kl: f64::from(shape[2]),
            followed: followed
                .map(|(&id, &[rank, x])| FollowedToken {
                    id,
                    rank: rank as u32,
                    log_probability: f64::from(x) - log_sum,
                })
                .collect(),
        }
    }
}
