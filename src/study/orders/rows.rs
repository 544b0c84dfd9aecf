//! Adds one row's numbers to an order's lists.

use super::OrderRows;
use super::reading::Reading;
use crate::engine::{TokenScore, Trace};
use crate::measure::decomposition::{argmax, decompose, margin};
use crate::task::score::{Score, per_byte};

impl OrderRows {
    /// Adds a row's votes and what the whole vocabulary says where it was read; where options decide what is
    /// right, whether it is.
    pub(super) fn push_votes(&mut self, score: Score, reading: &Reading, trace: &Trace) {
        let answer = reading.answer;
        let found = decompose(&trace.members, &trace.member_logits, &trace.logits, answer);
        let triples = found.triples();
        self.probability.push(triples.probability.numbers());
        self.logit.push(triples.logit.numbers());
        self.centred.push(triples.centred.numbers());
        self.offset.push(triples.offset.numbers());
        self.paper.push(triples.paper.numbers());
        let logits: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
        // Continuations have a margin of their own, in nats.
        if score != Score::Continuation {
            self.margin.push(margin(&logits, answer));
        }
        if score == Score::Option {
            self.correct.push(argmax(&logits) == answer);
        }
        match &trace.vocabulary {
            Some(reading) => {
                self.kl.push(reading.kl);
                if score == Score::Option {
                    let right = &reading.followed[answer];
                    self.log_likelihood.push(right.log_probability);
                    self.first_word.push(right.rank == 1);
                }
            }
            // A device that lost its room in the middle would leave numbers of some of the rows.
            None => {
                self.kl.clear();
                if score == Score::Option {
                    self.log_likelihood.clear();
                    self.first_word.clear();
                }
            }
        }
    }

    /// Whether every list that this score fills has so many rows, and every other none; `has_vocabulary`: the
    /// whole vocabulary can be read.
    pub(super) fn is_of(&self, score: Score, has_vocabulary: bool, rows: usize) -> bool {
        let has_likelihood = match score {
            Score::Option => has_vocabulary,
            Score::Continuation | Score::LastWord => true,
            Score::Generate => false,
        };
        let lists = [
            (self.correct.len(), true),
            (self.margin.len(), true),
            (self.probability.len(), true),
            (self.logit.len(), true),
            (self.centred.len(), true),
            (self.offset.len(), true),
            (self.paper.len(), true),
            (self.kl.len(), has_vocabulary),
            (self.log_likelihood.len(), has_likelihood),
            (self.first_word.len(), has_likelihood),
            (self.correct_per_byte.len(), score == Score::Continuation),
        ];
        lists.into_iter().all(|(length, is_filled)| length == if is_filled { rows } else { 0 })
    }

    /// The rows behind these.
    pub(super) fn append(&mut self, mut next: Self) {
        self.correct.append(&mut next.correct);
        self.margin.append(&mut next.margin);
        self.kl.append(&mut next.kl);
        self.probability.append(&mut next.probability);
        self.logit.append(&mut next.logit);
        self.centred.append(&mut next.centred);
        self.offset.append(&mut next.offset);
        self.paper.append(&mut next.paper);
        self.log_likelihood.append(&mut next.log_likelihood);
        self.first_word.append(&mut next.first_word);
        self.correct_per_byte.append(&mut next.correct_per_byte);
    }

    /// The row's candidates, or its one word, as the order scores them.
    pub(in crate::study) fn push_passages(&mut self, reading: &Reading, scores: &[TokenScore]) {
        let sums: Vec<f64> = scores.iter().map(|score| score.log_probability).collect();
        match reading.choice {
            Some((answer, _)) => {
                let bytes: Vec<usize> = reading.passages.iter().map(|(_, bytes)| *bytes).collect();
                let each = per_byte(&sums, &bytes);
                self.correct.push(argmax(&sums) == answer);
                self.correct_per_byte.push(argmax(&each) == answer);
                self.margin.push(margin(&sums, answer));
                self.log_likelihood.push(sums[answer]);
                self.first_word.push(scores[answer].greedy);
            }
            None => {
                let is_greedy = scores.iter().all(|score| score.greedy);
                self.correct.push(is_greedy);
                self.first_word.push(is_greedy);
                self.log_likelihood.push(sums.iter().sum());
            }
        }
    }
}
