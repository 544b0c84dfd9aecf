use rand_mt::Mt;

use super::*;

fn random(count: usize, seed: u32) -> Vec<f64> {
    let mut random = Mt::new(seed);
    let number = |_| f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5;
    (0..count).map(number).collect()
}

/// Checks the decomposition of a matrix and that its vectors are orthonormal; returns the singular values.
fn check(rows: usize, columns: usize, numbers: &[f64]) -> Vec<f64> {
    let found = singular_vectors(rows, columns, numbers).expect("finite numbers");
    let n = rows.min(columns);
    assert_eq!(found.values.len(), n);
    assert!(found.values.is_sorted_by(|a, b| a >= b));
    let size = numbers.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
    for r in 0..rows {
        for c in 0..columns {
            let sum: f64 = (0..n)
                .map(|k| found.values[k] * found.left[k * rows + r] * found.right[k * columns + c])
                .sum();
            let off = (sum - numbers[r * columns + c]).abs();
            assert!(off < 1e-12 * size, "{rows} x {columns}: off by {off}");
        }
    }
    for (vectors, width) in [(&found.left, rows), (&found.right, columns)] {
        for i in 0..n {
            for j in 0..=i {
                let product: f64 =
                    (0..width).map(|x| vectors[i * width + x] * vectors[j * width + x]).sum();
                let off = (product - f64::from(u8::from(i == j))).abs();
                assert!(off < 1e-12, "vectors {i} and {j}: off by {off}");
            }
        }
    }
    let values = singular_values(rows, columns, numbers).expect("finite numbers");
    for (a, b) in values.iter().zip(&found.values) {
        assert!((a - b).abs() < 3e-8 * size);
    }
    found.values
}

#[test]
fn random_matrices_of_every_shape() {
    for (seed, (rows, columns)) in
        [(1, 1), (2, 2), (3, 3), (1, 5), (5, 1), (8, 8), (8, 16), (40, 40), (24, 16)]
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
            .map(|at| (0..rank).map(|k| a[at / n * rank + k] * b[k * n + at % n]).sum())
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
    assert!(check(9, 9, &identity).iter().all(|s| (s - 2.0).abs() < 1e-15));
    // A block of zeros within, as a banded matrix that has come to an end.
    let mut banded = vec![0.0; 64];
    for i in 0..8 {
        for j in i..(i + 3).min(8) {
            banded[i * 8 + j] = if i < 5 && j < 5 { 1.0 + i as f64 + 0.1 * j as f64 } else { 0.0 };
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

/// Far below the rounding of `A^T A`.
#[test]
fn small_singular_values_are_exact() {
    let n = 12;
    let (a, b) = (check_basis(n, 1), check_basis(n, 2));
    let values: Vec<f64> = (0..n).map(|k| 10.0_f64.powi(-(k as i32))).collect();
    let numbers: Vec<f64> = (0..n * n)
        .map(|at| (0..n).map(|k| values[k] * a[k * n + at / n] * b[k * n + at % n]).sum())
        .collect();
    for (found, expected) in check(n, n, &numbers).iter().zip(&values) {
        assert!((found - expected).abs() < 1e-14 + 1e-6 * expected, "{found} {expected}");
    }
}

fn check_basis(n: usize, seed: u32) -> Vec<f64> {
    orthonormal(random(n * n, seed), &[], n, 1e-9)
}
