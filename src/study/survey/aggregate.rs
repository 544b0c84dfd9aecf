//! Means over a task's rows, one row at a time.

use std::collections::BTreeMap;

use super::information::Gathering;
use super::levels::LevelCounts;
use super::report::{Found, Sample};
use super::{CellFacts, MeasuredRow};
use crate::engine::Member;
use crate::measure::decomposition::{ByKind, ColumnNumbers, Share, Triple, uniform_mse};
use crate::measure::tradeoff::Tradeoff;
use crate::study::report::{AverageDepth, Averages};
use crate::task::score::Score;

/// Rows kept whole for a reader to look at.
const SAMPLES: usize = 8;

/// Sums over rows; [`Aggregate::finish`] divides.
pub struct Aggregate<'a> {
    members: &'a [Member],
    /// Rows that will come: which of them are sampled depends on it.
    expected: usize,
    sums: Averages,
    answers: BTreeMap<usize, usize>,
    levels: LevelCounts,
    correct_per_byte: Option<usize>,
    log_likelihood: f64,
    uniform: f64,
    chance: f64,
    tradeoff: Tradeoff,
    options: Option<Options>,
    gathering: Gathering<'a>,
    samples: Vec<Sample>,
}

/// Whether all rows offer the same number of options.
#[derive(Clone, Copy, PartialEq)]
enum Options {
    All(usize),
    Mixed,
}

impl<'a> Aggregate<'a> {
    /// Of a task whose `expected` rows come in order.
    pub fn new(members: &'a [Member], expected: usize, facts: &CellFacts) -> Self {
        let depth = (1..=members.len()).map(|members| AverageDepth {
            members,
            paper: Triple::default(),
            probability: Triple::default(),
            logit: Triple::default(),
            accuracy: 0.0,
        });
        let column = || ColumnNumbers {
            total: Triple::default(),
            by_kind: ByKind::default(),
            member_bias: vec![0.0; members.len()],
            member_diversity: vec![0.0; members.len()],
        };
        Self {
            members,
            expected,
            sums: Averages {
                rows: 0,
                accuracy: 0.0,
                majority: 0.0,
                sum_error: 0.0,
                probability: column(),
                logit: column(),
                paper: Triple::default(),
                by_depth: depth.collect(),
            },
            answers: BTreeMap::new(),
            levels: LevelCounts::default(),
            correct_per_byte: None,
            log_likelihood: 0.0,
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
        sums.rows += 1;
        sums.accuracy += f64::from(row.correct);
        self.levels.add(row.level, row.correct);
        sums.sum_error = sums.sum_error.max(found.sum_error);
        add_column(&mut sums.probability, &found.probability);
        add_column(&mut sums.logit, &found.logit);
        add_triple(&mut sums.paper, &found.paper);
        for (sum, depth) in sums.by_depth.iter_mut().zip(&found.by_depth) {
            add_triple(&mut sum.paper, &depth.paper);
            add_triple(&mut sum.probability, &depth.probability);
            add_triple(&mut sum.logit, &depth.logit);
            sum.accuracy += f64::from(depth.correct);
        }
        *self.answers.entry(row.right.unwrap_or(row.answer)).or_default() += 1;
        if let Some(correct) = row.correct_per_byte {
            *self.correct_per_byte.get_or_insert(0) += usize::from(correct);
        }
        if let Some(&log_likelihood) = row.log_likelihoods.get(row.right.unwrap_or(0)) {
            self.log_likelihood += log_likelihood;
        }
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
        sums.accuracy *= share;
        divide_column(&mut sums.probability, share);
        divide_column(&mut sums.logit, share);
        divide(&mut sums.paper, share);
        for depth in &mut sums.by_depth {
            divide(&mut depth.paper, share);
            divide(&mut depth.probability, share);
            divide(&mut depth.logit, share);
            depth.accuracy *= share;
        }
        let chooses = matches!(facts.score, Score::Option | Score::Continuation);
        let most = self.answers.values().copied().max().unwrap_or(0);
        sums.majority = if chooses { most as f64 * share } else { 0.0 };
        self.tradeoff.scale(share);
        let open = matches!(facts.score, Score::Continuation | Score::LastWord);
        Some(Found {
            facts: facts.clone(),
            chance: if chooses { self.chance * share } else { 0.0 },
            uniform: self.uniform * share,
            options: match self.options {
                Some(Options::All(options)) => Some(options),
                _ => None,
            },
            levels: self.levels.finish(),
            accuracy_per_byte: self.correct_per_byte.map(|n| n as f64 * share),
            log_likelihood: open.then_some(self.log_likelihood * share),
            averages: self.sums,
            tradeoff: self.tradeoff,
            information: self.gathering.finish(),
            samples: self.samples,
        })
    }
}

fn add_triple(sum: &mut Triple, row: &Triple) {
    sum.mse += row.mse;
    sum.bias += row.bias;
    sum.diversity += row.diversity;
}

fn divide(sum: &mut Triple, share: f64) {
    sum.mse *= share;
    sum.bias *= share;
    sum.diversity *= share;
}

fn kinds(by: &mut ByKind) -> [&mut Share; 4] {
    [&mut by.embedding, &mut by.attention, &mut by.mlp, &mut by.bias]
}

fn add_column(sum: &mut ColumnNumbers, row: &ColumnNumbers) {
    add_triple(&mut sum.total, &row.total);
    let mut by_kind = row.by_kind;
    for (sum, row) in kinds(&mut sum.by_kind).into_iter().zip(kinds(&mut by_kind)) {
        sum.count = row.count;
        sum.bias += row.bias;
        sum.diversity += row.diversity;
    }
    for (sum, x) in sum.member_bias.iter_mut().zip(&row.member_bias) {
        *sum += x;
    }
    for (sum, x) in sum.member_diversity.iter_mut().zip(&row.member_diversity) {
        *sum += x;
    }
}

fn divide_column(sum: &mut ColumnNumbers, share: f64) {
    divide(&mut sum.total, share);
    for kind in kinds(&mut sum.by_kind) {
        kind.bias *= share;
        kind.diversity *= share;
    }
    for x in sum.member_bias.iter_mut().chain(&mut sum.member_diversity) {
        *x *= share;
    }
}
