//! One Jacobian in the leading vectors of another, and how far that is from a diagonal.

use serde::{Deserialize, Serialize};

use super::leading::Leading;
use atelier_kernels::linear::rows::{products, wide};

/// A number of each of the two metrics, which are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BothMetrics<T> {
    /// `||A - diag A||_F / ||A||_F`, the paper's text.
    pub off_diagonal: T,
    /// `|| |A| - diag(s) ||_F / ||s||`, the paper's released code.
    pub singular: T,
}

impl<T> BothMetrics<T> {
    /// Each metric's number as `change` makes it.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> BothMetrics<U> {
        BothMetrics { off_diagonal: change(self.off_diagonal), singular: change(self.singular) }
    }
}

/// Why a Jacobian has no mis-coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// The output's position does not see the input's: a later token, or one outside the window.
    Unseen,
    /// All of it is zero: the output does not depend on the input.
    Zero,
    /// As a basis: its Kth singular value is at most [`BOTTOM`] of the first, so that the Kth vectors
    /// are any vectors.
    Rank,
}

/// Share of the first singular value at which the Kth counts as zero.
pub const BOTTOM: f64 = 1e-6;

/// `A = U_j^T J_i V_j`, `[K, K]`: one Jacobian in the basis of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    k: usize,
    numbers: Vec<f64>,
}

impl Alignment {
    /// From `images`, the rows `J_i v` of the basis' first vectors, `[k, D]`.
    ///
    /// # Panics
    /// If the basis has fewer than `k` vectors, or there are not `k` images.
    pub fn of(basis: &Leading, images: &[f32], k: usize, width: usize) -> Self {
        let left = basis.left(k);
        assert_eq!(left.len(), k * width, "a basis of K");
        assert_eq!(images.len(), k * width, "an image of each");
        Self { k, numbers: products(left, &wide(images), width) }
    }

    /// In its own basis: its singular values.
    ///
    /// # Panics
    /// If fewer than `k` are known.
    pub fn with_itself(own: &Leading, k: usize) -> Self {
        let values = own.values(k);
        assert_eq!(values.len(), k, "K singular values");
        let mut numbers = vec![0.0; k * k];
        for (i, value) in values.into_iter().enumerate() {
            numbers[i * k + i] = value;
        }
        Self { k, numbers }
    }

    /// It in the first `k` vectors of its basis alone.
    #[must_use]
    pub fn first(&self, k: usize) -> Self {
        Self { k: k.min(self.k), numbers: self.corner(k).flatten().copied().collect() }
    }

    /// The upper left corner, `[k][k]`.
    pub fn corner(&self, k: usize) -> impl Iterator<Item = &[f64]> {
        let rows = self.numbers.chunks_exact(self.k.max(1));
        rows.take(k).map(move |row| &row[..k.min(row.len())])
    }

    /// Mis-coupling of the Jacobian whose singular values are `values`, by the first `k` of the basis.
    /// `None` where that is a division by zero.
    ///
    /// # Panics
    /// If there are fewer than `k` values.
    pub fn mis_coupling(&self, k: usize, values: &[f64]) -> BothMetrics<Option<f64>> {
        let (mut all, mut off, mut missed) = (0.0, 0.0, 0.0);
        for (i, row) in self.corner(k).enumerate() {
            for (j, x) in row.iter().enumerate() {
                all += x * x;
                let expected = if i == j { values[i] } else { 0.0 };
                missed += (x.abs() - expected).powi(2);
                if i != j {
                    off += x * x;
                }
            }
        }
        let size: f64 = values[..k].iter().map(|s| s * s).sum();
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| (part / whole).sqrt());
        BothMetrics { off_diagonal: ratio(off, all), singular: ratio(missed, size) }
    }
}

/// `[R][C]` of each metric.
pub type PairMap = Vec<Vec<Option<f64>>>;

/// 1 less the mean over the defined pairs of different things.
pub fn coupling(map: &PairMap) -> Option<f64> {
    let rows = map.iter().enumerate();
    let pairs = rows.flat_map(|(i, row)| {
        let others = row.iter().enumerate().filter(move |(j, _)| *j != i);
        others.filter_map(|(_, x)| *x)
    });
    let pairs: Vec<f64> = pairs.collect();
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    (!pairs.is_empty()).then_some(1.0 - mean)
}

/// Returns the mean mis-coupling of unrelated bases of K vectors. A measured mis-coupling is compared
/// with it. For `off_diagonal` it is exact if all entries of A have one size. For `singular` it is about
/// 1, because little of the Jacobian lies in an unrelated basis.
pub fn chance(k: usize) -> BothMetrics<f64> {
    BothMetrics { off_diagonal: (1.0 - 1.0 / k.max(1) as f64).sqrt(), singular: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atelier_kernels::linear::svd::SingularVectors;

    /// Values 2 and 1, along the axes.
    fn axes() -> Leading {
        let vectors = SingularVectors {
            values: vec![2.0, 1.0],
            left: vec![1.0, 0.0, 0.0, 1.0],
            right: vec![1.0, 0.0, 0.0, 1.0],
        };
        Leading::new(vectors, 2, true)
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_jacobian_in_its_own_basis() {
        let own = Alignment::with_itself(&axes(), 2).mis_coupling(2, &[2.0, 1.0]);
        assert_eq!((own.off_diagonal, own.singular), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn by_hand() {
        // J = [[3, 4], [0, 0]] has s = 5, 0; its columns are the images of the axes.
        let found = Alignment::of(&axes(), &[3.0, 0.0, 4.0, 0.0], 2, 2);
        assert_eq!(found.corner(2).flatten().copied().collect::<Vec<_>>(), [3.0, 4.0, 0.0, 0.0]);
        let both = found.mis_coupling(2, &[5.0, 0.0]);
        near(both.off_diagonal, 4.0 / 5.0);
        near(both.singular, 20.0_f64.sqrt() / 5.0);
        // The sign of a pair of vectors is nobody's.
        let turned = Alignment::of(&axes(), &[-3.0, 0.0, -4.0, 0.0], 2, 2);
        assert_eq!(turned.mis_coupling(2, &[5.0, 0.0]), both);
        // A smaller K is the corner.
        let one = found.mis_coupling(1, &[5.0, 0.0]);
        near(one.off_diagonal, 0.0);
        near(one.singular, 2.0 / 5.0);
    }

    #[test]
    fn nothing_in_common_and_nothing_at_all() {
        let none = Alignment::of(&axes(), &[0.0; 4], 2, 2);
        let both = none.mis_coupling(2, &[5.0, 0.0]);
        assert_eq!((both.off_diagonal, both.singular), (None, Some(1.0)));
        assert_eq!(none.mis_coupling(2, &[0.0, 0.0]), BothMetrics::default());
    }

    #[test]
    fn the_mean_leaves_out_the_diagonal_and_what_is_undefined() {
        let map =
            vec![vec![Some(0.0), Some(0.5), None], vec![Some(0.7), Some(0.0), None], vec![None; 3]];
        near(coupling(&map), 0.4);
        assert_eq!(coupling(&vec![vec![Some(0.0)]]), None);
    }

    #[test]
    fn the_definitions_own_numbers() {
        for (k, expected) in [(4, 0.866), (8, 0.935), (16, 0.968)] {
            assert!((chance(k).off_diagonal - expected).abs() < 5e-4);
        }
    }
}
