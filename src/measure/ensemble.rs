//! Voters made up: every row that can happen as often as it does, or a sample of such rows.

use rand_mt::Mt;

use crate::measure::information::votes::{Correction, estimate};

/// Outcomes are whole rows, which for some shares rounds them.
const ROUNDING: f64 = 1e-3;

/// M members that vote among K options about an answer, all answers equally likely.
///
/// By itself a member votes right with its own probability, else for one of the others. Together,
/// the members of a pair (1 and 2, 3 and 4, …) share a secret: the first votes blindly, and the
/// second so that the difference of the two is the answer. A last member without a partner is
/// always by itself.
#[derive(Clone, Debug)]
pub struct Ensemble {
    pub options: usize,
    /// `[M]` how often each is right by itself.
    pub right: Vec<f64>,
    /// Share of the rows in which pairs share a secret, 0 to 1.
    pub together: f64,
}

/// Votes `[M][N]` and answers `[N]`.
pub struct Rows {
    pub votes: Vec<Vec<usize>>,
    pub answers: Vec<usize>,
}

impl Ensemble {
    /// How likely an answer with these votes is.
    fn probability(&self, votes: &[usize], answer: usize) -> f64 {
        let k = self.options as f64;
        let alone = |member: usize| {
            let right = self.right[member];
            if votes[member] == answer { right } else { (1.0 - right) / (k - 1.0) }
        };
        let mut probability = 1.0 / k;
        for first in (0..votes.len()).step_by(2) {
            let Some(second) = votes.get(first + 1) else {
                probability *= alone(first);
                continue;
            };
            let difference = (second + self.options - votes[first]) % self.options;
            let secret = if difference == answer { 1.0 / k } else { 0.0 };
            probability *=
                (1.0 - self.together) * alone(first) * alone(first + 1) + self.together * secret;
        }
        probability
    }

    /// About `rows` rows: every outcome as often as its probability says.
    pub fn exact(&self, rows: usize) -> Rows {
        let members = self.right.len();
        let mut all = Rows::empty(members);
        let mut votes = vec![0; members];
        loop {
            for answer in 0..self.options {
                let times = (self.probability(&votes, answer) * rows as f64).round() as usize;
                all.push(&votes, answer, times);
            }
            // The next votes, as a number to the base K.
            let Some(place) = votes.iter().position(|&vote| vote + 1 < self.options) else {
                return all;
            };
            votes[..place].fill(0);
            votes[place] += 1;
        }
    }

    /// `rows` rows drawn from a seed. Every member is by itself or in a pair as in [`Ensemble::exact`].
    pub fn drawn(&self, rows: usize, seed: u32) -> Rows {
        let mut random = Mt::new(seed);
        let mut share = move || f64::from(random.next_u32()) / 4_294_967_296.0;
        let mut all = Rows::empty(self.right.len());
        let below = |x: f64, n: usize| ((x * n as f64) as usize).min(n - 1);
        for _ in 0..rows {
            let answer = below(share(), self.options);
            let mut votes = Vec::with_capacity(self.right.len());
            while votes.len() < self.right.len() {
                let paired = votes.len() + 1 < self.right.len();
                if paired && share() < self.together {
                    let blind = below(share(), self.options);
                    votes.extend([blind, (blind + answer) % self.options]);
                    continue;
                }
                for _ in 0..if paired { 2 } else { 1 } {
                    let right = share() < self.right[votes.len()];
                    let off = 1 + below(share(), self.options - 1);
                    votes.push(if right { answer } else { (answer + off) % self.options });
                }
            }
            all.push(&votes, answer, 1);
        }
        all
    }
}

impl Rows {
    fn empty(members: usize) -> Self {
        Self { votes: vec![Vec::new(); members], answers: Vec::new() }
    }

    fn push(&mut self, votes: &[usize], answer: usize, times: usize) {
        for (column, &vote) in self.votes.iter_mut().zip(votes) {
            column.extend(std::iter::repeat_n(vote, times));
        }
        self.answers.extend(std::iter::repeat_n(answer, times));
    }

    /// How often the best rule is wrong that sees the first `members` votes: for each outcome it
    /// names the answer that goes with it most often in these rows.
    pub fn best_error(&self, members: usize, options: usize) -> f64 {
        let mut seen: std::collections::BTreeMap<Vec<usize>, Vec<usize>> = Default::default();
        for (row, &answer) in self.answers.iter().enumerate() {
            let votes = self.votes[..members].iter().map(|column| column[row]);
            seen.entry(votes.collect()).or_insert_with(|| vec![0; options])[answer] += 1;
        }
        let right: usize = seen.values().filter_map(|counts| counts.iter().max()).sum();
        1.0 - right as f64 / self.answers.len() as f64
    }

    /// How often a majority of the first `members` votes is wrong; of equals the first option.
    pub fn majority_error(&self, members: usize, options: usize) -> f64 {
        let wrong = self.answers.iter().enumerate().filter(|(row, answer)| {
            let mut counts = vec![0.0; options];
            for column in &self.votes[..members] {
                counts[column[*row]] += 1.0;
            }
            crate::measure::decomposition::argmax(&counts) != **answer
        });
        wrong.count() as f64 / self.answers.len() as f64
    }
}

/// `[M]` I of the first 1, 2, … members, and H(Y).
pub fn known(rows: &Rows, options: usize) -> (Vec<f64>, f64) {
    let joint =
        |votes: &[Vec<usize>]| estimate(votes, &rows.answers, options, Correction::None).joint;
    let curve = (1..=rows.votes.len()).map(|members| joint(&rows.votes[..members]));
    (curve.collect(), joint(std::slice::from_ref(&rows.answers)))
}

/// Returns the difference of each value from the one before it; the first from `start`.
pub fn steps(values: &[f64], start: f64) -> Vec<f64> {
    let before = std::iter::once(start).chain(values.iter().copied());
    values.iter().zip(before).map(|(now, before)| now - before).collect()
}

/// Steps that are larger than the one before.
pub fn growing(steps: &[f64]) -> usize {
    steps.windows(2).filter(|two| two[1] > two[0] + ROUNDING).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::information::votes::{Correction, estimate};

    #[test]
    fn two_halves_of_a_secret_tell_all_together_and_nothing_alone() {
        let secret = Ensemble { options: 2, right: vec![0.75; 2], together: 1.0 };
        let rows = secret.exact(64);
        let found = estimate(&rows.votes, &rows.answers, 2, Correction::None);
        assert!(found.relevancy.abs() < 1e-12 && (found.joint - 1.0).abs() < 1e-12);
        assert!(rows.best_error(2, 2).abs() < 1e-12 && (rows.best_error(1, 2) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn exact_rows_are_as_many_as_asked_and_a_sample_looks_like_them() {
        let six = Ensemble { options: 2, right: vec![0.75; 6], together: 0.0 };
        let rows = six.exact(8192);
        assert_eq!(rows.answers.len(), 8192);
        assert!((rows.majority_error(1, 2) - 0.25).abs() < 1e-12);
        let drawn = six.drawn(4000, 7);
        assert!((drawn.majority_error(5, 2) - rows.majority_error(5, 2)).abs() < 0.03);
    }
}
