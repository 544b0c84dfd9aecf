//! The leading singular values and vectors of a Jacobian, from any method.

use super::BOTTOM;
use atelier_kernels::linear::svd::SingularVectors;

/// The leading singular values of a Jacobian and their vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Leading {
    /// D
    width: usize,
    vectors: SingularVectors,
    /// No singular value but these is above zero.
    is_complete: bool,
}

impl Leading {
    /// `[n]` values, the largest first, and the first of their vectors, `[m, D]` each. Every pair of vectors
    /// is turned so that the first of the largest entries on the left is positive.
    pub fn new(mut vectors: SingularVectors, width: usize, is_complete: bool) -> Self {
        let left = vectors.left.chunks_exact_mut(width.max(1));
        for (left, right) in left.zip(vectors.right.chunks_exact_mut(width.max(1))) {
            let far = |far: f64, &x: &f64| if x.abs() > far.abs() { x } else { far };
            if left.iter().fold(0.0, far) < 0.0 {
                left.iter_mut().chain(right).for_each(|x| *x = -*x);
            }
        }
        Self { width, vectors, is_complete }
    }

    /// Returns singular value `k`, counted from 0 for the largest; `None` if it is not known. A complete list
    /// continues with zeros up to D.
    pub fn value(&self, k: usize) -> Option<f64> {
        let rest = (self.is_complete && k < self.width).then_some(0.0);
        self.vectors.values.get(k).copied().or(rest)
    }

    /// How many values are as good as their vectors: the one behind the last vector is a bound from below.
    pub fn converged(&self) -> usize {
        if self.is_complete { self.width } else { self.vectors.right.len() / self.width.max(1) }
    }

    /// The first, up to `count`.
    pub fn values(&self, count: usize) -> Vec<f64> {
        (0..count).map_while(|k| self.value(k)).collect()
    }

    /// `[n, D]` the first at the output, at most `count`.
    pub fn left(&self, count: usize) -> &[f64] {
        first(&self.vectors.left, count * self.width)
    }

    /// `[n, D]` the first at the input, at most `count`.
    pub fn right(&self, count: usize) -> &[f64] {
        first(&self.vectors.right, count * self.width)
    }

    /// Whether the Jacobian is zero.
    pub fn is_zero(&self) -> bool {
        self.value(0).is_none_or(|first| first == 0.0)
    }

    /// Whether the first `k` vectors are a basis: the last one's singular value is above zero.
    pub fn is_basis(&self, k: usize) -> bool {
        let (Some(first), Some(last)) = (self.value(0), self.value(k.saturating_sub(1))) else {
            return false;
        };
        // The rounding of products in f32, if it is more than `BOTTOM`.
        let rounding = f64::from(f32::EPSILON) * (self.width as f64).sqrt();
        last > BOTTOM.max(rounding) * first && self.vectors.values.len() >= k
    }

    /// The least of `(s_k - s_(k+1)) / s_k` for `k <= top`; `None` where one is unknown or an `s_k` zero.
    pub fn gap(&self, top: usize) -> Option<f64> {
        let mut least = f64::INFINITY;
        for k in 0..top {
            let (this, next) = (self.value(k)?, self.next(k)?);
            if this <= 0.0 {
                return None;
            }
            least = least.min((this - next) / this);
        }
        least.is_finite().then_some(least)
    }

    /// The value behind the `k`th: 0 behind the last of all D.
    fn next(&self, k: usize) -> Option<f64> {
        if k + 1 == self.width { Some(0.0) } else { self.value(k + 1) }
    }
}

fn first(rows: &[f64], count: usize) -> &[f64] {
    &rows[..count.min(rows.len())]
}
