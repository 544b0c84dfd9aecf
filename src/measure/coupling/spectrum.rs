//! The singular values of a Jacobian, and measures that need no vectors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::leading::Leading;
use atelier_kernels::linear::svd::SingularVectors;

/// The singular values of one step's Jacobian.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The first 16, or as many as are known, largest first.
    pub singular_values: Vec<f64>,
    /// `- sum p ln p` of all D, `p = s / sum s`, nats. This and the next three are `None` where only the
    /// leading singular values were computed; and the first three for a Jacobian of zeros.
    pub entropy: Option<f64>,
    /// `e^entropy`
    pub effective_rank: Option<f64>,
    /// `sum s^2 / s_1^2`
    pub stable_rank: Option<f64>,
    /// `sqrt(sum s^2)`
    pub frobenius: Option<f64>,
    /// For every K: the least of `(s_k - s_(k+1)) / s_k` for `k <= K`. Under [`ILL_POSED`] two of the
    /// first K vectors can be turned into one another at next to no cost, and so the coupling is
    /// not a property of the model. `None` where some `s_k` is zero.
    pub gap: BTreeMap<usize, Option<f64>>,
}

/// See [`Spectrum::gap`].
pub const ILL_POSED: f64 = 1e-3;

/// Singular values that a report carries.
pub const SHOWN: usize = 16;

impl Spectrum {
    /// Computes the spectrum from all D singular values, the largest first.
    pub fn of_all(values: &[f64], top: &[usize]) -> Self {
        let squares: f64 = values.iter().map(|s| s * s).sum();
        let mut spectrum = Self { frobenius: Some(squares.sqrt()), ..Self::default() };
        let sum: f64 = values.iter().sum();
        if let Some(first) = values.first().filter(|&&first| first > 0.0) {
            let shares = values.iter().map(|s| s / sum).filter(|&p| p > 0.0);
            let entropy: f64 = shares.map(|p| -p * p.ln()).sum();
            spectrum.entropy = Some(entropy);
            spectrum.effective_rank = Some(entropy.exp());
            spectrum.stable_rank = Some(squares / (first * first));
        }
        let vectors =
            SingularVectors { values: values.to_vec(), left: Vec::new(), right: Vec::new() };
        spectrum.with_first(&Leading::new(vectors, values.len(), true), top)
    }

    /// Computes the spectrum from the leading singular values alone.
    pub fn of_leading(leading: &Leading, top: &[usize]) -> Self {
        Self::default().with_first(leading, top)
    }

    fn with_first(mut self, leading: &Leading, top: &[usize]) -> Self {
        self.singular_values = leading.values(SHOWN.min(leading.converged()));
        self.gap = top.iter().map(|&k| (k, leading.gap(k))).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let spectrum = Spectrum::of_all(&[2.0, 1.0, 1.0, 0.0], &[1, 2, 4]);
        assert_eq!(spectrum.frobenius, Some(6.0_f64.sqrt()));
        assert_eq!(spectrum.stable_rank, Some(1.5));
        let entropy = 0.5 * 2.0_f64.ln() + 0.5 * 4.0_f64.ln();
        assert!((spectrum.entropy.expect("an entropy") - entropy).abs() < 1e-15);
        assert_eq!(spectrum.gap[&1], Some(0.5));
        assert_eq!(spectrum.gap[&2], Some(0.0));
        assert_eq!(spectrum.gap[&4], None);
        // Behind the last of all there is nothing.
        assert_eq!(Spectrum::of_all(&[2.0, 1.0], &[2]).gap[&2], Some(0.5));
    }

    #[test]
    fn zeros() {
        let spectrum = Spectrum::of_all(&[0.0; 3], &[2]);
        assert_eq!(spectrum.frobenius, Some(0.0));
        assert_eq!((spectrum.entropy, spectrum.stable_rank), (None, None));
        assert_eq!(spectrum.gap[&2], None);
    }
}
