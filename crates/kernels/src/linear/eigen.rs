//! Eigenvectors of small symmetric matrices.

/// Eigenvalues of a small symmetric matrix, largest first, and their vectors `[B][B]`, by cyclic
/// Jacobi rotations, whose off-diagonal vanishes quadratically: a few sweeps reach rounding.
pub(super) fn eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _sweep in 0..50 {
        let off: f64 = (0..n).map(|i| a[i][..i].iter().map(|x| x * x).sum::<f64>()).sum();
        let all: f64 = a.iter().flatten().map(|x| x * x).sum();
        if off <= all * 1e-32 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    (order.iter().map(|&i| a[i][i]).collect(), order.iter().map(|&i| vectors[i].clone()).collect())
}

/// The rotation that makes `a[p][q]` 0 (Golub & Van Loan, 8.5). Rows of `vectors` are the vectors.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..vectors.len() {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        let (x, y) = (vectors[p][k], vectors[q][k]);
        (vectors[p][k], vectors[q][k]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let (values, vectors) = eigen(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        assert!((values[0] - 3.0).abs() < 1e-15 && (values[1] - 1.0).abs() < 1e-15);
        assert!((vectors[0][0] - vectors[0][1]).abs() < 1e-15);
        assert!((vectors[1][0] + vectors[1][1]).abs() < 1e-15);
    }

    #[test]
    fn every_vector_is_only_scaled() {
        let n = 9;
        let entry = |i: usize, j: usize| ((i * j) as f64).sin() + f64::from(u8::from(i == j));
        let matrix: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let (values, vectors) = eigen(matrix.clone());
        assert!(values.is_sorted_by(|a, b| a >= b));
        for (value, vector) in values.iter().zip(&vectors) {
            for (row, x) in matrix.iter().zip(vector) {
                let image: f64 = row.iter().zip(vector).map(|(a, v)| a * v).sum();
                assert!((image - value * x).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn diagonal_and_empty_matrices() {
        let (values, _) = eigen(vec![vec![1.0, 0.0], vec![0.0, 5.0]]);
        assert_eq!(values, [5.0, 1.0]);
        assert!(eigen(Vec::new()).0.is_empty());
    }
}
