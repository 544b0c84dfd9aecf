//! The logit lens of a run (docs/definitions.md, "Logit lens"): the stream before the first block and
//! after every member, decoded with the model's own final norm and unembedding.

use super::Demand;
use super::attention::positions;
use super::vocabulary::{MAX_TOP, VocabularyReading, check_top};
use crate::engine::EngineError;
use crate::engine::backend::{ReadStreams, VocabularyRows};
use crate::engine::schedule::Schedule;
use crate::model::{ModelShape, Prompt};
use crate::plan::Half;

/// A wish to decode the stream along the depth of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DepthWish {
    /// How many of the likeliest tokens, 1 to [`MAX_TOP`].
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

impl DepthWish {
    /// # Errors
    /// No likeliest token or more than there are or may be asked for; an id past the vocabulary; a
    /// position past a prompt.
    pub fn check(&self, shape: &ModelShape, prompts: &[Prompt]) -> Result<(), EngineError> {
        positions(&self.positions, prompts)?;
        check_top(self.top, shape)?;
        refuse_if!(self.top == 0, EngineError::Top { top: 0, most: MAX_TOP.min(shape.vocabulary) });
        let vocabulary = shape.vocabulary;
        match self.followed.iter().find(|&&id| id as usize >= vocabulary) {
            Some(&id) => Err(EngineError::TokenId { id, vocabulary }),
            None => Ok(()),
        }
    }

    /// Numbers that the device gives back per stream.
    fn numbers(&self) -> usize {
        VocabularyRows::numbers(self.top, self.followed.len())
    }

    /// Counts the numbers that a logit lens asks for per sequence under a schedule.
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
    ) -> VocabularyRows {
        let (mut sums, mut references) = (Vec::new(), Vec::new());
        for (members, end) in runs {
            let last = sums.len() + members.len() - 1;
            sums.extend((1..members.len()).map(|count| members[..count].to_vec()));
            sums.push(vec![end]);
            references.resize(sums.len(), last);
        }
        for streams in grid {
            sums.extend(streams.into_iter().map(|row| vec![row]));
            references.resize(sums.len(), sums.len() - 1);
        }
        VocabularyRows {
            followed: self.followed.repeat(sums.len()),
            streams: ReadStreams::Sums { sums, is_held: self.is_held },
            references,
            top: self.top,
            is_reproducible: false,
        }
    }

    /// Parses the readings of `streams` neighbouring streams, from stream `first` of the output `given`.
    pub fn readings(&self, given: &[f32], first: usize, streams: usize) -> Vec<VocabularyReading> {
        let numbers = given.chunks_exact(self.numbers()).skip(first).take(streams);
        numbers.map(|numbers| VocabularyReading::parse(numbers, self.top, &self.followed)).collect()
    }
}
