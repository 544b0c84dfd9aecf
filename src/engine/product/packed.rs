//! Weights in panels, and the products with them.

use std::ops::Range;

use rayon::prelude::*;

use super::isa::{Isa, Strip};
use super::line::{Line, floats, floats_mut, pack, zeroed};
use super::tile::Tile;

/// Inputs that one pass over a panel takes: keeps panel and rows in the second-level cache where
/// layers are very wide.
const DEPTH: usize = 2048;

/// Rows that are not shared out further: below that a panel's way from memory is what takes time.
const LEAST_ROWS: usize = 24;

/// A layer's weights [out, in], laid out for this processor.
pub struct Packed {
    isa: Isa,
    outs: usize,
    ins: usize,
    /// [panels][in][panel width], the last panel's missing columns 0.
    lines: Vec<Line>,
}

impl Packed {
    /// Lays out `weights` [out, `ins`], rows one after the other.
    pub fn new(weights: &[f32], ins: usize) -> Self {
        Self::for_isa(Isa::best(), weights, ins)
    }

    pub(super) fn for_isa(isa: Isa, weights: &[f32], ins: usize) -> Self {
        let (outs, width) = (weights.len() / ins.max(1), isa.width());
        assert_eq!(weights.len(), outs * ins, "whole rows of weights");
        let mut lines = zeroed(outs.div_ceil(width) * width * ins);
        floats_mut(&mut lines)
            .par_chunks_mut((width * ins).max(1))
            .zip(weights.par_chunks((width * ins).max(1)))
            .for_each(|(panel, rows)| pack(rows, ins, width, panel));
        Self {
            isa,
            outs,
            ins,
            lines,
        }
    }

    /// out
    pub fn outs(&self) -> usize {
        self.outs
    }

    /// in
    pub fn ins(&self) -> usize {
        self.ins
    }

    /// `y [N, out] = x [N, in] W^T` on this thread alone.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply(&self, x: &[f32], y: &mut [f32]) {
        self.check(x, y);
        // SAFETY: `check` saw that `y` holds all columns of all rows of `x`, and it is ours.
        unsafe { self.columns(x, y.as_mut_ptr(), 0..self.panels()) }
    }

    /// The same, in pieces of `y` shared out over the threads there are: for few rows.
    ///
    /// # Panics
    /// If `x` or `y` are not N whole rows.
    pub fn multiply_shared(&self, x: &[f32], y: &mut [f32]) {
        self.check(x, y);
        let rows = x.len() / self.ins;
        let pieces = 4 * rayon::current_num_threads();
        let panels = self.panels().div_ceil(pieces).max(1);
        let groups = self.panels().div_ceil(panels);
        let rows = rows
            .div_ceil(pieces.div_ceil(groups.max(1)))
            .max(LEAST_ROWS);
        let y = Shared(y.as_mut_ptr());
        (0..groups).into_par_iter().for_each(|group| {
            let panels = group * panels..((group + 1) * panels).min(self.panels());
            x.par_chunks(rows * self.ins)
                .enumerate()
                .for_each(|(n, x)| {
                    // SAFETY: as in `multiply`; no two of these pieces have a number in common.
                    unsafe {
                        let y = y.get().add(n * rows * self.outs);
                        self.columns(x, y, panels.clone());
                    }
                });
        });
    }

    fn panels(&self) -> usize {
        self.outs.div_ceil(self.isa.width())
    }

    fn check(&self, x: &[f32], y: &[f32]) {
        let rows = x.len() / self.ins.max(1);
        assert_eq!(x.len(), rows * self.ins, "whole rows of input");
        assert_eq!(
            y.len(),
            rows * self.outs,
            "a row of output for each of input"
        );
    }

    /// The columns of some panels.
    ///
    /// # Safety
    /// `y` holds `out` numbers for each row of `x`, and no other thread touches these columns.
    unsafe fn columns(&self, x: &[f32], y: *mut f32, panels: Range<usize>) {
        let size = self.isa.width() * self.ins;
        for p in panels {
            let panel = &floats(&self.lines)[p * size..][..size];
            // SAFETY: the caller's.
            unsafe { panel_columns(self.isa, x, self.ins, panel, y, self.outs, p) }
        }
    }
}

/// `y [N, out] = x [N, in] W^T` with plain `weights` [out, `ins`], packed panel by panel on the
/// way: for weights that are read as rows too, such as embeddings, and must not be held twice.
///
/// # Panics
/// If the slices are not whole rows, or of different numbers of rows.
pub fn multiply(x: &[f32], weights: &[f32], ins: usize, y: &mut [f32]) {
    let isa = Isa::best();
    let (rows, outs, width) = (x.len() / ins, weights.len() / ins, isa.width());
    assert_eq!(x.len(), rows * ins, "whole rows of input");
    assert_eq!(weights.len(), outs * ins, "whole rows of weights");
    assert_eq!(y.len(), rows * outs, "a row of output for each of input");
    let y = Shared(y.as_mut_ptr());
    weights.par_chunks(width * ins).enumerate().for_each_init(
        || zeroed(width * ins),
        |lines, (p, weights)| {
            let panel = floats_mut(lines);
            pack(weights, ins, width, panel);
            // SAFETY: the asserts saw that `y` has all columns of all rows; each panel's
            // columns are written by one thread.
            unsafe { panel_columns(isa, x, ins, panel, y.get(), outs, p) }
        },
    );
}

/// Column group `p` of `y` [N, `outs`], from one `panel` [`ins`][width].
///
/// # Safety
/// `y` holds `outs` numbers for each row of `x`, and no other thread touches these columns.
unsafe fn panel_columns(
    isa: Isa,
    x: &[f32],
    ins: usize,
    panel: &[f32],
    y: *mut f32,
    outs: usize,
    p: usize,
) {
    let (rows, width) = (x.len() / ins, isa.width());
    let first = p * width;
    let columns = width.min(outs - first);
    // A panel wider than what is left of `y` writes beside it.
    let mut beside = Vec::new();
    // SAFETY: column `first` is in `y`.
    let (to, y_stride) = if columns < width {
        beside.resize(rows * width, 0.0);
        (beside.as_mut_ptr(), width)
    } else {
        (unsafe { y.add(first) }, outs)
    };
    for from in (0..ins).step_by(DEPTH) {
        let depth = DEPTH.min(ins - from);
        let tile = Tile {
            x: x[from..].as_ptr(),
            x_stride: ins,
            panel: panel[from * width..].as_ptr(),
            depth,
            y: to,
            y_stride,
            add: from > 0,
        };
        // SAFETY: rows are `ins` apart in `x` and `depth` long from `from` on, the panel is
        // [ins][width], and `to` has `width` columns for every row.
        unsafe { isa.run(Strip { rows, tile }) }
    }
    for (row, beside) in beside.chunks_exact(width).enumerate() {
        // SAFETY: these are the row's last columns.
        unsafe {
            std::ptr::copy_nonoverlapping(beside.as_ptr(), y.add(row * outs + first), columns);
        }
    }
}

/// An output that several threads write different columns of.
struct Shared(*mut f32);

// SAFETY: whoever takes the pointer out promises to touch columns of its own.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(&self) -> *mut f32 {
        self.0
    }
}
