//! Singular values and vectors of small dense matrices, by nalgebra.

use nalgebra::DMatrix;

/// `A = sum_k s_k left_k right_k^T`, the largest first.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularVectors {
    /// `[n]`
    pub values: Vec<f64>,
    /// `[n, rows of A]`
    pub left: Vec<f64>,
    /// `[n, columns of A]`
    pub right: Vec<f64>,
}

/// Of the QR steps, a row of the matrix: two or three do.
const STEPS: usize = 100;

/// All of a matrix `[rows, columns]`, row after row; `None` where numbers are not finite.
///
/// # Panics
/// If there are not `rows * columns` numbers.
pub fn singular_vectors(rows: usize, columns: usize, numbers: &[f64]) -> Option<SingularVectors> {
    if numbers.is_empty() {
        return Some(SingularVectors {
            values: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        });
    }
    let matrix = matrix(rows, columns, numbers)?;
    let steps = STEPS * rows.max(columns);
    let found = matrix.try_svd(true, true, f64::EPSILON, steps)?;
    let (u, v) = (found.u?, found.v_t?);
    Some(SingularVectors {
        values: found.singular_values.iter().copied().collect(),
        // Column after column, as it is stored.
        left: u.iter().copied().collect(),
        right: v.transpose().iter().copied().collect(),
    })
}

/// The values alone, the largest first.
///
/// # Panics
/// As [`singular_vectors`].
pub fn singular_values(rows: usize, columns: usize, numbers: &[f64]) -> Option<Vec<f64>> {
    if numbers.is_empty() {
        return Some(Vec::new());
    }
    let matrix = matrix(rows, columns, numbers)?;
    let steps = STEPS * rows.max(columns);
    let found = matrix.try_svd(false, false, f64::EPSILON, steps)?;
    Some(found.singular_values.iter().copied().collect())
}

fn matrix(rows: usize, columns: usize, numbers: &[f64]) -> Option<DMatrix<f64>> {
    assert_eq!(numbers.len(), rows * columns, "a matrix");
    // Rotations of what is not finite never end.
    let is_finite = numbers.iter().all(|x| x.is_finite());
    is_finite.then(|| DMatrix::from_row_slice(rows, columns, numbers))
}

#[cfg(test)]
mod tests {
    use rand_mt::Mt;

    use super::*;

    fn random(count: usize, seed: u32) -> Vec<f64> {
        let mut random = Mt::new(seed);
        let number = |_| f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5;
        (0..count).map(number).collect()
    }

    /// Is it a decomposition of the matrix, with orthonormal vectors?
    fn check(rows: usize, columns: usize, numbers: &[f64]) -> Vec<f64> {
        let found = singular_vectors(rows, columns, numbers).expect("finite numbers");
        let n = rows.min(columns);
        assert_eq!(found.values.len(), n);
        assert!(found.values.is_sorted_by(|a, b| a >= b));
        let size = numbers
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
            .sqrt()
            .max(1e-300);
        for r in 0..rows {
            for c in 0..columns {
                let sum: f64 = (0..n)
                    .map(|k| {
                        found.values[k] * found.left[k * rows + r] * found.right[k * columns + c]
                    })
                    .sum();
                let off = (sum - numbers[r * columns + c]).abs();
                assert!(off < 1e-12 * size, "{rows} x {columns}: off by {off}");
            }
        }
        for (vectors, width) in [(&found.left, rows), (&found.right, columns)] {
            for i in 0..n {
                for j in 0..=i {
                    let product: f64 = (0..width)
                        .map(|x| vectors[i * width + x] * vectors[j * width + x])
                        .sum();
                    let off = (product - f64::from(u8::from(i == j))).abs();
                    assert!(off < 1e-12, "vectors {i} and {j}: off by {off}");
                }
            }
        }
        let values = singular_values(rows, columns, numbers).expect("finite numbers");
        for (a, b) in values.iter().zip(&found.values) {
            assert!((a - b).abs() < 1e-12 * size);
        }
        found.values
    }

    #[test]
    fn random_matrices_of_every_shape() {
        for (seed, (rows, columns)) in [
            (1, 1),
            (2, 2),
            (3, 3),
            (1, 5),
            (5, 1),
            (8, 8),
            (8, 16),
            (40, 40),
            (24, 16),
        ]
        .into_iter()
        .enumerate()
        {
            check(rows, columns, &random(rows * columns, seed as u32));
        }
    }

    /// Products of thin matrices, some of equal rows: what a damaged shift or a split on the way shows in.
    #[test]
    fn ranks_short_of_the_size() {
        for seed in 0..40 {
            let (n, rank) = (6 + seed as usize % 12, 1 + seed as usize % 5);
            let (a, b) = (random(n * rank, seed), random(rank * n, 1000 + seed));
            let numbers: Vec<f64> = (0..n * n)
                .map(|at| {
                    (0..rank)
                        .map(|k| a[at / n * rank + k] * b[k * n + at % n])
                        .sum()
                })
                .collect();
            let values = check(n, n, &numbers);
            assert!(values[rank.min(n - 1)] < 1e-14 * values[0] || rank == n);
        }
    }

    #[test]
    fn zeros_ones_and_equal_values() {
        assert_eq!(check(4, 4, &[0.0; 16]), [0.0; 4]);
        check(5, 5, &[1.0; 25]);
        let mut identity = vec![0.0; 81];
        (0..9).for_each(|i| identity[i * 9 + i] = 2.0);
        assert!(
            check(9, 9, &identity)
                .iter()
                .all(|s| (s - 2.0).abs() < 1e-15)
        );
        // A block of zeros within, as a banded matrix that has come to an end.
        let mut banded = vec![0.0; 64];
        for i in 0..8 {
            for j in i..(i + 3).min(8) {
                banded[i * 8 + j] = if i < 5 && j < 5 {
                    1.0 + i as f64 + 0.1 * j as f64
                } else {
                    0.0
                };
            }
        }
        check(8, 8, &banded);
        assert!(singular_vectors(0, 3, &[]).is_some());
    }

    #[test]
    fn what_is_not_finite_has_none() {
        assert_eq!(singular_vectors(2, 2, &[1.0, f64::NAN, 0.0, 1.0]), None);
        assert_eq!(singular_values(2, 2, &[1.0, f64::INFINITY, 0.0, 1.0]), None);
    }
}
