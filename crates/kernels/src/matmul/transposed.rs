//! The products with the transposed matrix, `y [N, in] = x [N, out] W [out, in]`, from the panels that lie
//! there for the plain ones: no matrix is held twice.
//!
//! A number of `y` is a product along the rows of all panels, a register's lane an output: lanes are
//! added up at the end. So a row has the same bits whatever rows stand beside it and however many
//! threads there are, but not those of another instruction set.

use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;

use rayon::prelude::*;

use super::block_panel;
use super::columns::{SharedOutput, with_scratch};
use super::element::{Element, with_element};
use super::lanes::Lanes;
use super::matrix::{PackedMatrix, Slice};

/// Inputs that a thread makes at a time: their part of all panels stays in its second-level cache while
/// all rows go through.
const INPUTS: usize = 32;

/// Numbers of blocks that are widened at a time.
const WIDENED: usize = 1 << 16;

/// The pointers, strides and size of a strip: its inputs and its output.
#[derive(Clone, Copy)]
pub struct TransposedStrip<E> {
    pub rows: usize,
    pub inputs: usize,
    pub panels: usize,
    /// The first row's numbers of the first panel; rows are `x_stride` apart, a panel's follow the last's.
    pub x: *const f32,
    pub x_stride: usize,
    /// The first input's row of the first panel; panels are `panel_stride` numbers apart.
    pub panel: *const E,
    pub panel_stride: usize,
    /// The first row's first input; rows are `y_stride` apart.
    pub y: *mut f32,
    pub y_stride: usize,
    /// Go on from what `y` holds, rather than from 0.
    pub add: bool,
}

/// `y [ROWS, INPUTS] (+)= x [ROWS, panels' columns] panels' rows [INPUTS]` of a strip's beginning.
///
/// # Safety
/// The instruction set of `L` is there, and the strip's pointers are good for these shapes.
#[inline(always)]
pub unsafe fn run<
    E: Element,
    L: Lanes,
    const ROWS: usize,
    const INPUTS: usize,
    const VECTORS: usize,
>(
    strip: TransposedStrip<E>,
) {
    let width = VECTORS * L::COUNT;
    // SAFETY: the caller's.
    unsafe {
        let mut sums = [[L::zero(); INPUTS]; ROWS];
        for p in 0..strip.panels {
            let panel = strip.panel.add(p * strip.panel_stride);
            let mut weights = [[L::zero(); VECTORS]; INPUTS];
            for (i, weights) in weights.iter_mut().enumerate() {
                *weights = E::load::<L, VECTORS>(panel.add(i * width));
            }
            let x = strip.x.add(p * width);
            for (row, sums) in sums.iter_mut().enumerate() {
                for v in 0..VECTORS {
                    let input = L::load(x.add(row * strip.x_stride + v * L::COUNT));
                    for (sum, weights) in sums.iter_mut().zip(&weights) {
                        *sum = sum.add_product(input, weights[v]);
                    }
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (i, sum) in sums.into_iter().enumerate() {
                let y = strip.y.add(row * strip.y_stride + i);
                let before = if strip.add { *y } else { 0.0 };
                *y = before + sum.total();
            }
        }
    }
}

impl PackedMatrix {
    /// `y [N, in] = x [N, out] W`, in pieces of `y` shared out over the threads there are.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply_transposed(&self, x: &[f32], y: &mut [f32]) {
        let rows = x.len() / self.outs.max(1);
        assert_eq!(x.len(), rows * self.outs, "whole rows of input");
        assert_eq!(y.len(), rows * self.ins, "a row of output for each of input");
        if rows == 0 || self.ins == 0 {
            return;
        }
        if self.outs == 0 {
            return y.fill(0.0);
        }
        // Panels are whole, and what fills the last one up is zeros.
        let whole = self.panels() * self.isa.width();
        let x = match whole == self.outs {
            true => Cow::Borrowed(x),
            false => {
                let mut filled = vec![0.0; rows * whole];
                let to = filled.chunks_exact_mut(whole);
                for (to, x) in to.zip(x.chunks_exact(self.outs)) {
                    to[..self.outs].copy_from_slice(x);
                }
                Cow::Owned(filled)
            }
        };
        let blocks = self.slices.iter().map(|slice| slice.dtype.block()).max();
        let each = blocks.unwrap_or(1).max(INPUTS);
        let y = SharedOutput(y.as_mut_ptr());
        (0..self.ins.div_ceil(each)).into_par_iter().for_each(|piece| {
            let inputs = piece * each..((piece + 1) * each).min(self.ins);
            for (n, slice) in self.slices.iter().enumerate() {
                let strip = TransposedStrip {
                    rows,
                    inputs: inputs.len(),
                    panels: slice.panels.len(),
                    x: x[slice.panels.start * self.isa.width()..].as_ptr(),
                    x_stride: whole,
                    panel: std::ptr::null::<f32>(),
                    panel_stride: 0,
                    // SAFETY: `y` has `ins` numbers for every row, of which these inputs' are this
                    // piece's alone.
                    y: unsafe { y.get().add(inputs.start) },
                    y_stride: self.ins,
                    add: n > 0,
                };
                // SAFETY: the slice's panels were filled when the matrix was made, `x` has a
                // number for each of their columns, `y` as above.
                unsafe { self.transposed_slice(slice, inputs.clone(), strip) };
            }
        });
    }

    /// Computes one slice's part of the product. `strip` holds everything except where the panels lie.
    ///
    /// # Safety
    /// Rows and inputs of `strip` are good.
    unsafe fn transposed_slice(
        &self,
        slice: &Slice,
        inputs: Range<usize>,
        strip: TransposedStrip<f32>,
    ) {
        let (width, dtype) = (self.isa.width(), slice.dtype);
        if !dtype.is_block() {
            with_element!(dtype, E => {
                // SAFETY: a slice has [panels][in][width] numbers; the rest is the caller's.
                unsafe {
                    let panel = slice.lines.as_ptr().cast::<E>();
                    self.isa.run_transposed(TransposedStrip {
                        rows: strip.rows,
                        inputs: strip.inputs,
                        panels: strip.panels,
                        x: strip.x,
                        x_stride: strip.x_stride,
                        panel: panel.add(inputs.start * width),
                        panel_stride: self.ins * width,
                        y: strip.y,
                        y_stride: strip.y_stride,
                        add: strip.add,
                    });
                }
            });
            return;
        }
        // Groups of panels whose widened numbers stay in the cache.
        let a_panel = inputs.len() * width;
        let group = (WIDENED / a_panel).max(1);
        let bytes = |ins: usize| dtype.bytes_of(ins as u64) as usize * width;
        let own = bytes(inputs.start)..bytes(inputs.end);
        for first in (0..strip.panels).step_by(group) {
            let panels = group.min(strip.panels - first);
            with_scratch::<f32, _>(panels * a_panel, |numbers: &mut [MaybeUninit<f32>]| {
                for (p, numbers) in numbers.chunks_exact_mut(a_panel).enumerate() {
                    let at = (first + p) * bytes(self.ins);
                    // SAFETY: every panel of a slice was filled, so these are its bytes.
                    let panel = unsafe {
                        let panel = slice.lines.as_ptr().cast::<u8>().add(at + own.start);
                        std::slice::from_raw_parts(panel, own.len())
                    };
                    block_panel::widen(dtype, width, panel, numbers);
                }
                // SAFETY: `widen` wrote all of these panels' numbers; `x` goes on with their columns.
                unsafe {
                    self.isa.run_transposed(TransposedStrip {
                        panels,
                        x: strip.x.add(first * width),
                        panel: numbers.as_ptr().cast::<f32>(),
                        panel_stride: a_panel,
                        add: strip.add || first > 0,
                        ..strip
                    });
                }
            });
        }
    }
}

#[cfg(test)]
mod tests;
