//! Rows of a task, decomposed, from the Parquet file that a survey wrote.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use atelier::cli::RowsFile;
use atelier::measure::decomposition::{Decomposition, uniform_mse};
use atelier::measure::interval::{self, Mean, Resamples};
use atelier::study::report::Averages;
use atelier::study::survey::MeasuredRow;

use super::verdict::{resamples, sum};

/// A task's rows under one model.
pub struct TaskRows {
    pub name: String,
    pub rows: Vec<DecomposedRow>,
    /// Means over the rows, as the survey's report has them.
    pub averages: Averages,
    resamples: Resamples,
}

/// A row, and what its votes come to, without its texts and its members' numbers: they would fill the memory.
pub struct DecomposedRow {
    pub measured: MeasuredRow,
    pub found: Decomposition,
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
            let measured = row.with_context(|| path.display().to_string())?;
            let found = measured.decomposition(members);
            averages.add(&found, measured.correct);
            rows.push(DecomposedRow::new(measured, found));
        }

        averages.divide();
        let (name, resamples) = (file.about.task.clone(), resamples(rows.len()));
        Ok(Self { name, rows, averages, resamples })
    }

    fn numbers(&self, number: impl Fn(&DecomposedRow) -> f64) -> Vec<f64> {
        self.rows.iter().map(number).collect()
    }

    /// The mean of a number with the bootstrap's interval.
    pub fn mean(&self, number: impl Fn(&DecomposedRow) -> f64) -> Mean {
        self.resamples.mean(&self.numbers(number))
    }

    /// The sum of one number over the sum of another, rows resampled together.
    pub fn ratio(
        &self,
        part: impl Fn(&DecomposedRow) -> f64,
        whole: impl Fn(&DecomposedRow) -> f64,
    ) -> Mean {
        let (part, whole) = (self.numbers(part), self.numbers(whole));
        self.resamples.statistic(|counts| sum(counts, &part) / sum(counts, &whole))
    }

    pub fn accuracy(&self) -> Mean {
        share(&self.rows, |row| row.measured.correct)
    }

    /// The share of rows whose right answer is the model's first word.
    pub fn first_words(&self) -> Mean {
        share(&self.rows, |row| row.measured.first_word == Some(true))
    }

    /// The share of the most frequent right answer.
    pub fn majority(&self) -> f64 {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for DecomposedRow { measured, .. } in &self.rows {
            *counts.entry(measured.right.unwrap_or(measured.answer)).or_default() += 1;
        }
        counts.into_values().max().unwrap_or(0) as f64 / self.rows.len().max(1) as f64
    }

    /// Whether the accuracy lies surely above that of one constant answer.
    pub fn is_above_majority(&self) -> bool {
        self.accuracy().low > self.majority()
    }
}

/// The share of some rows for which something holds, with Wilson's interval.
pub fn share<'a>(
    rows: impl IntoIterator<Item = &'a DecomposedRow>,
    holds: impl Fn(&DecomposedRow) -> bool,
) -> Mean {
    interval::share(&rows.into_iter().map(holds).collect::<Vec<bool>>())
}

impl DecomposedRow {
    fn new(mut measured: MeasuredRow, mut found: Decomposition) -> Self {
        measured.member_logits = Vec::new();
        measured.option_ids = Vec::new();
        measured.option_ranks = Vec::new();
        measured.choices = Vec::new();
        measured.prompt = None;
        found.offset.members = Vec::new();
        let Decomposition { probability, logit, centred, offset, .. } = &mut found;
        for column in [probability, logit, centred, &mut offset.column] {
            column.member_bias = Vec::new();
            column.member_diversity = Vec::new();
        }

        let depths = std::mem::take(&mut found.by_depth);
        Self {
            measured,
            found,
            depth_bias: depths.iter().map(|depth| depth.triples.probability.bias).collect(),
            depth_right: depths.iter().map(|depth| depth.correct).collect(),
        }
    }

    /// `(K - 1) / K²`
    pub fn uniform(&self) -> f64 {
        uniform_mse(self.measured.options())
    }
}
