//! Singular values and vectors of small dense matrices.
//!
//! nalgebra has a decomposition of its own, which at version 0.35 is wrong where singular values are zero
//! (five rows of five ones come back off by 1.1), as Jacobians' often are. So its eigenvectors of the
//! symmetric `A^T A` are taken, which are right, and turned until the images of all are at right
//! angles to rounding (one-sided Jacobi rotations): small singular values are then as exact as large
//! ones. faer decomposes them rightly and larger ones faster, and would bring 224 kB of WebAssembly (75
//! gzipped) into the page's worker, beside nalgebra's 43 (17).

use nalgebra::{DMatrix, SymmetricEigen};

use super::rows::{length, orthonormal, product};

/// `A = sum_k s_k left_k right_k^T`, the largest first.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularVectors {
    /// `[n]`
    pub values: Vec<f64>,
    /// `[n, rows of A]`, orthonormal.
    pub left: Vec<f64>,
    /// `[n, columns of A]`, orthonormal.
    pub right: Vec<f64>,
}

/// Most QR steps per column in the search for eigenvectors: two or three suffice.
const STEPS: usize = 100;
/// Most rounds of turning all pairs: two or three suffice.
const SWEEPS: usize = 60;
/// Cosine of two images that counts as a right angle.
const SMALL: f64 = 1e-14;
/// Rounding per row of the matrix, relative to the largest singular value: a smaller value counts as zero.
const ZERO: f64 = 1e-15;

/// All of a matrix `[rows, columns]`, row after row; `None` where numbers are not finite.
///
/// # Panics
/// If there are not `rows * columns` numbers.
pub fn singular_vectors(rows: usize, columns: usize, numbers: &[f64]) -> Option<SingularVectors> {
    if rows < columns {
        let turned = transposed(rows, columns, numbers)?;
        let SingularVectors { values, left, right } = of_tall(columns, rows, &turned)?;
        return Some(SingularVectors { values, left: right, right: left });
    }
    of_tall(rows, columns, &finite(rows, columns, numbers)?)
}

/// The values alone, the largest first, each to 1e-8 of the largest.
///
/// # Panics
/// As [`singular_vectors`].
pub fn singular_values(rows: usize, columns: usize, numbers: &[f64]) -> Option<Vec<f64>> {
    let matrix = if rows < columns {
        transposed(rows, columns, numbers)?
    } else {
        finite(rows, columns, numbers)?
    };
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    let squares = matrix.tr_mul(&matrix).symmetric_eigenvalues();
    let mut values: Vec<f64> = squares.iter().map(|square| square.max(0.0).sqrt()).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    Some(values)
}

/// A matrix whose squares are numbers: rotations of what is not finite never end.
fn finite(rows: usize, columns: usize, numbers: &[f64]) -> Option<DMatrix<f64>> {
    assert_eq!(numbers.len(), rows * columns, "a matrix");
    let is_finite = numbers.iter().all(|x| x.abs() < 1e100);
    is_finite.then(|| DMatrix::from_row_slice(rows, columns, numbers))
}

fn transposed(rows: usize, columns: usize, numbers: &[f64]) -> Option<DMatrix<f64>> {
    Some(finite(rows, columns, numbers)?.transpose())
}

/// At least as many rows as columns.
fn of_tall(rows: usize, columns: usize, matrix: &DMatrix<f64>) -> Option<SingularVectors> {
    if columns == 0 {
        return Some(SingularVectors { values: Vec::new(), left: Vec::new(), right: Vec::new() });
    }
    let gram = matrix.tr_mul(matrix);
    // Rotations need no start, they are only fewer from there.
    let start = SymmetricEigen::try_new(gram, f64::EPSILON, STEPS * columns)
        .map_or_else(|| DMatrix::identity(columns, columns), |eigen| eigen.eigenvectors);
    // A vector a column, and so one after the other.
    let mut right = start.as_slice().to_vec(); // [columns, columns]
    let mut images = (matrix * &start).as_slice().to_vec(); // [columns, rows]
    for _sweep in 0..SWEEPS {
        if !turn(&mut images, &mut right, rows, columns) {
            break;
        }
    }
    let mut order: Vec<(usize, f64)> = images.chunks_exact(rows).map(length).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = order.first().map_or(0.0, |(_, first)| first * ZERO * rows as f64);
    let mut found = SingularVectors {
        values: Vec::with_capacity(columns),
        left: Vec::with_capacity(columns * rows),
        right: Vec::with_capacity(columns * columns),
    };
    for (at, value) in order {
        found.right.extend_from_slice(&right[at * columns..][..columns]);
        if value > least {
            found.values.push(value);
            let image = &images[at * rows..][..rows];
            found.left.extend(image.iter().map(|x| x / value));
        } else {
            found.values.push(0.0);
        }
    }
    complete(&mut found.left, rows, columns);
    Some(found)
}

/// Turns every pair of `images` `[n, rows]` to a right angle, and `right` `[n, n]` with it; was there one
/// that was not at one?
fn turn(images: &mut [f64], right: &mut [f64], rows: usize, n: usize) -> bool {
    let largest = images.chunks_exact(rows).map(length).fold(0.0, f64::max);
    let mut has_turned = false;
    for p in 0..n {
        for q in p + 1..n {
            let (a, b) = two(images, p, q, rows);
            let (aa, bb, ab) = (product(a, a), product(b, b), product(a, b));
            // If a length is rounding alone, so is the angle.
            let rounding = largest * ZERO * rows as f64;
            if ab.abs() <= SMALL * (aa * bb).sqrt() || aa.min(bb).sqrt() <= rounding {
                continue;
            }
            has_turned = true;
            let tau = (bb - aa) / (2.0 * ab);
            let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            rotate(a, b, c, c * t);
            let (a, b) = two(right, p, q, n);
            rotate(a, b, c, c * t);
        }
    }
    has_turned
}

fn two(rows: &mut [f64], p: usize, q: usize, width: usize) -> (&mut [f64], &mut [f64]) {
    let (head, tail) = rows.split_at_mut(q * width);
    (&mut head[p * width..][..width], &mut tail[..width])
}

fn rotate(a: &mut [f64], b: &mut [f64], c: f64, s: f64) {
    for (x, y) in a.iter_mut().zip(b) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

/// Fills `left` `[m, rows]` up to `count` orthonormal rows: any will do where the value is zero.
fn complete(left: &mut Vec<f64>, rows: usize, count: usize) {
    let mut axis = 0;
    while left.len() < count * rows && axis < rows {
        let mut unit = vec![0.0; rows];
        unit[axis] = 1.0;
        let new = orthonormal(unit, left, rows, 1e-3);
        left.extend(new);
        axis += 1;
    }
    // An axis nearly within the others' span was passed over; what is left is spanned by sums of several.
    let mut shift = 1;
    while left.len() < count * rows && shift < 64 {
        let mut sum = vec![0.0; rows];
        sum.iter_mut().enumerate().for_each(|(at, x)| *x = ((at * shift) as f64).cos());
        let new = orthonormal(sum, left, rows, 1e-6);
        left.extend(new);
        shift += 1;
    }
}

#[cfg(test)]
mod tests;
