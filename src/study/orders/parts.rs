//! A sweep in parts: each is run by whoever has room for it, and all are put together again.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{CHUNK, OrderRows, Orders, Sweeping};
use crate::study::{Running, StudyError};

/// A sweep that runs nothing itself. Its parts are the very chunks that [`Sweeping`] runs, so every one
/// multiplies the same matrices; they may come back in any order and are kept in the rows' own, so what
/// is found is what one worker alone would find, to the last bit.
pub struct PartedSweep<'a> {
    whole: Sweeping<'a>,
    /// Parts that came back before the rows in front of them did, by their first row.
    early: BTreeMap<usize, Vec<OrderRows>>,
}

impl<'a> PartedSweep<'a> {
    /// Puts a sweep together from its parts; `whole` has run none of its rows.
    pub fn new(whole: Sweeping<'a>) -> Self {
        Self { whole, early: BTreeMap::new() }
    }

    /// The rows of each part of so many.
    pub fn parts(rows: usize) -> impl Iterator<Item = Range<usize>> {
        (0..rows).step_by(CHUNK).map(move |from| from..(from + CHUNK).min(rows))
    }

    /// The sweep of these rows alone, to be run to its end and [taken in](Self::take_in).
    ///
    /// # Panics
    /// Rows that the sweep does not have.
    pub fn part(&self, rows: Range<usize>) -> Sweeping<'a> {
        self.whole.part(rows)
    }

    /// Rows of the whole.
    pub fn rows(&self) -> usize {
        self.whole.readings.len()
    }

    /// Rows that came back, with all before them.
    pub fn rows_done(&self) -> usize {
        self.whole.rows_done()
    }

    /// Have all rows come back?
    pub fn is_whole(&self) -> bool {
        self.rows_done() == self.rows()
    }

    /// Block runs behind these rows.
    ///
    /// # Panics
    /// Rows that the sweep does not have.
    pub fn work(&self, rows: Range<usize>) -> usize {
        self.whole.work(rows)
    }

    /// Takes in a part: the rows that [`Sweeping::into_rows`] gave for `rows`.
    ///
    /// # Errors
    /// Rows that are no part, or were taken in before; other numbers than these rows have.
    pub fn take_in(&mut self, rows: Range<usize>, found: Vec<OrderRows>) -> Result<(), StudyError> {
        let is_part = rows.start.is_multiple_of(CHUNK)
            && rows.start < self.rows()
            && rows.end == (rows.start + CHUNK).min(self.rows());
        let is_new = rows.start >= self.rows_done() && !self.early.contains_key(&rows.start);
        refuse_if!(
            !is_part || !is_new || !self.whole.are_whole(&found, rows.len()),
            StudyError::StrayRows { task: self.whole.task.clone(), row: rows.start + 1 }
        );
        self.early.insert(rows.start, found);
        while let Some(next) = self.early.remove(&self.rows_done()) {
            for (rows, next) in self.whole.rows.iter_mut().zip(next) {
                rows.append(next);
            }
        }
        Ok(())
    }

    /// Returns the numbers over the rows done; `None` before the first part is there.
    pub fn orders(&self) -> Option<Orders> {
        self.whole.orders()
    }
}

impl Sweeping<'_> {
    /// Returns the numbers of its rows: under the model's own order, then under each of the others.
    pub fn into_rows(self) -> Vec<OrderRows> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chunks_and_the_last_has_what_is_left() {
        let ends = |rows| {
            let parts = PartedSweep::parts(rows);
            parts.map(|part| (part.start, part.end)).collect::<Vec<_>>()
        };
        assert!(ends(0).is_empty());
        assert_eq!(ends(1), [(0, 1)]);
        assert_eq!(ends(CHUNK), [(0, CHUNK)]);
        let uneven = [(0, CHUNK), (CHUNK, 2 * CHUNK), (2 * CHUNK, 2 * CHUNK + 3)];
        assert_eq!(ends(2 * CHUNK + 3), uneven);
    }
}
