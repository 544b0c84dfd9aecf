//! Weights in panels, and the products with them.

use std::ops::Range;

use rayon::prelude::*;

use super::columns::{Product, SharedOutput};
use super::element::with_element;
use super::isa::Isa;
use super::panel::{Line, pack, places, room};
use crate::model::{DType, Tensor};

/// Rows that are not shared out further: below that a panel's way from memory is what takes time.
const LEAST_ROWS: usize = 24;

/// A matrix of weights [out, in], laid out for this processor.
pub struct PackedMatrix {
    isa: Isa,
    dtype: DType,
    outs: usize,
    ins: usize,
    /// [panels][in][panel width], the last panel's missing columns 0.
    lines: Vec<Line>,
}

/// A matrix whose rows are still coming.
pub struct MatrixBuilder {
    matrix: PackedMatrix,
    /// Which panels have come.
    filled: Vec<bool>,
}

impl MatrixBuilder {
    /// Room for `outs` rows of `ins` numbers; its memory is first touched where rows come.
    pub fn new(dtype: DType, outs: usize, ins: usize) -> Self {
        Self::for_isa(Isa::best(), dtype, outs, ins)
    }

    pub(super) fn for_isa(isa: Isa, dtype: DType, outs: usize, ins: usize) -> Self {
        let panels = outs.div_ceil(isa.width());
        let numbers = panels * isa.width() * ins;
        Self {
            matrix: PackedMatrix {
                isa,
                dtype,
                outs,
                ins,
                lines: room(dtype.bytes_of(numbers as u64) as usize),
            },
            filled: vec![false; panels],
        }
    }

    pub fn dtype(&self) -> DType {
        self.matrix.dtype
    }

    /// Lays out rows `first_row..`, all threads together.
    ///
    /// # Panics
    /// If the rows are of another dtype or width, or are not whole panels (multiples of
    /// [`SLICE_ROWS`](crate::model::weights::SLICE_ROWS) rows, but for the last).
    pub fn fill(&mut self, first_row: usize, rows: &Tensor) {
        let matrix = &mut self.matrix;
        let (isa, ins, width) = (matrix.isa, matrix.ins, matrix.isa.width());
        let end = first_row + rows.rows;
        assert_eq!(rows.dtype, matrix.dtype, "one dtype a matrix");
        assert_eq!(rows.columns, ins, "whole rows");
        assert_eq!(
            rows.bytes.len() as u64,
            rows.dtype.bytes_of((rows.rows * ins) as u64),
            "all bytes of the rows"
        );
        assert!(
            first_row.is_multiple_of(width) && end <= matrix.outs,
            "rows of the matrix"
        );
        assert!(
            end.is_multiple_of(width) || end == matrix.outs,
            "whole panels"
        );
        if ins == 0 || rows.rows == 0 {
            return;
        }
        let panels = first_row / width..end.div_ceil(width);
        with_element!(matrix.dtype, E => {
            places::<E>(&mut matrix.lines)[panels.start * width * ins..panels.end * width * ins]
                .par_chunks_mut(width * ins)
                .zip(rows.bytes.par_chunks(width * ins * size_of::<E>()))
                .for_each(|(panel, rows)| pack::<E>(isa, width, rows, ins, panel));
        });
        self.filled[panels].fill(true);
    }

    /// The matrix, if all of its rows have come.
    pub fn finish(self) -> Option<PackedMatrix> {
        let is_whole = self.matrix.ins == 0 || self.filled.iter().all(|&filled| filled);
        is_whole.then_some(self.matrix)
    }
}

impl PackedMatrix {
    /// out
    pub fn outs(&self) -> usize {
        self.outs
    }

    /// in
    pub fn ins(&self) -> usize {
        self.ins
    }

    /// `y [N, out] = x [N, in] W^T (+ bias [out])` on this thread alone; an empty `bias` is none.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply(&self, x: &[f32], bias: &[f32], y: &mut [f32]) {
        self.check(x, bias, y);
        // SAFETY: `check` saw that `y` holds all columns of all rows of `x`, and it is ours.
        unsafe { self.columns(x, bias, y.as_mut_ptr(), 0..self.panels()) }
    }

    /// The same, in pieces of `y` shared out over the threads there are: for few rows.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply_shared(&self, x: &[f32], bias: &[f32], y: &mut [f32]) {
        self.check(x, bias, y);
        let rows = x.len() / self.ins.max(1);
        let pieces = 4 * rayon::current_num_threads();
        let panels = self.panels().div_ceil(pieces).max(1);
        let groups = self.panels().div_ceil(panels);
        let rows = rows
            .div_ceil(pieces.div_ceil(groups.max(1)))
            .max(LEAST_ROWS);
        let y = SharedOutput(y.as_mut_ptr());
        (0..groups).into_par_iter().for_each(|group| {
            let panels = group * panels..((group + 1) * panels).min(self.panels());
            x.par_chunks((rows * self.ins).max(1))
                .enumerate()
                .for_each(|(n, x)| {
                    // SAFETY: as in `multiply`; no two of these pieces have a number in common.
                    unsafe {
                        let y = y.get().add(n * rows * self.outs);
                        self.columns(x, bias, y, panels.clone());
                    }
                });
        });
    }

    fn panels(&self) -> usize {
        self.outs.div_ceil(self.isa.width())
    }

    fn check(&self, x: &[f32], bias: &[f32], y: &[f32]) {
        let rows = x.len() / self.ins.max(1);
        assert_eq!(x.len(), rows * self.ins, "whole rows of input");
        assert_eq!(
            y.len(),
            rows * self.outs,
            "a row of output for each of input"
        );
        assert!(
            bias.is_empty() || bias.len() == self.outs,
            "a bias for each output"
        );
    }

    /// The columns of some panels.
    ///
    /// # Safety
    /// `y` holds `out` numbers for each row of `x`, and no other thread touches these columns.
    unsafe fn columns(&self, x: &[f32], bias: &[f32], y: *mut f32, panels: Range<usize>) {
        let size = self.isa.width() * self.ins;
        let product = Product {
            isa: self.isa,
            x,
            ins: self.ins,
            bias,
            outs: self.outs,
            y,
            y_stride: self.outs,
        };
        with_element!(self.dtype, E => {
            for p in panels {
                // SAFETY: every panel was filled ([`MatrixBuilder::finish`] saw to it), so these
                // are `size` numbers; the rest is the caller's.
                unsafe {
                    let panel = self.lines.as_ptr().cast::<E>().add(p * size);
                    product.panel_columns(p, std::slice::from_raw_parts(panel, size));
                }
            }
        });
    }
}
