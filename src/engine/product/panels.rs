//! A matrix that is made, multiplied with and forgotten: attention's keys and values.

use std::ops::Range;

use super::isa::{Isa, Strip};
use super::line::{Line, floats, floats_mut, pack, zeroed};
use super::tile::Tile;

/// A matrix [out, in] in narrow panels.
pub struct Panels {
    isa: Isa,
    ins: usize,
    /// Columns, those that fill the last panel up among them.
    padded: usize,
    /// [panels][in][panel width]
    lines: Vec<Line>,
}

impl Panels {
    fn empty(outs: usize, ins: usize) -> Self {
        let isa = Isa::best().narrow();
        let padded = outs.next_multiple_of(isa.width());
        Self {
            isa,
            ins,
            padded,
            lines: zeroed(padded * ins),
        }
    }

    /// From its rows, [out][`ins`].
    pub fn from_rows(rows: &[f32], ins: usize) -> Self {
        let mut panels = Self::empty(rows.len() / ins, ins);
        let width = panels.isa.width();
        let to = floats_mut(&mut panels.lines).chunks_exact_mut(width * ins);
        for (panel, rows) in to.zip(rows.chunks(width * ins)) {
            pack(rows, ins, width, panel);
        }
        panels
    }

    /// From its columns, `outs` numbers for each of `ins` inputs.
    pub fn from_columns<'a>(
        outs: usize,
        ins: usize,
        columns: impl Iterator<Item = &'a [f32]>,
    ) -> Self {
        let mut panels = Self::empty(outs, ins);
        let width = panels.isa.width();
        let to = floats_mut(&mut panels.lines);
        for (i, column) in columns.enumerate() {
            for (p, part) in column.chunks(width).enumerate() {
                to[(p * ins + i) * width..][..part.len()].copy_from_slice(part);
            }
        }
        panels
    }

    /// Columns of the products' rows: out, filled up to whole panels.
    pub fn padded(&self) -> usize {
        self.padded
    }

    /// The columns that hold those asked for and end with panels.
    pub fn whole(&self, columns: Range<usize>) -> Range<usize> {
        let width = self.isa.width();
        columns.start / width * width..columns.end.next_multiple_of(width).min(self.padded)
    }

    /// `y[.., columns] = x[.., ins] M[columns, ins]^T`, for rows of `x` that are `x_stride` apart
    /// and rows of `y` that are [`Self::padded`] long.
    ///
    /// # Panics
    /// If `columns` are not whole panels, or rows or inputs are missing.
    pub fn multiply(
        &self,
        x: &[f32],
        x_stride: usize,
        ins: Range<usize>,
        columns: Range<usize>,
        y: &mut [f32],
    ) {
        let width = self.isa.width();
        let rows = y.len() / self.padded.max(1);
        assert_eq!(columns, self.whole(columns.clone()), "whole panels");
        assert!(
            ins.start <= ins.end && ins.end <= self.ins && ins.end <= x_stride,
            "inputs"
        );
        assert!(
            x.len() >= rows * x_stride,
            "a row of input for each of output"
        );
        for first in columns.step_by(width) {
            let panel = &floats(&self.lines)[(first * self.ins + ins.start * width)..];
            let tile = Tile {
                x: x[ins.start.min(x.len())..].as_ptr(),
                x_stride,
                panel: panel.as_ptr(),
                depth: ins.len(),
                y: y[first..].as_mut_ptr(),
                y_stride: self.padded,
                add: false,
            };
            // SAFETY: the asserts keep rows, inputs and columns in the three slices; `first` is a
            // panel's first column, so its panel begins at `first * ins`.
            unsafe { self.isa.run(Strip { rows, tile }) }
        }
    }
}
