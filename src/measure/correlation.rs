//! Correlations with their significance (*Diversity of Transformer Layers*, section 5.2;
//! docs/definitions.md, section 6).

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A correlation coefficient of n pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    pub r: f64,
    /// Two-sided, by Student's t with n - 2 degrees of freedom.
    pub p: f64,
    pub n: usize,
}

/// Below this a correlation is called significant.
pub const SIGNIFICANT: f64 = 0.05;

impl Correlation {
    fn new(r: f64, n: usize) -> Option<Self> {
        let freedom = n.checked_sub(2).filter(|&freedom| freedom > 0)? as f64;
        let r = r.clamp(-1.0, 1.0);
        let t = r.abs() * (freedom / ((1.0 - r) * (1.0 + r))).sqrt();
        let p = if t.is_finite() {
            let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
            2.0 * student.cdf(-t)
        } else {
            0.0
        };
        Some(Self { r, p, n })
    }

    /// Is p below [`SIGNIFICANT`]?
    pub fn is_significant(&self) -> bool {
        self.p < SIGNIFICANT
    }
}

/// Pearson's; `None` for fewer than three pairs, or where one side is constant.
///
/// # Panics
/// If the two differ in length.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    assert_eq!(x.len(), y.len(), "pairs");
    let (x, y) = (centred(x)?, centred(y)?);
    let r = x.iter().zip(&y).map(|(a, b)| a * b).sum();
    Correlation::new(r, x.len())
}

/// Spearman's: Pearson's of the average ranks.
///
/// # Panics
/// If the two differ in length.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    pearson(&average_ranks(x), &average_ranks(y))
}

/// Less their mean, and of length 1 as a vector; `None` for constants.
fn centred(values: &[f64]) -> Option<Vec<f64>> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let mut centred: Vec<f64> = values.iter().map(|x| x - mean).collect();
    let largest = values.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    let length = centred.iter().map(|x| x * x).sum::<f64>().sqrt();
    // What is left of equal values is rounding.
    if length.is_nan() || length <= 1e-13 * largest * n.sqrt() {
        return None;
    }
    centred.iter_mut().for_each(|x| *x /= length);
    Some(centred)
}

/// Ranks from 1; equal values share the mean of their ranks.
pub fn average_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut smaller = 0.0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let size = group.len() as f64;
        for &i in group {
            ranks[i] = smaller + (size + 1.0) / 2.0;
        }
        smaller += size;
    }
    ranks
}

/// Less the mean, divided by the population's standard deviation; `None` for constants.
pub fn standardised(values: &[f64]) -> Option<Vec<f64>> {
    let length = (values.len() as f64).sqrt();
    Some(centred(values)?.into_iter().map(|x| x * length).collect())
}

/// The mean of coefficients through Fisher's z (Corey et al. 1998); `None` without any. A perfect
/// correlation counts as the largest below 1 that f64 holds.
pub fn fisher_mean(coefficients: &[f64]) -> Option<f64> {
    if coefficients.is_empty() {
        return None;
    }
    let edge = 1.0 - f64::EPSILON / 2.0;
    let z = |r: &f64| r.clamp(-edge, edge).atanh();
    let sum: f64 = coefficients.iter().map(z).sum();
    Some((sum / coefficients.len() as f64).tanh())
}

#[cfg(test)]
mod tests;
