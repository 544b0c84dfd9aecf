//! The innermost loop: a tile of the product that stays in registers.

use super::ahead::ask_ahead;
use super::element::Element;
use super::lanes::Lanes;

/// The pointers, strides and size of a tile: its inputs and its output.
#[derive(Clone, Copy)]
pub struct RegisterTile<E> {
    /// First input row; rows are `x_stride` numbers apart.
    pub x: *const f32,
    pub x_stride: usize,
    /// [`depth`][panel width], best from a multiple of 64 bytes on.
    pub panel: *const E,
    pub depth: usize,
    /// First output row; rows are `y_stride` numbers apart.
    pub y: *mut f32,
    pub y_stride: usize,
    /// Go on from what `y` holds, rather than from 0.
    pub add: bool,
}

/// `y [ROWS, VECTORS COUNT] (+)= x [ROWS, depth] panel [depth, VECTORS COUNT]`.
///
/// Every number of `y` is one chain of sums in the order of `depth`, whatever ROWS is: a row's
/// result does not depend on the rows beside it.
///
/// # Safety
/// The instruction set of `L` is there, and the tile's pointers are good for these shapes.
#[inline(always)]
pub unsafe fn run<E: Element, L: Lanes, const ROWS: usize, const VECTORS: usize>(
    tile: RegisterTile<E>,
) {
    let RegisterTile { x, x_stride, mut panel, depth, y, y_stride, add } = tile;
    // SAFETY: the caller's; the pointers end at most one past what they are good for.
    unsafe {
        let mut sums = [[L::zero(); VECTORS]; ROWS];
        if add {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = L::load(y.add(row * y_stride + v * L::COUNT));
                }
            }
        }
        for k in 0..depth {
            if ROWS == 1 {
                for line in (0..VECTORS * L::COUNT * size_of::<E>()).step_by(64) {
                    ask_ahead(panel.byte_add(line));
                }
            }
            let weights = E::load::<L, VECTORS>(panel);
            panel = panel.add(VECTORS * L::COUNT);
            for (row, sums) in sums.iter_mut().enumerate() {
                let input = L::splat(x.add(row * x_stride + k));
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = sum.add_product(input, weights);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (v, sum) in sums.into_iter().enumerate() {
                sum.store(y.add(row * y_stride + v * L::COUNT));
            }
        }
    }
}
