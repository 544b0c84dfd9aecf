//! Numbers of a task's rows that the claims use, from the Parquet file that a survey wrote.

use std::path::Path;

use anyhow::Context;
use atelier::cli::RowsFile;
use atelier::engine::Member;
use atelier::measure::decomposition::{ByKind, Triple, uniform_mse};
use atelier::measure::interval::{Mean, Resamples, wilson};
use atelier::study::report::Averages;
use atelier::study::survey::MeasuredRow;

/// Resamples and their seed: those of every study.
const RESAMPLES: usize = 1000;
const SEED: u64 = 0;

/// A task's rows under one model.
pub struct TaskRows {
    pub name: String,
    pub rows: Vec<RowNumbers>,
    /// Means over the rows, as the survey's report has them.
    pub averages: Averages,
    resamples: Resamples,
}

/// Numbers of one row.
pub struct RowNumbers {
    pub line: usize,
    pub is_right: bool,
    /// Whether the right answer is the model's first word.
    pub is_first: Option<bool>,
    /// ln P of the right answer, in nats.
    pub log_likelihood: Option<f64>,
    /// The right option's place.
    pub right: usize,
    /// `(K - 1) / K²`
    pub uniform: f64,
    /// The error of the model's own shares.
    pub share_error: f64,
    pub paper: Triple,
    pub logit: Triple,
    pub centred: Triple,
    pub probability_kinds: ByKind,
    pub logit_kinds: ByKind,
    pub centred_kinds: ByKind,
    /// `[M]` bias of probabilities over the first members.
    pub depth_bias: Vec<f64>,
    /// `[M]` whether the sum of the first members is right.
    pub depth_right: Vec<bool>,
}

impl TaskRows {
    /// Reads `rows/MODEL/TASK.parquet`.
    ///
    /// # Errors
    /// A file that is not as a survey wrote it.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let file = RowsFile::open(path)?;
        let members = &file.about.members;
        let mut averages = Averages::empty(members.len());
        let mut rows = Vec::with_capacity(file.len());
        for row in file.rows() {
            let row = row.with_context(|| path.display().to_string())?;
            rows.push(RowNumbers::of(&row, members, &mut averages));
        }
        averages.divide();
        let resamples = Resamples::new(rows.len(), RESAMPLES, SEED);
        Ok(Self { name: file.about.task.clone(), rows, averages, resamples })
    }

    /// The mean of a number with the bootstrap's interval.
    pub fn mean(&self, number: impl Fn(&RowNumbers) -> f64) -> Mean {
        self.resamples.mean(&self.rows.iter().map(number).collect::<Vec<f64>>())
    }

    /// The sum of one number over the sum of another, rows resampled together.
    pub fn ratio(
        &self,
        part: impl Fn(&RowNumbers) -> f64,
        whole: impl Fn(&RowNumbers) -> f64,
    ) -> Mean {
        let numbers: Vec<[f64; 2]> = self.rows.iter().map(|row| [part(row), whole(row)]).collect();
        self.resamples.statistic(|counts| {
            let sum = |which: usize| -> f64 {
                counts.iter().zip(&numbers).map(|(count, row)| count * row[which]).sum()
            };
            sum(0) / sum(1)
        })
    }

    /// The share of rows for which something holds, with Wilson's interval.
    pub fn share(&self, holds: impl Fn(&RowNumbers) -> bool) -> Mean {
        share(&self.rows.iter().collect::<Vec<_>>(), holds)
    }

    pub fn accuracy(&self) -> Mean {
        self.share(|row| row.is_right)
    }

    /// The share of the most frequent right answer.
    pub fn majority(&self) -> f64 {
        let places = self.rows.iter().map(|row| row.right).max().unwrap_or(0) + 1;
        let count = |place: usize| self.rows.iter().filter(|row| row.right == place).count();
        let most = (0..places).map(count).max().unwrap_or(0);
        most as f64 / self.rows.len().max(1) as f64
    }
}

/// The share of some rows for which something holds, with Wilson's interval.
pub fn share(rows: &[&RowNumbers], holds: impl Fn(&RowNumbers) -> bool) -> Mean {
    let count = rows.iter().filter(|row| holds(row)).count();
    wilson(count as f64 / rows.len().max(1) as f64, rows.len())
}

impl RowNumbers {
    /// Decomposes a row, and adds it to sums over all of them.
    fn of(row: &MeasuredRow, members: &[Member], sums: &mut Averages) -> Self {
        let found = row.decomposition(members);
        sums.add(&found, row.correct);
        Self {
            line: row.line,
            is_right: row.correct,
            is_first: row.first_word,
            log_likelihood: row.log_likelihood(),
            right: row.right.unwrap_or(row.answer),
            uniform: uniform_mse(row.options()),
            share_error: found.share_error,
            paper: found.paper,
            logit: found.logit.total,
            centred: found.centred.total,
            probability_kinds: found.probability.by_kind,
            logit_kinds: found.logit.by_kind,
            centred_kinds: found.centred.by_kind,
            depth_bias: found.by_depth.iter().map(|d| d.triples.probability.bias).collect(),
            depth_right: found.by_depth.iter().map(|d| d.correct).collect(),
        }
    }
}
