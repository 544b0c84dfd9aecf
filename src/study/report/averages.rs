//! Sums of decompositions over rows, and the means that they come to.

use super::{AverageDepth, Averages};
use crate::measure::decomposition::{ColumnNumbers, DecomposedColumns, Decomposition, Triples};

impl Averages {
    /// Sums over no row yet, of so many members.
    pub fn empty(members: usize) -> Self {
        let depth = |members| AverageDepth { members, triples: Triples::default(), accuracy: 0.0 };
        Self {
            probability: ColumnNumbers::empty(members),
            logit: ColumnNumbers::empty(members),
            centred: ColumnNumbers::empty(members),
            offset: ColumnNumbers::empty(members),
            by_depth: (1..=members).map(depth).collect(),
            ..Self::default()
        }
    }

    /// Adds a row of the same members.
    pub fn add(&mut self, row: &Decomposition, is_right: bool) {
        self.rows += 1;
        self.accuracy += f64::from(is_right);
        self.sum_error = self.sum_error.max(row.sum_error);
        self.share_error += row.share_error;
        self.probability.add(&row.probability);
        self.logit.add(&row.logit);
        self.centred.add(&row.centred);
        self.offset.add(&row.offset.column);
        self.paper.add(&row.paper);
        for (sum, depth) in self.by_depth.iter_mut().zip(&row.by_depth) {
            sum.triples.add(&depth.triples);
            sum.accuracy += f64::from(depth.correct);
        }
    }

    /// Turns sums into means over the rows that were added.
    pub fn divide(&mut self) {
        let share = 1.0 / self.rows.max(1) as f64;
        self.accuracy *= share;
        self.share_error *= share;
        for column in [&mut self.probability, &mut self.logit, &mut self.centred, &mut self.offset]
        {
            column.scale(share);
        }
        self.paper.scale(share);
        for depth in &mut self.by_depth {
            depth.triples.scale(share);
            depth.accuracy *= share;
        }
    }

    /// Means over all members.
    pub fn triples(&self) -> Triples {
        Triples {
            paper: self.paper,
            probability: self.probability.total,
            logit: self.logit.total,
            centred: self.centred.total,
            offset: self.offset.total,
        }
    }

    /// Members and kinds in every column.
    pub fn columns(&self) -> DecomposedColumns<'_> {
        DecomposedColumns {
            probability: &self.probability,
            logit: &self.logit,
            centred: &self.centred,
            offset: &self.offset,
        }
    }
}
