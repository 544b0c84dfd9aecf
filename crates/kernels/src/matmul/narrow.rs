//! A matrix that is made, multiplied with and forgotten: attention's keys and values.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::isa::{Isa, Strip};
use super::panel::{CacheLine, bytes, pack, places, room};
use super::tile::RegisterTile;

/// A matrix [out, in] of f32 in narrow panels.
pub struct NarrowPanels {
    isa: Isa,
    ins: usize,
    /// Columns, those that fill the last panel up among them.
    padded: usize,
    /// [panels][in][panel width], all written.
    lines: Vec<CacheLine>,
}

impl NarrowPanels {
    fn empty(outs: usize, ins: usize) -> Self {
        let isa = Isa::best();
        let padded = outs.next_multiple_of(isa.narrow_width());
        Self { isa, ins, padded, lines: room(padded * ins * size_of::<f32>()) }
    }

    /// From its rows, \[out\]\[`ins`\].
    pub fn from_rows(rows: &[f32], ins: usize) -> Self {
        let mut panels = Self::empty(rows.len() / ins, ins);
        let width = panels.isa.narrow_width();
        let to = places::<f32>(&mut panels.lines).chunks_exact_mut(width * ins);
        for (panel, rows) in to.zip(rows.chunks(width * ins)) {
            pack::<f32>(panels.isa, width, bytes(rows), ins, panel);
        }
        panels
    }

    /// From its columns, `outs` numbers for each of `ins` inputs.
    ///
    /// # Panics
    /// If there are fewer columns, or they are of other lengths.
    pub fn from_columns<'a>(
        outs: usize,
        ins: usize,
        columns: impl Iterator<Item = &'a [f32]>,
    ) -> Self {
        let mut panels = Self::empty(outs, ins);
        let width = panels.isa.narrow_width();
        let to = places::<f32>(&mut panels.lines);
        let mut came = 0;
        for (i, column) in columns.enumerate().take(ins) {
            assert_eq!(column.len(), outs, "a whole column");
            for (p, part) in column.chunks(width).enumerate() {
                let to = &mut to[(p * ins + i) * width..][..width];
                let (to, rest) = to.split_at_mut(part.len());
                to.write_copy_of_slice(part);
                rest.fill(MaybeUninit::new(0.0));
            }
            came += 1;
        }
        assert_eq!(came, ins, "a column for each input");
        panels
    }

    /// Columns of the products' rows: out, filled up to whole panels.
    pub fn padded(&self) -> usize {
        self.padded
    }

    /// The columns that hold those asked for and end with panels.
    pub fn whole(&self, columns: Range<usize>) -> Range<usize> {
        let width = self.isa.narrow_width();
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
        let width = self.isa.narrow_width();
        let rows = y.len() / self.padded.max(1);
        assert_eq!(columns, self.whole(columns.clone()), "whole panels");
        assert!(ins.start <= ins.end && ins.end <= self.ins && ins.end <= x_stride, "inputs");
        assert!(x.len() >= rows * x_stride, "a row of input for each of output");
        let panels = self.lines.as_ptr().cast::<f32>();
        for first in columns.step_by(width) {
            let tile = RegisterTile {
                x: x[ins.start.min(x.len())..].as_ptr(),
                x_stride,
                // SAFETY: `first` is a panel's first column, so its panel begins at `first * ins`,
                // and `ins` begin in it.
                panel: unsafe { panels.add(first * self.ins + ins.start * width) },
                depth: ins.len(),
                y: y[first..].as_mut_ptr(),
                y_stride: self.padded,
                add: false,
            };
            // SAFETY: the asserts keep rows, inputs and columns in the three slices, and all
            // panels were written when the matrix was made.
            unsafe { self.isa.run_narrow(Strip { rows, tile }) }
        }
    }
}
