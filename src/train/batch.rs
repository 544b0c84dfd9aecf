//! Batches of texts to learn from, as tokens with what counts of them.

use super::TrainError;
use crate::task::primer::{self, CountedText, words::EOS};

/// Loss weight of every token to which a text gives no weight of its own: most of a story cannot be foreseen,
/// and at a tenth its noise drowned the answers.
const OTHER_WORDS: f32 = 0.02;

/// Rows one after the other, without padding. N tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingBatch {
    /// `[N]`
    pub tokens: Vec<u32>,
    /// `[N]` the token that comes next; the end token after the answer.
    pub targets: Vec<u32>,
    /// `[N]`
    pub weights: Vec<f32>,
    /// Where each row starts, and the end: one more than there are rows.
    pub starts: Vec<usize>,
}

impl TrainingBatch {
    /// The texts' tokens, with what counts in the loss.
    ///
    /// # Errors
    /// A word that the vocabulary has not.
    pub fn of(texts: &[CountedText]) -> Result<TrainingBatch, TrainError> {
        let mut batch = TrainingBatch { starts: vec![0], ..TrainingBatch::default() };
        for CountedText { text, counted, asides } in texts {
            let ids = |text: &str| {
                let unknown = || TrainError::Word { text: text.into() };
                primer::encode(text).ok_or_else(unknown)
            };
            let start = batch.tokens.len();
            batch.add(&ids(text)?);
            for (token, (at, _)) in primer::pieces(text).into_iter().enumerate() {
                if let Some(&(_, how)) = counted.iter().find(|(counted, _)| *counted == at) {
                    batch.weights[start + token] = how;
                }
                if let Some((_, word)) = asides.iter().find(|(aside, _)| *aside == at) {
                    batch.weights[start + token] = 1.0;
                    batch.targets[start + token] = ids(word)?[1];
                }
            }
        }
        Ok(batch)
    }

    /// A row more, whose tokens count as little as any.
    fn add(&mut self, ids: &[u32]) {
        self.tokens.extend(ids);
        self.targets.extend(&ids[1..]);
        self.targets.push(EOS);
        self.weights.resize(self.tokens.len(), OTHER_WORDS);
        self.starts.push(self.tokens.len());
    }

    /// Its rows in at most `count` parts of about as many tokens each.
    pub fn parts(&self, count: usize) -> Vec<TrainingBatch> {
        // A row belongs to the part in which its middle lies.
        let middles = self.starts.windows(2).map(|row| row[0] + row[1]);
        let part_of = |middle: usize| middle * count / (2 * self.tokens.len());
        let parts: Vec<usize> = middles.map(part_of).collect();
        let mut first = 0;
        parts
            .chunk_by(PartialEq::eq)
            .map(|rows| {
                let starts = &self.starts[first..=first + rows.len()];
                first += rows.len();
                let tokens = starts[0]..starts[rows.len()];
                TrainingBatch {
                    tokens: self.tokens[tokens.clone()].to_vec(),
                    targets: self.targets[tokens.clone()].to_vec(),
                    weights: self.weights[tokens.clone()].to_vec(),
                    starts: starts.iter().map(|start| start - tokens.start).collect(),
                }
            })
            .collect()
    }
}
