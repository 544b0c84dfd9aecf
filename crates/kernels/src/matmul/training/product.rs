//! A product of two factors that stay where they lie: parts of longer rows, or columns for rows.

use super::super::columns::with_scratch;
use super::super::isa::Isa;
use super::tile::{self, StridedTile};

/// The left factor of a product: number `k` of row `r` is `numbers[r * row + k * step]`.
#[derive(Clone, Copy)]
pub struct LeftFactor<'a> {
    numbers: &'a [f32],
    row: usize,
    step: usize,
}

impl<'a> LeftFactor<'a> {
    /// Rows that are `stride` apart.
    pub fn rows(numbers: &'a [f32], stride: usize) -> Self {
        Self { numbers, row: stride, step: 1 }
    }

    /// The transposed: the columns of rows that are `stride` apart.
    pub fn columns(numbers: &'a [f32], stride: usize) -> Self {
        Self { numbers, row: 1, step: stride }
    }
}

/// `y [rows, columns] (+)= x [rows, depth] m [depth, columns]`
#[derive(Clone, Copy)]
pub struct StridedProduct {
    pub isa: Isa,
    pub rows: usize,
    pub depth: usize,
    pub columns: usize,
    /// Go on from what `y` holds, rather than from 0.
    pub add: bool,
}

impl StridedProduct {
    /// `m` and `y` come with how far their rows are apart.
    ///
    /// Every number is one chain of sums in the order of `depth`, so it has the same bits whatever rows
    /// and columns are computed with it.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn run(self, x: LeftFactor, m: (&[f32], usize), y: (&mut [f32], usize)) {
        let StridedProduct { isa, rows, depth, columns, add } = self;
        if rows == 0 || columns == 0 {
            return;
        }
        let ((m, m_row), (y, y_row)) = (m, y);
        // The index after the last number.
        let end = |count: usize, stride: usize, width: usize| match count {
            0 => 0,
            count => (count - 1) * stride + width,
        };
        let x_end = match depth {
            0 => 0,
            depth => end(rows, x.row, (depth - 1) * x.step + 1),
        };
        assert!(
            x_end <= x.numbers.len()
                && end(depth, m_row, columns) <= m.len()
                && end(rows, y_row, columns) <= y.len(),
            "slices of a product's shapes"
        );
        let lanes = isa.lanes();
        let whole = columns / lanes * lanes;
        let mut first = 0;
        while first < whole {
            let vectors = ((whole - first) / lanes).min(isa.vectors());
            let tile = StridedTile {
                x: x.numbers.as_ptr(),
                x_row: x.row,
                x_step: x.step,
                m: m[first.min(m.len())..].as_ptr(),
                m_row,
                depth,
                y: y[first..].as_mut_ptr(),
                y_row,
                add,
            };
            // SAFETY: the assert kept all rows, inputs and columns in the three slices.
            unsafe { tile::run(isa, vectors, rows, tile) }
            first += vectors * lanes;
        }
        if whole < columns {
            self.last_columns(whole, x, (m, m_row), (y, y_row));
        }
    }

    /// The columns from `first` on, fewer than a register has, filled up beside both slices.
    fn last_columns(self, first: usize, x: LeftFactor, m: (&[f32], usize), y: (&mut [f32], usize)) {
        let (lanes, count) = (self.isa.lanes(), self.columns - first);
        let ((m, m_row), (y, y_row)) = (m, y);
        with_scratch::<f32, _>((self.depth + self.rows) * lanes, |beside| {
            beside.fill(std::mem::MaybeUninit::new(0.0));
            // SAFETY: just filled.
            let beside = unsafe { beside.assume_init_mut() };
            let (filled, sums) = beside.split_at_mut(self.depth * lanes);
            for (k, to) in filled.chunks_exact_mut(lanes).enumerate() {
                to[..count].copy_from_slice(&m[k * m_row + first..][..count]);
            }
            if self.add {
                for (row, to) in sums.chunks_exact_mut(lanes).enumerate() {
                    to[..count].copy_from_slice(&y[row * y_row + first..][..count]);
                }
            }
            let tile = StridedTile {
                x: x.numbers.as_ptr(),
                x_row: x.row,
                x_step: x.step,
                m: filled.as_ptr(),
                m_row: lanes,
                depth: self.depth,
                y: sums.as_mut_ptr(),
                y_row: lanes,
                add: self.add,
            };
            // SAFETY: `x` as in `run`; the other two were made for whole registers.
            unsafe { tile::run(self.isa, 1, self.rows, tile) }
            for (row, sums) in sums.chunks_exact(lanes).enumerate() {
                y[row * y_row + first..][..count].copy_from_slice(&sums[..count]);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{close, random};

    #[test]
    fn every_instruction_set_and_layout_equals_the_plain_product() {
        // Rows, depth, columns: tiles of every height, of every number of registers, and what is left.
        let shapes = [(1, 1, 1), (7, 5, 16), (13, 33, 50), (23, 64, 64), (6, 20, 185), (3, 0, 9)];
        for (rows, depth, columns) in shapes {
            let (m_row, y_row) = (columns + 3, columns + 5);
            let x = random((rows * depth).max(1), 0.5, 1);
            let m = random(depth * m_row, 0.5, 2);
            for isa in Isa::available() {
                for (turned, add) in [(false, false), (false, true), (true, false), (true, true)] {
                    let number = |r: usize, k: usize| {
                        if turned { x[k * rows + r] } else { x[r * depth + k] }
                    };
                    let before = random(rows * y_row, 1.0, 3);
                    let mut expected: Vec<f64> = before.iter().map(|&y| f64::from(y)).collect();
                    for (r, y) in expected.chunks_exact_mut(y_row).enumerate() {
                        for (c, y) in y[..columns].iter_mut().enumerate() {
                            let products = (0..depth)
                                .map(|k| f64::from(number(r, k)) * f64::from(m[k * m_row + c]));
                            *y = if add { *y } else { 0.0 } + products.sum::<f64>();
                        }
                    }
                    let mut y = before;
                    let left = if turned {
                        LeftFactor::columns(&x, rows)
                    } else {
                        LeftFactor::rows(&x, depth)
                    };
                    let product = StridedProduct { isa, rows, depth, columns, add };
                    product.run(left, (&m, m_row), (&mut y, y_row));
                    close(&y, &expected, 1e-5);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "slices of a product's shapes")]
    fn a_slice_that_is_too_short_is_refused() {
        let product =
            StridedProduct { isa: Isa::best(), rows: 2, depth: 3, columns: 4, add: false };
        product.run(LeftFactor::rows(&[0.0; 6], 3), (&[0.0; 11], 4), (&mut [0.0; 8], 4));
    }
}
