//! Products panel by panel, and those with weights that are packed on the way.

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Range;

use rayon::prelude::*;

use super::element::{Element, with_element};
use super::isa::{Isa, Strip};
use super::panel::{CacheLine, pack, pack_blocks, places, room};
use super::tile::RegisterTile;
use crate::Tensor;

/// Inputs that one pass over a panel takes: keeps panel and rows in the second-level cache where
/// matrices are very wide.
const DEPTH: usize = 2048;

/// Columns of the widest panel.
const MOST_WIDTH: usize = 64;

/// Columns `first..` of `y` [N, `y_stride`] `= x [N, in] W^T (+ bias [out])` with plain `weights`
/// [out, in] as they are stored, packed panel by panel on the way: for weights of which a few rows
/// are read too, such as embeddings, and which must not be held twice. An empty `bias` is none.
///
/// # Panics
/// If the slices are not whole rows, of different numbers of rows, or `y` has not so many columns.
pub fn multiply(
    x: &[f32],
    weights: &Tensor,
    bias: &[f32],
    y: &mut [f32],
    y_stride: usize,
    first: usize,
) {
    let isa = Isa::best();
    let (ins, outs, width) = (weights.columns, weights.rows, isa.width());
    let rows = x.len() / ins.max(1);
    assert_eq!(x.len(), rows * ins, "whole rows of input");
    assert_eq!(
        weights.bytes.len() as u64,
        weights.dtype.bytes_of((outs * ins) as u64),
        "whole rows of weights"
    );
    assert_eq!(y.len(), rows * y_stride, "a row of output for each of input");
    assert!(first + outs <= y_stride, "columns of the output");
    assert!(bias.is_empty() || bias.len() == outs, "a bias for each output");
    if x.is_empty() || outs == 0 {
        return;
    }
    let y = SharedOutput(y[first..].as_mut_ptr());
    let product = || PanelProduct { isa, x, ins, bias, outs, y: y.get(), y_stride };
    let dtype = weights.dtype;
    let panel_bytes = dtype.bytes_of((width * ins) as u64) as usize;
    let panels = weights.bytes.par_chunks(panel_bytes.max(1)).enumerate();
    if dtype.is_block() {
        panels.for_each(|(p, rows)| {
            with_scratch::<f32, _>(width * ins, |panel| {
                pack_blocks(isa, dtype, width, rows, ins, panel);
                // SAFETY: as below.
                unsafe { product().panel_columns(p, panel.assume_init_ref()) }
            });
        });
        return;
    }
    with_element!(dtype, E => {
        panels.for_each(|(p, rows)| {
            with_scratch::<E, _>(width * ins, |panel| {
                pack::<E>(isa, width, rows, ins, panel);
                // SAFETY: `pack` wrote all of the panel. The asserts saw that `y` has all
                // columns of all rows; each panel's columns are written by one thread.
                unsafe { product().panel_columns(p, panel.assume_init_ref()) }
            });
        });
    });
}

/// A product whose panels come one by one.
pub struct PanelProduct<'a> {
    pub isa: Isa,
    pub x: &'a [f32], // [N, in]
    pub ins: usize,
    pub bias: &'a [f32], // [out] or empty
    pub outs: usize,
    pub y: *mut f32,
    pub y_stride: usize,
}

impl PanelProduct<'_> {
    /// Computes column group `p` of `y` from one `panel` [`ins`][width].
    ///
    /// # Safety
    /// `y` holds `outs` numbers for each row of `x`, and no other thread touches these columns.
    pub unsafe fn panel_columns<E: Element>(&self, p: usize, panel: &[E]) {
        let width = self.isa.width();
        let part = |part: Range<usize>| panel[part.start * width..part.end * width].as_ptr();
        // SAFETY: the caller's; the slice is good for its part.
        unsafe { self.columns(p, DEPTH, part) }
    }

    /// Computes column group `p` of `y` for a single row: `add` adds its product with the panel to
    /// [width] numbers.
    ///
    /// # Safety
    /// As [`Self::panel_columns`].
    pub unsafe fn row(&self, p: usize, add: impl FnOnce(&mut [f32])) {
        let width = self.isa.width();
        let first = p * width;
        let columns = width.min(self.outs - first);
        let mut sums = [0.0; MOST_WIDTH];
        let sums = &mut sums[..width];
        if !self.bias.is_empty() {
            sums[..columns].copy_from_slice(&self.bias[first..first + columns]);
        }
        add(sums);
        // SAFETY: the caller's.
        unsafe { std::ptr::copy_nonoverlapping(sums.as_ptr(), self.y.add(first), columns) }
    }

    /// Computes column group `p` of `y` from a panel that comes in parts of `depth` inputs: `part` gives
    /// [inputs][width].
    ///
    /// # Safety
    /// As [`Self::panel_columns`]; the pointer that `part` gives is good until the next call of `part`.
    pub unsafe fn columns<E: Element>(
        &self,
        p: usize,
        depth: usize,
        mut part: impl FnMut(Range<usize>) -> *const E,
    ) {
        let (isa, ins, width) = (self.isa, self.ins, self.isa.width());
        if ins == 0 {
            return;
        }
        let rows = self.x.len() / ins;
        let first = p * width;
        let columns = width.min(self.outs - first);
        // A panel wider than what is left of `y` writes beside it.
        let mut beside = Vec::new();
        // SAFETY: column `first` is in `y`.
        let (to, y_stride) = if columns < width {
            beside.resize(rows * width, 0.0);
            (beside.as_mut_ptr(), width)
        } else {
            (unsafe { self.y.add(first) }, self.y_stride)
        };
        if !self.bias.is_empty() {
            let bias = &self.bias[first..first + columns];
            for row in 0..rows {
                // SAFETY: the first `columns` numbers of each row of `to` are this panel's.
                unsafe {
                    std::ptr::copy_nonoverlapping(bias.as_ptr(), to.add(row * y_stride), columns);
                }
            }
        }
        for from in (0..ins).step_by(depth) {
            let depth = depth.min(ins - from);
            let tile = RegisterTile {
                x: self.x[from..].as_ptr(),
                x_stride: ins,
                panel: part(from..from + depth),
                depth,
                y: to,
                y_stride,
                add: from > 0 || !self.bias.is_empty(),
            };
            // SAFETY: rows are `ins` apart in `x` and `depth` long from `from` on, the panel is
            // [ins][width], and `to` has `width` columns for every row.
            unsafe { isa.run(Strip { rows, tile }) }
        }
        for (row, beside) in beside.chunks_exact(width).enumerate() {
            // SAFETY: these are the row's last columns.
            unsafe {
                let to = self.y.add(row * self.y_stride + first);
                std::ptr::copy_nonoverlapping(beside.as_ptr(), to, columns);
            }
        }
    }
}

thread_local! {
    static PACKED: RefCell<Vec<CacheLine>> = const { RefCell::new(Vec::new()) };
}

/// Room for a panel that this thread used before; `work` must wait for no other thread.
pub fn with_scratch<E: Element, T>(
    numbers: usize,
    work: impl FnOnce(&mut [MaybeUninit<E>]) -> T,
) -> T {
    PACKED.with_borrow_mut(|lines| {
        let bytes = numbers * size_of::<E>();
        if size_of_val(&lines[..]) < bytes {
            *lines = room(bytes);
        }
        work(&mut places(lines)[..numbers])
    })
}

/// An output that several threads write different columns of.
pub struct SharedOutput(pub *mut f32);

// SAFETY: whoever takes the pointer out promises to touch columns of its own.
unsafe impl Sync for SharedOutput {}

impl SharedOutput {
    pub fn get(&self) -> *mut f32 {
        self.0
    }
}
