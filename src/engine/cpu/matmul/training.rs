//! The three products of a linear layer in training, on row-major slices of f32, one thread each:
//! the weights change with every step, so panels are made on the way and forgotten.

use std::mem::MaybeUninit;

use super::columns::with_scratch;
use super::isa::{Isa, Strip};
use super::panel::{bytes, pack};
use super::tile::RegisterTile;

/// Inputs that one pass over a panel takes where they are tokens: their part of both factors stays
/// in the second-level cache.
const TOKENS: usize = 256;

/// `y [n, out] (+)= x [n, in] w [out, in]^T`
///
/// # Panics
/// If the slices are not of these shapes.
pub fn forward(y: &mut [f32], x: &[f32], w: &[f32], n: usize, width_in: usize, add: bool) {
    let outs = w.len() / width_in;
    check(y.len() == n * outs && x.len() == n * width_in && w.len() == outs * width_in);
    let product = PlainProduct {
        x,
        x_stride: width_in,
        x_step: 1,
        depth: width_in,
        rows: n,
        outs,
        add,
    };
    product.run(y, |columns, width, panel| {
        let rows = &w[columns.start * width_in..columns.end * width_in];
        pack::<f32>(Isa::best(), width, bytes(rows), width_in, panel);
    });
}

/// `dx [n, in] = dy [n, out] w [out, in]`
///
/// # Panics
/// If the slices are not of these shapes.
pub fn input_gradient(dx: &mut [f32], dy: &[f32], w: &[f32], n: usize, width_in: usize) {
    let outs = w.len() / width_in;
    check(dx.len() == n * width_in && dy.len() == n * outs && w.len() == outs * width_in);
    let product = PlainProduct {
        x: dy,
        x_stride: outs,
        x_step: 1,
        depth: outs,
        rows: n,
        outs: width_in,
        add: false,
    };
    product.run(dx, |columns, width, panel| {
        copy_columns(w, width_in, columns, width, panel);
    });
}

/// `dw [out, in] += dy [n, out]^T x [n, in]`
///
/// # Panics
/// If the slices are not of these shapes.
pub fn weight_gradient(dw: &mut [f32], dy: &[f32], x: &[f32], n: usize, width_in: usize) {
    let outs = dw.len() / width_in;
    check(dw.len() == outs * width_in && dy.len() == n * outs && x.len() == n * width_in);
    if outs == 0 || width_in == 0 {
        return;
    }
    for (dy, x) in dy.chunks(TOKENS * outs).zip(x.chunks(TOKENS * width_in)) {
        let product = PlainProduct {
            x: dy,
            x_stride: 1,
            x_step: outs,
            depth: x.len() / width_in,
            rows: outs,
            outs: width_in,
            add: true,
        };
        product.run(dw, |columns, width, panel| {
            copy_columns(x, width_in, columns, width, panel);
        });
    }
}

fn check(fits: bool) {
    assert!(fits, "factors and product of a linear layer");
}

/// `columns` of rows that are `stride` long to a panel [rows][`width`], filled up with zeros.
fn copy_columns(
    rows: &[f32],
    stride: usize,
    columns: std::ops::Range<usize>,
    width: usize,
    panel: &mut [MaybeUninit<f32>],
) {
    let panel = panel.chunks_exact_mut(width);
    for (row, to) in rows.chunks_exact(stride).zip(panel) {
        let (to, rest) = to.split_at_mut(columns.len());
        to.write_copy_of_slice(&row[columns.clone()]);
        rest.fill(MaybeUninit::new(0.0));
    }
}

/// `y [rows, outs] (+)= x [rows, depth] M [depth, outs]`
struct PlainProduct<'a> {
    x: &'a [f32],
    x_stride: usize,
    x_step: usize,
    depth: usize,
    rows: usize,
    outs: usize,
    add: bool,
}

impl PlainProduct<'_> {
    /// `panel` writes whole columns of M, [depth][width], the last ones filled up with zeros.
    fn run(
        &self,
        y: &mut [f32],
        panel: impl Fn(std::ops::Range<usize>, usize, &mut [MaybeUninit<f32>]),
    ) {
        if self.rows == 0 {
            return;
        }
        let isa = Isa::best();
        let mut first = 0;
        while first < self.outs {
            // What is left for narrow panels goes through them: a wide one would compute zeros.
            let left = self.outs - first;
            let (wide, narrow) = (isa.width(), isa.narrow_width());
            let width = if left <= 2 * narrow { narrow } else { wide };
            let columns = first..(first + width).min(self.outs);
            with_scratch::<f32, _>(self.depth * width, |scratch| {
                panel(columns.clone(), width, scratch);
                // SAFETY: `panel` wrote all of it.
                let scratch = unsafe { scratch.assume_init_ref() };
                self.columns(y, columns, width, scratch);
            });
            first += width;
        }
    }

    fn columns(&self, y: &mut [f32], columns: std::ops::Range<usize>, width: usize, panel: &[f32]) {
        let isa = Isa::best();
        // A panel wider than what is left of `y` writes beside it.
        let mut beside = Vec::new();
        if columns.len() < width {
            beside.resize(self.rows * width, 0.0);
            if self.add {
                let rows = y.chunks_exact(self.outs);
                for (beside, y) in beside.chunks_exact_mut(width).zip(rows) {
                    beside[..columns.len()].copy_from_slice(&y[columns.clone()]);
                }
            }
        }
        let (to, y_stride) = match beside.as_mut_slice() {
            [] => (&mut y[columns.start..], self.outs),
            beside => (beside, width),
        };
        let strip = Strip {
            rows: self.rows,
            tile: RegisterTile {
                x: self.x.as_ptr(),
                x_stride: self.x_stride,
                x_step: self.x_step,
                panel: panel.as_ptr(),
                depth: self.depth,
                y: to.as_mut_ptr(),
                y_stride,
                add: self.add,
            },
        };
        // SAFETY: the three callers saw that `x` and `y` are of the product's shapes; the panel is
        // [depth][width], and `to` has `width` columns for every row.
        unsafe {
            match (width == isa.width(), self.x_step == 1) {
                (true, true) => isa.run::<f32, false>(strip),
                (true, false) => isa.run::<f32, true>(strip),
                (false, true) => isa.run_narrow::<false>(strip),
                (false, false) => isa.run_narrow::<true>(strip),
            }
        }
        let rows = y.chunks_exact_mut(self.outs);
        for (beside, y) in beside.chunks_exact(width).zip(rows) {
            y[columns.clone()].copy_from_slice(&beside[..columns.len()]);
        }
    }
}
