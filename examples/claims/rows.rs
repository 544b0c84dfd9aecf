//! Rows of a task, decomposed, from the Parquet file that a survey wrote.

use std::path::Path;

use anyhow::Context;
use atelier::cli::RowsFile;
use atelier::measure::decomposition::{Decomposition, uniform_mse};
use atelier::measure::interval::{self, Mean};
use atelier::study::report::Averages;
use atelier::study::survey::MeasuredRow;

use super::verdict::{self, resamples};

/// A task's rows under one model.
pub struct TaskRows {
    pub name: String,
    pub rows: Vec<DecomposedRow>,
    /// Means over the rows, as the survey's report has them.
    pub averages: Averages,
}

/// A row, and what its votes come to.
pub struct DecomposedRow {
    pub measured: MeasuredRow,
    pub found: Decomposition,
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
            rows.push(DecomposedRow { measured, found });
        }
        averages.divide();
        Ok(Self { name: file.about.task.clone(), rows, averages })
    }

    fn numbers(&self, number: impl Fn(&DecomposedRow) -> f64) -> Vec<f64> {
        self.rows.iter().map(number).collect()
    }

    /// The mean of a number with the bootstrap's interval.
    pub fn mean(&self, number: impl Fn(&DecomposedRow) -> f64) -> Mean {
        resamples(self.rows.len()).mean(&self.numbers(number))
    }

    /// The sum of one number over the sum of another, rows resampled together.
    pub fn ratio(
        &self,
        part: impl Fn(&DecomposedRow) -> f64,
        whole: impl Fn(&DecomposedRow) -> f64,
    ) -> Mean {
        verdict::ratio(&self.numbers(part), &self.numbers(whole))
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
        let rights =
            || self.rows.iter().map(|row| row.measured.right.unwrap_or(row.measured.answer));
        let count = |right: usize| rights().filter(|other| *other == right).count();
        rights().map(count).max().unwrap_or(0) as f64 / self.rows.len().max(1) as f64
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
    /// `(K - 1) / K²`
    pub fn uniform(&self) -> f64 {
        uniform_mse(self.measured.options())
    }
}
