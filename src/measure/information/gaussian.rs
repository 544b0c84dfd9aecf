//! Entropies of Gaussians from few rows: the analytic correction of Misra, Singh and Demchuk (2005)
//! by digammas, and one Cholesky factor for every leading group of dimensions.

use statrs::function::gamma::digamma;

/// Below this share of a dimension's variance left after all before it, it is a function of them.
const LEAST: f64 = 1e-3;

/// The variances of dimensions given all kept before them, in the order they were added.
pub struct Factor {
    rows: usize,
    /// `[d][rows]` centred data of the dimensions kept.
    data: Vec<Vec<f64>>,
    /// Rows of the Cholesky factor of their covariance.
    factor: Vec<Vec<f64>>,
    /// Entropy of the first 0, 1, 2, … dimensions, nats.
    entropy: Vec<f64>,
}

impl Factor {
    pub fn new(rows: usize) -> Self {
        Self { rows, data: Vec::new(), factor: Vec::new(), entropy: vec![0.0] }
    }

    /// Adds a dimension; `false`, and nothing is added, where it is constant or a linear function of
    /// those before it.
    pub fn push(&mut self, values: &[f64]) -> bool {
        assert_eq!(values.len(), self.rows, "one value a row");
        let n = self.rows as f64;
        let mean = values.iter().sum::<f64>() / n;
        let centred: Vec<f64> = values.iter().map(|x| x - mean).collect();
        let covariance = |other: &[f64]| {
            let products = centred.iter().zip(other).map(|(a, b)| a * b);
            products.sum::<f64>() / (n - 1.0)
        };
        let variance = covariance(&centred);
        let mut row = Vec::with_capacity(self.data.len() + 1);
        for (i, other) in self.data.iter().enumerate() {
            let before = &self.factor[i];
            let inner: f64 = row.iter().zip(before).map(|(a, b): (&f64, _)| a * b).sum();
            row.push((covariance(other) - inner) / before[i]);
        }
        let left = variance - row.iter().map(|x| x * x).sum::<f64>();
        if self.rows <= self.data.len() + 1 || variance <= 1e-12 || left <= LEAST * variance {
            return false;
        }
        row.push(left.sqrt());
        self.factor.push(row);
        self.data.push(centred);
        let last = self.entropy[self.entropy.len() - 1];
        self.entropy.push(last + 0.5 * left.ln() + self.step());
        true
    }

    /// Returns the entropy that the newest dimension adds besides its variance, nats: `ln(2 pi e) / 2` and the
    /// correction.
    fn step(&self) -> f64 {
        let (n, d) = (self.rows as f64, self.data.len() as f64);
        let constant = 0.5 * (1.0 + (2.0 * std::f64::consts::PI).ln());
        constant - 0.5 * ((2.0 / (n - 1.0)).ln() + digamma((n - d) / 2.0))
    }

    /// Returns the entropy of all dimensions so far, bits.
    pub fn bits(&self) -> f64 {
        self.entropy[self.entropy.len() - 1] / std::f64::consts::LN_2
    }

    /// Forgets what was added last.
    pub fn truncate(&mut self, dimensions: usize) {
        self.data.truncate(dimensions);
        self.factor.truncate(dimensions);
        self.entropy.truncate(dimensions + 1);
    }

    pub fn dimensions(&self) -> usize {
        self.data.len()
    }
}
