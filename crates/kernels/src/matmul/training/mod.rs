//! The three products of a linear layer in training, on row-major slices of f32, one thread each.
//!
//! The weights change with every step. So the one layout that rows of weights do not have already is made
//! once a step ([`TurnedWeights`]); the gradients read weights and tokens where they lie.

mod product;
mod tile;
mod turned;

pub use product::{LeftFactor, StridedProduct};
pub use turned::TurnedWeights;

use super::isa::Isa;

/// Tokens whose part of a weight's gradient is added up in registers before it goes to memory: what is
/// read of them by every tile stays in the first-level cache.
const TOKENS: usize = 128;

/// `y [n, out] (+)= x [n, in] w [out, in]^T`; rows of `y` may be longer than `out`.
///
/// # Panics
/// If the slices are not of these shapes.
pub fn forward(y: &mut [f32], x: &[f32], w: &TurnedWeights, n: usize, add: bool) {
    if n == 0 {
        return;
    }
    let y_row = y.len() / n;
    check(x.len() == n * w.ins() && y.len() == n * y_row && y_row >= w.outs());
    for (columns, panel, panel_row) in w.panels() {
        let product =
            StridedProduct { isa: w.isa(), rows: n, depth: w.ins(), columns: columns.len(), add };
        let x = LeftFactor::rows(x, w.ins());
        product.run(x, (panel, panel_row), (&mut y[columns.start..], y_row));
    }
}

/// `dx [n, in] = dy [n, out] w [out, in]`; rows of `dy` may be longer than `out`.
///
/// # Panics
/// If the slices are not of these shapes.
pub fn input_gradient(dx: &mut [f32], dy: &[f32], w: &[f32], n: usize, width_in: usize) {
    if n == 0 {
        return;
    }
    let (outs, dy_row) = (w.len() / width_in, dy.len() / n);
    check(dx.len() == n * width_in && w.len() == outs * width_in);
    check(dy.len() == n * dy_row && dy_row >= outs);
    let product =
        StridedProduct { isa: Isa::best(), rows: n, depth: outs, columns: width_in, add: false };
    product.run(LeftFactor::rows(dy, dy_row), (w, width_in), (dx, width_in));
}

/// `dw [out, in] += dy [n, out]^T x [n, in]`; rows of `dy` may be longer than `out`.
///
/// # Panics
/// If the slices are not of these shapes.
pub fn weight_gradient(dw: &mut [f32], dy: &[f32], x: &[f32], n: usize, width_in: usize) {
    if n == 0 {
        return;
    }
    let (outs, dy_row) = (dw.len() / width_in, dy.len() / n);
    check(dw.len() == outs * width_in && x.len() == n * width_in);
    check(dy.len() == n * dy_row && dy_row >= outs);
    let isa = Isa::best();
    for (dy, x) in dy.chunks(TOKENS * dy_row).zip(x.chunks(TOKENS * width_in)) {
        let product = StridedProduct {
            isa,
            rows: outs,
            depth: x.len() / width_in,
            columns: width_in,
            add: true,
        };
        product.run(LeftFactor::columns(dy, dy_row), (x, width_in), (dw, width_in));
    }
}

fn check(fits: bool) {
    assert!(fits, "factors and product of a linear layer");
}
