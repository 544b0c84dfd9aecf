//! Bias against diversity (*Diversity of Transformer Layers*, Theorem 3; Brown et al. 2005): why a
//! change that adds diversity may add as much bias. docs/definitions.md, section 4.
//!
//! The paper prints one Ω in both lines, around the target's mean; its terms stand here beside the form that adds up,
//! with what they miss. For a target that is the same for every option both printed terms are too large by b², and
//! their difference, the MSE, is right; any other target also needs `var_k(t) - 2 mean_i cov_k(u_i, t)`.

use serde::{Deserialize, Serialize};

use super::decomposition::average;

/// The terms for one row's points `u_i` `[M][K]` and target t `[K]`, or their means over rows: every
/// equation below is linear in the terms but for `bias_bar`, whose square is kept for that reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tradeoff {
    /// `b = mean_i m_i - mean_k t_k`, where `m_i = mean_k u_ik`.
    pub bias_bar: f64,
    /// `b²`
    pub bias_bar_squared: f64,
    /// `v̄ = mean_i var_k(u_i)`
    pub var_bar: f64,
    /// `c̄ = mean over pairs i != j of cov_k(u_i, u_j)`; 0 for a single member.
    pub cov_bar: f64,
    /// `Ω = v̄ + mean_i (m_i - mean_j m_j)²`: spread around the ensemble's mean.
    pub omega: f64,
    /// `var_k(t)`
    pub target_variance: f64,
    /// `mean_i cov_k(u_i, t)`
    pub target_covariance: f64,
    /// `b² + Ω + var_k(t) - 2 mean_i cov_k(u_i, t)`: exactly the bias of the logit column.
    pub bias: f64,
    /// `Ω - [v̄ / M + (1 - 1/M) c̄]`: exactly its diversity.
    pub diversity: f64,
    /// `bias - diversity`
    pub mse: f64,
    /// `v̄ + mean_i (m_i - mean_k t_k)² = Ω + b²`: Ω as the paper prints it (Eq. 11).
    pub paper_omega: f64,
    /// `paper_omega - [v̄ / M + (1 - 1/M) c̄]`: the diversity as the paper prints it.
    pub paper_diversity: f64,
}

impl Tradeoff {
    /// # Panics
    /// If there is no point, or one of another length than the target.
    pub fn of(points: &[Vec<f64>], target: &[f64]) -> Self {
        assert!(!points.is_empty(), "at least one member");
        let members = points.len() as f64;
        let means: Vec<f64> = points.iter().map(|point| average(point)).collect();
        let ensemble = average(&means);
        let target_mean = average(target);
        let spread = |around: f64| {
            let squares: Vec<f64> = means.iter().map(|m| (m - around).powi(2)).collect();
            average(&squares)
        };
        let variances: Vec<f64> = points.iter().map(|u| covariance(u, u)).collect();
        let var_bar = average(&variances);
        let targets: Vec<f64> = points.iter().map(|u| covariance(u, target)).collect();
        let target_covariance = average(&targets);
        let target_variance = covariance(target, target);
        // var_k(sum_i u_i) holds every pair: no need to visit them.
        let sum: Vec<f64> = (0..target.len()).map(|k| points.iter().map(|u| u[k]).sum()).collect();
        let pairs = members * (members - 1.0);
        let cov_bar = if points.len() > 1 {
            (covariance(&sum, &sum) - members * var_bar) / pairs
        } else {
            0.0
        };
        let shared = var_bar / members + (1.0 - 1.0 / members) * cov_bar;
        let omega = var_bar + spread(ensemble);
        let paper_omega = var_bar + spread(target_mean);
        let bias_bar = ensemble - target_mean;
        let bias_bar_squared = bias_bar * bias_bar;
        let bias = bias_bar_squared + omega + target_variance - 2.0 * target_covariance;
        let diversity = omega - shared;
        Self {
            bias_bar,
            bias_bar_squared,
            var_bar,
            cov_bar,
            omega,
            target_variance,
            target_covariance,
            bias,
            diversity,
            mse: bias - diversity,
            paper_omega,
            paper_diversity: paper_omega - shared,
        }
    }

    /// `b² + paper_omega`: the bias as the paper prints it.
    pub fn paper_bias(&self) -> f64 {
        self.bias_bar_squared + self.paper_omega
    }

    /// The bias less the printed one: `var_k(t) - 2 mean_i cov_k(u_i, t) - b²`.
    pub fn bias_residue(&self) -> f64 {
        self.bias - self.paper_bias()
    }

    /// The diversity less the printed one: `-b²`.
    pub fn diversity_residue(&self) -> f64 {
        self.diversity - self.paper_diversity
    }

    /// The MSE less the difference of the printed terms: `var_k(t) - 2 mean_i cov_k(u_i, t)`, 0 for a target that is
    /// the same for every option.
    pub fn mse_residue(&self) -> f64 {
        self.bias_residue() - self.diversity_residue()
    }

    /// `Ω - v̄ = var_i(m_i)`: the diversity of the members' offsets, which Ω holds and no probability sees.
    pub fn offset_diversity(&self) -> f64 {
        self.omega - self.var_bar
    }

    /// Returns the terms against a target that lies `share` of the way from its mean (0: the same for
    /// every option) to itself (1): `t - mean t` times `share`. The mean stays, and so does all that
    /// only hangs on it.
    #[must_use]
    pub fn towards_constant(mut self, share: f64) -> Self {
        self.target_variance *= share * share;
        self.target_covariance *= share;
        self.bias = self.bias_bar_squared + self.omega + self.target_variance
            - 2.0 * self.target_covariance;
        self.mse = self.bias - self.diversity;
        self
    }

    /// Adds another row's terms, to be divided by the rows in the end.
    pub fn add(&mut self, other: &Self) {
        for (mine, its) in self.terms().into_iter().zip(other.values()) {
            *mine += its;
        }
    }

    /// Every term times `factor`.
    pub fn scale(&mut self, factor: f64) {
        for term in self.terms() {
            *term *= factor;
        }
    }

    fn terms(&mut self) -> [&mut f64; 12] {
        [
            &mut self.bias_bar,
            &mut self.bias_bar_squared,
            &mut self.var_bar,
            &mut self.cov_bar,
            &mut self.omega,
            &mut self.target_variance,
            &mut self.target_covariance,
            &mut self.bias,
            &mut self.diversity,
            &mut self.mse,
            &mut self.paper_omega,
            &mut self.paper_diversity,
        ]
    }

    fn values(mut self) -> [f64; 12] {
        self.terms().map(|term| *term)
    }
}

/// Over the K options, divided by K.
fn covariance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "points of one length");
    let (mean_a, mean_b) = (average(a), average(b));
    let products = a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b));
    products.sum::<f64>() / a.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Member, MemberKind};
    use crate::measure::decomposition::decompose;

    #[test]
    fn the_terms_add_to_the_decompositions_bias_and_diversity() {
        let points: Vec<Vec<f32>> = vec![
            vec![0.5, -1.25, 2.0],
            vec![1.0, 0.25, -0.75],
            vec![-2.0, 0.5, 0.5],
            vec![0.0, 3.0, 1.0],
        ];
        let wide: Vec<Vec<f64>> =
            points.iter().map(|p| p.iter().map(|&x| f64::from(x)).collect()).collect();
        let members =
            [MemberKind::Embedding, MemberKind::Attention, MemberKind::Mlp, MemberKind::Mlp]
                .map(|kind| Member { kind, block: None });
        for answer in 0..3 {
            let mut target = vec![0.0; 3];
            target[answer] = 1.0;
            let found = Tradeoff::of(&wide, &target);
            let parts = decompose(&members, &points, &[0.0; 3], answer);
            let (known, offset) = (parts.logit.total, parts.offset.column.total);
            assert!((found.offset_diversity() - offset.diversity).abs() < 1e-12);
            assert!((found.bias_bar_squared - offset.mse).abs() < 1e-12);
            assert!((found.bias - known.bias).abs() < 1e-12);
            assert!((found.diversity - known.diversity).abs() < 1e-12);
            assert!((found.mse - known.mse).abs() < 1e-12);
            let b2 = found.bias_bar_squared;
            assert!(b2 > 1e-3, "the printed terms are off");
            assert!((found.paper_omega - found.omega - b2).abs() < 1e-12);
            assert!((found.diversity_residue() + b2).abs() < 1e-12);
            let missing = found.target_variance - 2.0 * found.target_covariance;
            assert!((found.bias_residue() - (missing - b2)).abs() < 1e-12);
            assert!((found.mse_residue() - missing).abs() < 1e-12);
        }
    }

    #[test]
    fn means_over_rows_keep_the_equations() {
        let rows = [[[0.0, 1.0], [2.0, -3.0]], [[4.0, 1.5], [0.5, 0.25]]];
        let mut sum = Tradeoff::default();
        for row in rows {
            let points: Vec<Vec<f64>> = row.iter().map(|p| p.to_vec()).collect();
            sum.add(&Tradeoff::of(&points, &[0.0, 1.0]));
        }
        sum.scale(0.5);
        let bias =
            sum.bias_bar_squared + sum.omega + sum.target_variance - 2.0 * sum.target_covariance;
        assert!((sum.bias - bias).abs() < 1e-12);
        assert!((sum.mse - (sum.bias - sum.diversity)).abs() < 1e-12);
    }

    #[test]
    fn a_target_that_is_nearly_constant_is_one() {
        let points = [vec![0.5, -1.25, 2.0], vec![1.0, 0.25, -0.75]];
        let found = Tradeoff::of(&points, &[0.0, 1.0, 0.0]).towards_constant(0.25);
        let third = 1.0 / 3.0;
        let target = [0.75 * third, 0.25 + 0.75 * third, 0.75 * third];
        let known = Tradeoff::of(&points, &target);
        assert!((found.bias - known.bias).abs() < 1e-12 && (found.mse - known.mse).abs() < 1e-12);
    }

    /// docs/definitions.md, section 4: with a constant target the printed Ω alone is the bias, both printed terms are too large by
    /// b², and their difference, the MSE, is right.
    #[test]
    fn the_printed_terms_of_a_constant_target_are_too_large_by_the_same() {
        let points = [vec![0.5, -1.25, 2.0], vec![1.0, 0.25, -0.75], vec![3.0, 2.0, 0.5]];
        for found in [
            Tradeoff::of(&points, &[1.0 / 3.0; 3]),
            Tradeoff::of(&points, &[0.0, 1.0, 0.0]).towards_constant(0.0),
        ] {
            let b2 = found.bias_bar_squared;
            assert!(b2 > 0.1);
            assert!((found.paper_omega - found.bias).abs() < 1e-12);
            assert!((found.paper_bias() - found.bias - b2).abs() < 1e-12);
            assert!((found.paper_diversity - found.diversity - b2).abs() < 1e-12);
            assert!((found.paper_bias() - found.paper_diversity - found.mse).abs() < 1e-12);
        }
    }

    #[test]
    fn one_member_has_no_pairs() {
        let alone = Tradeoff::of(&[vec![1.0, 3.0]], &[0.0, 1.0]);
        assert_eq!((alone.cov_bar, alone.diversity), (0.0, 0.0));
    }
}
