//! The innermost loop of training's products: like the engine's [tile](super::super::tile), but with both
//! factors read where they lie and with fewer registers a row where there are fewer columns.

use super::super::isa::{Isa, per_isa};
use super::super::lanes::Lanes;

/// The pointers, strides and size of a tile: its inputs and its output.
#[derive(Clone, Copy)]
pub struct StridedTile {
    /// Number k of row r is `x_row * r + x_step * k` further.
    pub x: *const f32,
    pub x_row: usize,
    pub x_step: usize,
    /// Rows, one for each of `depth`, are `m_row` apart.
    pub m: *const f32,
    pub m_row: usize,
    pub depth: usize,
    /// Rows are `y_row` apart.
    pub y: *mut f32,
    pub y_row: usize,
    /// Go on from what `y` holds, rather than from 0.
    pub add: bool,
}

/// `y [ROWS, VECTORS COUNT] (+)= x [ROWS, depth] m [depth, VECTORS COUNT]`, where `x_row` is 1 if
/// `TURNED`, and `x_step` is 1 if not.
///
/// # Safety
/// The instruction set of `L` is there, and the tile's pointers are good for these shapes.
#[inline(always)]
unsafe fn tile<L: Lanes, const TURNED: bool, const ROWS: usize, const VECTORS: usize>(
    tile: StridedTile,
) {
    let StridedTile { x, x_row, x_step, m, m_row, depth, y, y_row, add } = tile;
    // Known when compiled, so that one of the two costs no register.
    let (x_row, x_step) = if TURNED { (1, x_step) } else { (x_row, 1) };
    // SAFETY: the caller's.
    unsafe {
        let mut sums = [[L::zero(); VECTORS]; ROWS];
        if add {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = L::load(y.add(row * y_row + v * L::COUNT));
                }
            }
        }
        for k in 0..depth {
            let from = m.add(k * m_row);
            let mut right = [L::zero(); VECTORS];
            for (v, right) in right.iter_mut().enumerate() {
                *right = L::load(from.add(v * L::COUNT));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let left = L::splat(x.add(row * x_row + k * x_step));
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum = sum.add_product(left, right);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (v, sum) in sums.into_iter().enumerate() {
                sum.store(y.add(row * y_row + v * L::COUNT));
            }
        }
    }
}

/// Tiles of ROWS rows as long as there are so many.
///
/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn tiles<L: Lanes, const TURNED: bool, const ROWS: usize, const VECTORS: usize>(
    rows: &mut usize,
    at: &mut StridedTile,
) {
    let x_row = if TURNED { 1 } else { at.x_row };
    while *rows >= ROWS {
        // SAFETY: the caller's.
        unsafe { tile::<L, TURNED, ROWS, VECTORS>(*at) };
        *rows -= ROWS;
        // After the last row these may point past the end; nobody reads there.
        at.x = at.x.wrapping_add(ROWS * x_row);
        at.y = at.y.wrapping_add(ROWS * at.y_row);
    }
}

/// All rows: tiles of the most rows that the registers hold, then of fewer.
///
/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn strip<L: Lanes, const TURNED: bool, const VECTORS: usize>(
    mut rows: usize,
    mut at: StridedTile,
) {
    let (rows, at) = (&mut rows, &mut at);
    // SAFETY: the caller's.
    unsafe {
        // The widest tile has as many rows as the engine's; narrower ones leave room for two more.
        if const { L::TILES.rows == 6 && VECTORS == L::TILES.vectors } {
            tiles::<L, TURNED, 6, VECTORS>(rows, at);
        } else if const { L::TILES.rows == 6 } {
            tiles::<L, TURNED, 8, VECTORS>(rows, at);
        }
        tiles::<L, TURNED, 4, VECTORS>(rows, at);
        tiles::<L, TURNED, 2, VECTORS>(rows, at);
        tiles::<L, TURNED, 1, VECTORS>(rows, at);
    }
}

/// `vectors` registers of columns of all rows.
///
/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn strips<L: Lanes, const TURNED: bool>(vectors: usize, rows: usize, at: StridedTile) {
    // SAFETY: the caller's.
    unsafe {
        match vectors {
            1 => strip::<L, TURNED, 1>(rows, at),
            2 => strip::<L, TURNED, 2>(rows, at),
            3 if const { L::TILES.vectors > 2 } => strip::<L, TURNED, 3>(rows, at),
            4 if const { L::TILES.vectors > 2 } => strip::<L, TURNED, 4>(rows, at),
            _ => unreachable!("tiles of so many registers"),
        }
    }
}

/// `vectors` registers of columns of all rows.
///
/// # Safety
/// The pointers are good for these shapes; `vectors` is at most [`Isa::vectors`], and one of `x_row` and
/// `x_step` is 1.
pub unsafe fn run(isa: Isa, vectors: usize, rows: usize, at: StridedTile) {
    // SAFETY: the caller's.
    unsafe {
        per_isa!(isa, L(vectors: usize, rows: usize, at: StridedTile) -> () {
            // SAFETY: the caller's.
            unsafe {
                match at.x_step == 1 {
                    true => strips::<L, false>(vectors, rows, at),
                    false => strips::<L, true>(vectors, rows, at),
                }
            }
        })
    }
}
