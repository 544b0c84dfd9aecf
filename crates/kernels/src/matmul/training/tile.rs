//! The innermost loop of training's products: like the engine's [tile](super::super::tile), but with both
//! factors read where they lie and with fewer registers a row where there are fewer columns.

use super::super::isa::Isa;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::super::isa::Set;
use super::super::lanes::{self, Lanes};

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

/// All rows in one instruction set: for each number of registers a row, tiles of the most rows that its
/// registers hold, then of fewer.
macro_rules! strips {
    ($name:ident $(, $feature:literal)?: $lanes:ty, $($vectors:literal: $most:literal $($rows:literal)*);+) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $name<const TURNED: bool>(vectors: usize, mut rows: usize, mut at: StridedTile) {
            let x_row = if TURNED { 1 } else { at.x_row };
            match vectors {
                $($vectors => {
                    while rows >= $most {
                        // SAFETY: the caller's.
                        unsafe { tile::<$lanes, TURNED, $most, $vectors>(at) };
                        rows -= $most;
                        // After the last row these may point past the end; nobody reads there.
                        at.x = at.x.wrapping_add($most * x_row);
                        at.y = at.y.wrapping_add($most * at.y_row);
                    }
                    $(while rows >= $rows {
                        // SAFETY: the caller's.
                        unsafe { tile::<$lanes, TURNED, $rows, $vectors>(at) };
                        rows -= $rows;
                        at.x = at.x.wrapping_add($rows * x_row);
                        at.y = at.y.wrapping_add($rows * at.y_row);
                    })*
                })+
                _ => unreachable!("tiles of so many registers"),
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
strips!(avx512, "avx512f": lanes::Avx512, 4: 6 4 2 1; 3: 8 4 2 1; 2: 8 4 2 1; 1: 8 4 2 1);
#[cfg(target_arch = "x86_64")]
strips!(avx2, "avx2,fma,f16c": lanes::Avx2, 2: 6 4 2 1; 1: 8 4 2 1);
#[cfg(target_arch = "aarch64")]
strips!(neon, "neon": lanes::Neon, 4: 6 4 2 1; 3: 8 4 2 1; 2: 8 4 2 1; 1: 8 4 2 1);
strips!(portable: lanes::Portable, 2: 4 2 1; 1: 4 2 1);

/// Registers a row of the widest tile.
pub fn most_vectors(isa: Isa) -> usize {
    match isa.0 {
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => 4,
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => 2,
        #[cfg(target_arch = "aarch64")]
        Set::Neon => 4,
        _ => 2,
    }
}

/// `vectors` registers of columns of all rows.
///
/// # Safety
/// The pointers are good for these shapes; `vectors` is at most [`most_vectors`], and one of `x_row` and
/// `x_step` is 1.
pub unsafe fn run(isa: Isa, vectors: usize, rows: usize, tile: StridedTile) {
    // SAFETY: an `Isa` is made only where the processor has it; the rest is the caller's.
    unsafe {
        match (isa.0, tile.x_step == 1) {
            #[cfg(target_arch = "x86_64")]
            (Set::Avx512, true) => avx512::<false>(vectors, rows, tile),
            #[cfg(target_arch = "x86_64")]
            (Set::Avx512, false) => avx512::<true>(vectors, rows, tile),
            #[cfg(target_arch = "x86_64")]
            (Set::Avx2, true) => avx2::<false>(vectors, rows, tile),
            #[cfg(target_arch = "x86_64")]
            (Set::Avx2, false) => avx2::<true>(vectors, rows, tile),
            #[cfg(target_arch = "aarch64")]
            (Set::Neon, true) => neon::<false>(vectors, rows, tile),
            #[cfg(target_arch = "aarch64")]
            (Set::Neon, false) => neon::<true>(vectors, rows, tile),
            (_, true) => portable::<false>(vectors, rows, tile),
            (_, false) => portable::<true>(vectors, rows, tile),
        }
    }
}
