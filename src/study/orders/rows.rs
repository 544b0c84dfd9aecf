//! What one row adds to an order's lists.

use super::OrderRows;
use super::reading::Reading;
use crate::engine::{TokenScore, Trace};
use crate::measure::decomposition::{argmax, decompose};
use crate::measure::divergence::kl;
use crate::task::score::{Score, per_byte};

impl OrderRows {
    /// Bias, diversity, KL and margin of a row's votes, `own` being the model's own order's; whether
    /// it is right, where options decide that.
    pub(super) fn push_votes(
        &mut self,
        score: Score,
        reading: &Reading,
        trace: &Trace,
        own: &Trace,
    ) {
        let answer = reading.answer;
        let found = decompose(&trace.members, &trace.member_logits, &trace.logits, answer);
        let triples = found.triples();
        self.probability.push(triples.probability.numbers());
        self.logit.push(triples.logit.numbers());
        self.centred.push(triples.centred.numbers());
        self.offset.push(triples.offset.numbers());
        self.paper.push(triples.paper.numbers());
        self.kl.push(kl(&own.logits, &trace.logits));
        let logits: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
        // Continuations have a margin of their own, in nats.
        if score != Score::Continuation {
            self.margin.push(lead(&logits, answer));
        }
        if score == Score::Option {
            self.correct.push(argmax(&logits) == answer);
        }
    }

    /// Has every list that this score fills so many rows, and every other none?
    pub(super) fn is_of(&self, score: Score, rows: usize) -> bool {
        let always = [
            self.correct.len(),
            self.kl.len(),
            self.margin.len(),
            self.probability.len(),
            self.logit.len(),
            self.centred.len(),
            self.offset.len(),
            self.paper.len(),
        ];
        let scored = [self.log_likelihood.len(), self.correct_per_byte.len()];
        let open = score != Score::Option;
        always.iter().all(|&length| length == rows)
            && scored.iter().all(|&length| length == 0 || open && length == rows)
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
                self.margin.push(lead(&sums, answer));
                self.log_likelihood.push(sums[answer]);
            }
            None => {
                self.correct.push(scores.iter().all(|score| score.greedy));
                self.log_likelihood.push(sums.iter().sum());
            }
        }
    }
}

/// How far the right one is ahead of the best other; negative where it is behind.
fn lead(values: &[f64], right: usize) -> f64 {
    let others = values.iter().enumerate().filter(|(k, _)| *k != right);
    values[right] - others.map(|(_, &x)| x).fold(f64::NEG_INFINITY, f64::max)
}
