//! Means over a task's rows, one row at a time.

use super::choices::ChoiceCounts;
use super::information::Gathering;
use super::levels::LevelCounts;
use super::report::{Found, Sample};
use super::{CellFacts, MeasuredRow};
use crate::engine::Member;
use crate::measure::decomposition::uniform_mse;
use crate::measure::tradeoff::Tradeoff;
use crate::study::report::Averages;
use crate::task::score::{Score, perplexity};

/// Rows kept whole for a reader to look at.
const SAMPLES: usize = 8;

/// Sums over rows; [`Aggregate::finish`] divides.
pub struct Aggregate<'a> {
    members: &'a [Member],
    /// Rows that will come: which of them are sampled depends on it.
    expected: usize,
    sums: Averages,
    score: Score,
    choices: ChoiceCounts,
    levels: LevelCounts,
    correct_per_byte: Option<usize>,
    beyond: BeyondOptions,
    uniform: f64,
    chance: f64,
    tradeoff: Tradeoff,
    options: Option<Options>,
    gathering: Gathering<'a>,
    samples: Vec<Sample>,
}

/// Sums of the rows' numbers over the whole vocabulary.
#[derive(Clone, Copy, Default)]
struct BeyondOptions {
    first_word: Counted,
    /// `ln P` of whole right answers; the next field's is per token.
    log_likelihood: Counted,
    per_token: Counted,
    mass: Counted,
}

/// A sum over the rows that have a number.
#[derive(Clone, Copy, Default)]
struct Counted {
    sum: f64,
    rows: usize,
}

impl BeyondOptions {
    fn add(&mut self, row: &MeasuredRow) {
        let log_likelihood = row.log_likelihood();
        self.first_word.add(row.first_word.map(f64::from));
        self.log_likelihood.add(log_likelihood);
        self.per_token.add(log_likelihood.map(|sum| sum / row.answer_tokens as f64));
        self.mass.add(row.mass);
    }
}

impl Counted {
    fn add(&mut self, number: Option<f64>) {
        self.sum += number.unwrap_or_default();
        self.rows += usize::from(number.is_some());
    }
}

/// Whether all rows offer the same number of options.
#[derive(Clone, Copy, PartialEq)]
enum Options {
    All(usize),
    Mixed,
}

impl<'a> Aggregate<'a> {
    /// Prepares the sums of a task whose `expected` rows come in order.
    pub fn new(members: &'a [Member], expected: usize, facts: &CellFacts) -> Self {
        Self {
            members,
            expected,
            sums: Averages::empty(members.len()),
            score: facts.score,
            choices: ChoiceCounts::default(),
            levels: LevelCounts::default(),
            correct_per_byte: None,
            beyond: BeyondOptions::default(),
            uniform: 0.0,
            chance: 0.0,
            tradeoff: Tradeoff::default(),
            options: None,
            gathering: Gathering::new(members, facts.rivals, expected),
            samples: Vec::new(),
        }
    }

    /// The next row, in the rows' order.
    pub fn add(&mut self, row: &MeasuredRow) {
        let found = row.decomposition(self.members);
        let sums = &mut self.sums;
        // Evenly spread over all rows.
        if self.samples.len() < SAMPLES && sums.rows * SAMPLES >= self.samples.len() * self.expected
        {
            self.samples.push(Sample::of(row));
        }
        sums.add(&found, row.correct);
        self.levels.add(row.level, row.correct);
        self.choices.add(row, self.score);
        if let Some(correct) = row.correct_per_byte {
            *self.correct_per_byte.get_or_insert(0) += usize::from(correct);
        }
        self.beyond.add(row);
        let options = row.options();
        self.uniform += uniform_mse(options);
        if row.right.is_some() {
            self.chance += 1.0 / row.choices.len().max(1) as f64;
        }
        self.options = match self.options {
            None => Some(Options::All(options)),
            Some(Options::All(before)) if before == options => self.options,
            Some(_) => Some(Options::Mixed),
        };
        let wide: Vec<Vec<f64>> = row
            .member_logits
            .chunks(options)
            .map(|u| u.iter().map(|&x| f64::from(x)).collect())
            .collect();
        let target: Vec<f64> = (0..options).map(|k| f64::from(k == row.answer)).collect();
        self.tradeoff.add(&Tradeoff::of(&wide, &target));
        self.gathering.add(row, &found);
    }

    /// `None` where no row came.
    pub fn finish(mut self, facts: &CellFacts) -> Option<Found> {
        let rows = self.sums.rows;
        if rows == 0 {
            return None;
        }
        let share = 1.0 / rows as f64;
        let sums = &mut self.sums;
        sums.divide();
        let choices = self.choices.finish(rows);
        sums.majority = choices.iter().map(|choice| choice.right).fold(0.0, f64::max);
        self.tradeoff.scale(share);
        // A mean over all rows, or none.
        let BeyondOptions { first_word, log_likelihood, per_token, mass } = self.beyond;
        let mean = |numbers: Counted| (numbers.rows == rows).then_some(numbers.sum * share);
        Some(Found {
            facts: facts.clone(),
            chance: if choices.is_empty() { 0.0 } else { self.chance * share },
            uniform: self.uniform * share,
            options: match self.options {
                Some(Options::All(options)) => Some(options),
                _ => None,
            },
            choices,
            levels: self.levels.finish(),
            accuracy_per_byte: self.correct_per_byte.map(|n| n as f64 * share),
            first_word: mean(first_word),
            log_likelihood: mean(log_likelihood),
            perplexity: mean(per_token).map(perplexity).filter(|found| found.is_finite()),
            mass: mean(mass),
            averages: self.sums,
            tradeoff: self.tradeoff,
            information: self.gathering.finish(),
            samples: self.samples,
        })
    }
}
