//! Weights in panels, and the products with them.

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Range;

use half::{bf16, f16};
use rayon::prelude::*;

use super::element::Element;
use super::isa::{Isa, Strip};
use super::panel::{Line, pack, places, room};
use super::tile::Tile;
use crate::model::{DType, Tensor};

/// Inputs that one pass over a panel takes: keeps panel and rows in the second-level cache where
/// matrices are very wide.
const DEPTH: usize = 2048;

/// Rows that are not shared out further: below that a panel's way from memory is what takes time.
const LEAST_ROWS: usize = 24;

/// Does something with the type that a dtype stands for.
macro_rules! with_element {
    ($dtype:expr, $element:ident => $work:expr) => {
        match $dtype {
            DType::F32 => {
                type $element = f32;
                $work
            }
            DType::F16 => {
                type $element = f16;
                $work
            }
            DType::Bf16 => {
                type $element = bf16;
                $work
            }
        }
    };
}

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
    /// [`SLICE_ROWS`](crate::model::stored::SLICE_ROWS) rows, but for the last).
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
    assert_eq!(
        y.len(),
        rows * y_stride,
        "a row of output for each of input"
    );
    assert!(first + outs <= y_stride, "columns of the output");
    assert!(
        bias.is_empty() || bias.len() == outs,
        "a bias for each output"
    );
    if x.is_empty() || outs == 0 {
        return;
    }
    let y = SharedOutput(y[first..].as_mut_ptr());
    with_element!(weights.dtype, E => {
        let rows = weights.bytes.par_chunks(width * ins * size_of::<E>());
        rows.enumerate().for_each(|(p, rows)| {
            with_scratch::<E, _>(width * ins, |panel| {
                pack::<E>(isa, width, rows, ins, panel);
                let product = Product {
                    isa,
                    x,
                    ins,
                    bias,
                    outs,
                    y: y.get(),
                    y_stride,
                };
                // SAFETY: `pack` wrote all of the panel. The asserts saw that `y` has all
                // columns of all rows; each panel's columns are written by one thread.
                unsafe { product.panel_columns(p, panel.assume_init_ref()) }
            });
        });
    });
}

/// A product whose panels come one by one.
struct Product<'a> {
    isa: Isa,
    x: &'a [f32], // [N, in]
    ins: usize,
    bias: &'a [f32], // [out] or empty
    outs: usize,
    y: *mut f32,
    y_stride: usize,
}

impl Product<'_> {
    /// Column group `p` of `y`, from one `panel` [`ins`][width].
    ///
    /// # Safety
    /// `y` holds `outs` numbers for each row of `x`, and no other thread touches these columns.
    unsafe fn panel_columns<E: Element>(&self, p: usize, panel: &[E]) {
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
        for from in (0..ins).step_by(DEPTH) {
            let depth = DEPTH.min(ins - from);
            let tile = Tile {
                x: self.x[from..].as_ptr(),
                x_stride: ins,
                x_step: 1,
                panel: panel[from * width..][..depth * width].as_ptr(),
                depth,
                y: to,
                y_stride,
                add: from > 0 || !self.bias.is_empty(),
            };
            // SAFETY: rows are `ins` apart in `x` and `depth` long from `from` on, the panel is
            // [ins][width], and `to` has `width` columns for every row.
            unsafe { isa.run::<E, false>(Strip { rows, tile }) }
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
    static PACKED: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// Room for a panel that this thread used before; `work` must wait for no other thread.
pub(super) fn with_scratch<E: Element, T>(
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
struct SharedOutput(*mut f32);

// SAFETY: whoever takes the pointer out promises to touch columns of its own.
unsafe impl Sync for SharedOutput {}

impl SharedOutput {
    fn get(&self) -> *mut f32 {
        self.0
    }
}
