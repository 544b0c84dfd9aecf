//! Vectors as the rows of one list, and bases of them.

/// Dot product of two vectors. Eight sums side by side, so that none waits for the one before.
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (heads, tails) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = heads.remainder().iter().zip(tails.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in heads.zip(tails) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Euclidean.
pub fn length(a: &[f64]) -> f64 {
    product(a, a).sqrt()
}

/// `to += factor * of`
pub fn add(to: &mut [f64], factor: f64, of: &[f64]) {
    for (to, x) in to.iter_mut().zip(of) {
        *to += factor * x;
    }
}

/// Takes out of every row of `block` `[n, width]` what lies along the orthonormal rows of `basis`, twice,
/// so that rounding of the first time is taken out too.
pub fn without(block: &mut [f64], basis: &[f64], width: usize) {
    for row in block.chunks_exact_mut(width) {
        for _ in 0..2 {
            for direction in basis.chunks_exact(width) {
                let along = product(row, direction);
                add(row, -along, direction);
            }
        }
    }
}

/// An orthonormal basis `[m, width]` of what the rows of `block` `[n, width]` span beside the orthonormal
/// rows of `basis`; m < n where what is left of a row beside the others is no longer than `least`.
pub fn orthonormal(mut block: Vec<f64>, basis: &[f64], width: usize, least: f64) -> Vec<f64> {
    without(&mut block, basis, width);
    let mut kept: Vec<f64> = Vec::with_capacity(block.len());
    for row in block.chunks_exact_mut(width) {
        without(row, &kept, width);
        let left = length(row);
        if left > least {
            row.iter_mut().for_each(|x| *x /= left);
            // A row of which little is left is mostly rounding along the others: once more.
            without(row, basis, width);
            without(row, &kept, width);
            let left = length(row);
            if left < 0.5 {
                continue;
            }
            row.iter_mut().for_each(|x| *x /= left);
            kept.extend_from_slice(row);
        }
    }
    kept
}

/// `A B^T`: `[n, m]` of rows `a` `[n, width]` and `b` `[m, width]`.
pub fn products(a: &[f64], b: &[f64], width: usize) -> Vec<f64> {
    let rows = a.chunks_exact(width);
    rows.flat_map(|a| b.chunks_exact(width).map(move |b| product(a, b))).collect()
}

/// Combinations of the rows of `block` `[n, width]`: one for each row of `weights` `[m, n]`.
pub fn combined(weights: &[f64], block: &[f64], width: usize) -> Vec<f64> {
    let n = block.len() / width.max(1);
    let mut sums = Vec::with_capacity(weights.len() / n.max(1) * width);
    for weights in weights.chunks_exact(n.max(1)) {
        let mut sum = vec![0.0; width];
        for (&weight, row) in weights.iter().zip(block.chunks_exact(width)) {
            add(&mut sum, weight, row);
        }
        sums.extend(sum);
    }
    sums
}

/// Every number in f64.
pub fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

/// Every number rounded to f32.
pub fn narrow(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|&x| x as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_depend_on_others_are_dropped() {
        let block = vec![
            1.0, 1.0, 0.0, 0.0, // with the basis taken out, the second axis
            0.0, 2.0, 0.0, 0.0, // the same
            0.0, 1.0, 1.0, 0.0, // the third
        ];
        let basis = [1.0, 0.0, 0.0, 0.0];
        let found = orthonormal(block, &basis, 4, 1e-12);
        assert_eq!(found, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert!(orthonormal(vec![0.0; 8], &basis, 4, 1e-12).is_empty());
    }

    #[test]
    fn products_and_combinations_by_hand() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(products(&a, &b, 2), [1.0, 2.0, 3.0, 3.0, 4.0, 7.0]);
        assert_eq!(combined(&[2.0, -1.0], &a, 2), [-1.0, 0.0]);
        let long: Vec<f64> = (0..19).map(f64::from).collect();
        assert_eq!(product(&long, &long), 2109.0);
    }

    /// Vectors that are nearly the same give a basis as orthonormal as any.
    #[test]
    fn nearly_equal_rows_stay_orthonormal() {
        let width = 16;
        let block: Vec<f64> =
            (0..4 * width).map(|at| 1.0 + 1e-9 * (((at * at) % 31) as f64)).collect();
        let found = orthonormal(block, &[], width, 1e-13);
        assert_eq!(found.len(), 4 * width);
        for (i, a) in found.chunks(width).enumerate() {
            for (j, b) in found.chunks(width).enumerate() {
                let off = (product(a, b) - f64::from(u8::from(i == j))).abs();
                assert!(off < 1e-14, "{i} {j} {off}");
            }
        }
    }
}
