//! Weights in panels, and the products with them.

use std::ops::Range;

use rayon::prelude::*;

use super::columns::{PanelProduct, SharedOutput, with_scratch};
use super::element::with_element;
use super::isa::Isa;
use super::panel::{CacheLine, pack, places, room};
use super::{block_panel, block_row};
use crate::team::Team;
use crate::{DType, Tensor};

/// Rows that are not shared out further: below that a panel's way from memory is what takes time.
const LEAST_ROWS: usize = 24;

/// A matrix of weights [out, in], laid out for this processor.
pub struct PackedMatrix {
    pub(super) isa: Isa,
    pub(super) outs: usize,
    pub(super) ins: usize,
    /// One behind the other.
    pub(super) slices: Vec<Slice>,
}

/// Neighbouring rows of one type, as they came.
pub(super) struct Slice {
    pub dtype: DType,
    pub panels: Range<usize>,
    /// Plain dtypes: [panels][in][panel width], the last panel's missing columns 0. Block dtypes: panels
    /// as [`block_panel`] lays them out, widened part by part when they are used.
    pub lines: Vec<CacheLine>,
}

/// A matrix whose rows are still coming, slice by slice.
pub struct MatrixBuilder {
    matrix: PackedMatrix,
}

impl MatrixBuilder {
    /// Waits for `outs` rows of `ins` numbers.
    pub fn new(outs: usize, ins: usize) -> Self {
        Self::for_isa(Isa::best(), outs, ins)
    }

    pub(super) fn for_isa(isa: Isa, outs: usize, ins: usize) -> Self {
        Self { matrix: PackedMatrix { isa, outs, ins, slices: Vec::new() } }
    }

    /// Lists the dtypes of the rows that have come, slice by slice.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> {
        self.matrix.slices.iter().map(|slice| slice.dtype)
    }

    /// Lays out rows `first_row..`, all threads together.
    ///
    /// # Panics
    /// If the rows are of another width or end within a block, came before, or are not whole panels: multiples of 64 rows are,
    /// and the last.
    pub fn fill(&mut self, first_row: usize, rows: &Tensor) {
        let matrix = &mut self.matrix;
        let (isa, ins, width) = (matrix.isa, matrix.ins, matrix.isa.width());
        let end = first_row + rows.rows;
        assert_eq!(rows.columns, ins, "whole rows");
        assert!(ins.is_multiple_of(rows.dtype.block()), "whole blocks");
        assert_eq!(
            rows.bytes.len() as u64,
            rows.dtype.bytes_of((rows.rows * ins) as u64),
            "all bytes of the rows"
        );
        assert!(first_row.is_multiple_of(width) && end <= matrix.outs, "rows of the matrix");
        assert!(end.is_multiple_of(width) || end == matrix.outs, "whole panels");
        if ins == 0 || rows.rows == 0 {
            return;
        }
        let panels = first_row / width..end.div_ceil(width);
        let at = matrix.slices.partition_point(|slice| slice.panels.end <= panels.start);
        let next = matrix.slices.get(at);
        assert!(next.is_none_or(|next| panels.end <= next.panels.start), "rows that came before");
        let dtype = rows.dtype;
        let lines = if dtype.is_block() {
            let a_row = dtype.bytes_of(ins as u64) as usize;
            let bytes = panels.len() * width * a_row;
            let mut lines = room(bytes);
            places::<u8>(&mut lines)[..bytes]
                .par_chunks_mut(width * a_row)
                .zip(rows.bytes.par_chunks(width * a_row))
                .for_each(|(panel, rows)| {
                    block_panel::lay_out(dtype, width, rows, a_row, panel);
                });
            lines
        } else {
            let numbers = panels.len() * width * ins;
            let mut lines = room(dtype.bytes_of(numbers as u64) as usize);
            with_element!(dtype, E => {
                places::<E>(&mut lines)[..numbers]
                    .par_chunks_mut(width * ins)
                    .zip(rows.bytes.par_chunks(width * ins * size_of::<E>()))
                    .for_each(|(panel, rows)| pack::<E>(isa, width, rows, ins, panel));
            });
            lines
        };
        let slice = Slice { dtype, panels, lines };
        matrix.slices.insert(at, slice);
    }

    /// The matrix, if all of its rows have come.
    pub fn finish(self) -> Option<PackedMatrix> {
        let came = self.matrix.slices.iter().map(|slice| slice.panels.len());
        let is_whole = self.matrix.ins == 0 || came.sum::<usize>() == self.matrix.panels();
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

    /// Computes `y [N, out] = x [N, in] W^T (+ bias [out])` on this thread alone; an empty `bias` is none.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply(&self, x: &[f32], bias: &[f32], y: &mut [f32]) {
        self.check(x, bias, y);
        // SAFETY: `check` saw that `y` holds all columns of all rows of `x`, and it is ours.
        unsafe { self.columns(x, bias, y.as_mut_ptr(), 0..self.panels(), false) }
    }

    /// Computes `y [out] = x [in] W^T (+ bias [out])` of a single row, as when a text grows, on all threads of
    /// `team`. Block dtypes are read as they are stored, so the rounding differs from [`Self::multiply`]'s.
    ///
    /// # Panics
    /// If `x` or `y` are not one whole row.
    pub fn multiply_one(&self, x: &[f32], bias: &[f32], y: &mut [f32], team: &Team) {
        self.check(x, bias, y);
        assert_eq!(x.len(), self.ins, "one row");
        // So many groups that no thread waits long for the last one's end.
        let size = (self.panels() / (16 * rayon::current_num_threads())).max(1);
        let y = SharedOutput(y.as_mut_ptr());
        team.each(self.panels().div_ceil(size), |group| {
            let panels = group * size..((group + 1) * size).min(self.panels());
            // SAFETY: as in `multiply`; no two of these groups have a number in common.
            unsafe { self.columns(x, bias, y.get(), panels, true) }
        });
    }

    /// Computes `y [N, out] = x [N, in] W^T (+ bias [out])` in pieces of `y` that all threads share: for few
    /// rows.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply_shared(&self, x: &[f32], bias: &[f32], y: &mut [f32]) {
        self.check(x, bias, y);
        let rows = x.len() / self.ins.max(1);
        let pieces = 4 * rayon::current_num_threads();
        let panels = self.panels().div_ceil(pieces).max(1);
        let groups = self.panels().div_ceil(panels);
        let rows = rows.div_ceil(pieces.div_ceil(groups.max(1))).max(LEAST_ROWS);
        let y = SharedOutput(y.as_mut_ptr());
        (0..groups).into_par_iter().for_each(|group| {
            let panels = group * panels..((group + 1) * panels).min(self.panels());
            x.par_chunks((rows * self.ins).max(1)).enumerate().for_each(|(n, x)| {
                // SAFETY: as in `multiply`; no two of these pieces have a number in common.
                unsafe {
                    let y = y.get().add(n * rows * self.outs);
                    self.columns(x, bias, y, panels.clone(), false);
                }
            });
        });
    }

    pub(super) fn panels(&self) -> usize {
        self.outs.div_ceil(self.isa.width())
    }

    fn check(&self, x: &[f32], bias: &[f32], y: &[f32]) {
        let rows = x.len() / self.ins.max(1);
        assert_eq!(x.len(), rows * self.ins, "whole rows of input");
        assert_eq!(y.len(), rows * self.outs, "a row of output for each of input");
        assert!(bias.is_empty() || bias.len() == self.outs, "a bias for each output");
    }

    /// The columns of some panels.
    ///
    /// # Safety
    /// `y` holds `out` numbers for each row of `x`, and no other thread touches these columns.
    unsafe fn columns(
        &self,
        x: &[f32],
        bias: &[f32],
        y: *mut f32,
        panels: Range<usize>,
        is_one: bool,
    ) {
        let size = self.isa.width() * self.ins;
        let product = PanelProduct {
            isa: self.isa,
            x,
            ins: self.ins,
            bias,
            outs: self.outs,
            y,
            y_stride: self.outs,
        };
        for slice in &self.slices {
            let own = panels.start.max(slice.panels.start)..panels.end.min(slice.panels.end);
            if slice.dtype.is_block() {
                // SAFETY: the caller's.
                own.for_each(|p| unsafe { self.block_columns(&product, slice, p, is_one) });
                continue;
            }
            with_element!(slice.dtype, E => {
                for p in own {
                    let first = (p - slice.panels.start) * size;
                    // SAFETY: every panel of a slice was filled, so these are `size` numbers; the
                    // rest is the caller's.
                    unsafe {
                        let panel = slice.lines.as_ptr().cast::<E>().add(first);
                        product.panel_columns(p, std::slice::from_raw_parts(panel, size));
                    }
                }
            });
        }
    }

    /// Column group `p`, from a panel of blocks.
    ///
    /// # Safety
    /// As [`Self::columns`].
    unsafe fn block_columns(&self, product: &PanelProduct, slice: &Slice, p: usize, is_one: bool) {
        let (dtype, width) = (slice.dtype, self.isa.width());
        let bytes = |ins: usize| dtype.bytes_of(ins as u64) as usize * width;
        let first = (p - slice.panels.start) * bytes(self.ins);
        // SAFETY: every panel of a slice was filled, so these are its bytes.
        let panel = unsafe {
            let panel = slice.lines.as_ptr().cast::<u8>().add(first);
            std::slice::from_raw_parts(panel, bytes(self.ins))
        };
        if is_one {
            // SAFETY: the caller's.
            return unsafe { product.row(p, |y| block_row::multiply(dtype, panel, product.x, y)) };
        }
        let depth = block_panel::depth(dtype);
        with_scratch::<f32, _>(width * depth, |numbers| {
            let part = |part: Range<usize>| {
                let numbers = &mut numbers[..part.len() * width];
                let blocks = &panel[bytes(part.start)..bytes(part.end)];
                block_panel::widen(dtype, width, blocks, numbers);
                numbers.as_ptr().cast::<f32>()
            };
            // SAFETY: `widen` writes the numbers of all columns and of all the part's inputs; the rest
            // is the caller's.
            unsafe { product.columns(p, depth, part) }
        });
    }
}
