//! Correlations with their significance (*Diversity of Transformer Layers*, section 5.2;
//! docs/definitions.md, section 6).

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::interval::{Mean, Z, t_975};

/// A correlation coefficient of n pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    pub r: f64,
    /// Two-sided. Up to [`EXACT`] pairs the share of all orders of y whose |r| is as large; beyond by Student's
    /// t with n - 2 degrees of freedom.
    pub p: f64,
    pub n: usize,
}

/// Below this a correlation is called significant.
pub const SIGNIFICANT: f64 = 0.05;

/// Up to so many pairs p counts all orders: 40,320 of eight.
pub const EXACT: usize = 8;

/// Below so many points nothing is said of how they depend on each other, or stand beside others.
pub const FEWEST: usize = 5;

impl Correlation {
    /// Whether p is below [`SIGNIFICANT`].
    pub fn is_significant(&self) -> bool {
        self.p < SIGNIFICANT
    }
}

/// Pearson's; `None` for fewer than three pairs, or where one side is constant.
///
/// # Panics
/// If the two differ in length.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    correlation(x, y, 0.0)
}

/// Spearman's: Pearson's of the average ranks. Beyond [`EXACT`] pairs half of the step between two
/// coefficients is taken off |r| before p is read from Student's t.
///
/// # Panics
/// If the two differ in length.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let n = x.len() as f64;
    correlation(&average_ranks(x), &average_ranks(y), 6.0 / (n.powi(3) - n))
}

fn correlation(x: &[f64], y: &[f64], half_step: f64) -> Option<Correlation> {
    assert_eq!(x.len(), y.len(), "pairs");
    let n = x.len();
    if n < 3 {
        return None;
    }
    let (x, y) = (centred(x)?, centred(y)?);
    let r = product(&x, &y).clamp(-1.0, 1.0);
    let p = if n <= EXACT {
        share_of_orders(&x, &y, r)
    } else {
        let orders: f64 = (1..=n).map(|i| i as f64).product();
        students_p((r.abs() - half_step).max(0.0), n as f64 - 2.0).max(2.0 / orders)
    };
    Some(Correlation { r, p, n })
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// The share of all orders of `y` whose |r| is at least that found.
fn share_of_orders(x: &[f64], y: &[f64], found: f64) -> f64 {
    let mut y = y.to_vec();
    let (mut as_large, mut orders) = (0, 0);
    let mut count = |y: &[f64]| {
        as_large += usize::from(product(x, y).abs() >= found.abs() - 1e-12);
        orders += 1;
    };
    // Heap's algorithm: every next order by one exchange.
    let mut exchanges = vec![0; y.len()];
    count(&y);
    let mut i = 1;
    while i < y.len() {
        if exchanges[i] < i {
            y.swap(if i % 2 == 0 { 0 } else { exchanges[i] }, i);
            count(&y);
            exchanges[i] += 1;
            i = 1;
        } else {
            exchanges[i] = 0;
            i += 1;
        }
    }
    as_large as f64 / orders as f64
}

/// Two-sided p of a coefficient by Student's t with so many degrees of freedom.
fn students_p(r: f64, freedom: f64) -> f64 {
    let t = r.abs() * (freedom / ((1.0 - r) * (1.0 + r))).sqrt();
    two_sided(t, freedom)
}

fn two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let p = StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.cdf(-t.abs()));
    if p.is_nan() { 1.0 } else { p }
}

/// The significance of points that follow each other (steps, neighbouring pairs, checkpoints).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InOrder {
    /// The number of independent points that would say as much (Bartlett 1935).
    pub effective: f64,
    /// The larger of the plain p and of Student's t with `effective` - 2 degrees of freedom.
    pub p: f64,
}

/// The significance of Pearson's r of points in an order; `None` for fewer than [`FEWEST`], or without a coefficient.
pub fn pearson_in_order(x: &[f64], y: &[f64]) -> Option<InOrder> {
    in_order(x, y, pearson(x, y)?)
}

/// The significance of Spearman's r of points in an order.
pub fn spearman_in_order(x: &[f64], y: &[f64]) -> Option<InOrder> {
    in_order(&average_ranks(x), &average_ranks(y), spearman(x, y)?)
}

fn in_order(x: &[f64], y: &[f64], plain: Correlation) -> Option<InOrder> {
    if plain.n < FEWEST {
        return None;
    }
    let (x, y) = (centred(x)?, centred(y)?);
    let next = |values: &[f64]| product(&values[1..], &values[..values.len() - 1]);
    let together = (next(&x) * next(&y)).max(0.0);
    let n = plain.n as f64;
    let effective = (n * (1.0 - together) / (1.0 + together)).max(3.0);
    Some(InOrder { effective, p: plain.p.max(students_p(plain.r, effective - 2.0)) })
}

/// A coefficient of several groups' points together, such as several models' junction points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverGroups {
    /// The coefficient of all points together, each group's standardised by itself.
    pub r: f64,
    pub points: usize,
    pub groups: usize,
    /// By Student's t of the groups' own coefficients (Fisher's z), since points of one group depend on each
    /// other; `None` for fewer than three groups.
    pub test: Option<GroupTest>,
}

/// A test of the mean of the groups' own coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupTest {
    /// Two-sided.
    pub p: f64,
    /// The 95 % interval of the groups' mean coefficient.
    pub low: f64,
    pub high: f64,
}

/// The two coefficients of a correlation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrelationKind {
    Pearson,
    Spearman,
}

impl CorrelationKind {
    fn of(self, x: &[f64], y: &[f64]) -> Option<Correlation> {
        match self {
            Self::Pearson => pearson(x, y),
            Self::Spearman => spearman(x, y),
        }
    }
}

/// Over groups of points `(x, y)`; groups in which one side is constant, or with fewer than three points, are
/// left out. `None` where none is left.
pub fn over_groups(kind: CorrelationKind, groups: &[[&[f64]; 2]]) -> Option<OverGroups> {
    let mut together: [Vec<f64>; 2] = Default::default();
    let mut each = Vec::with_capacity(groups.len());
    for [x, y] in groups {
        let Some(own) = kind.of(x, y) else {
            continue;
        };
        each.push(fisher_z(own.r, own.n));
        for (all, side) in together.iter_mut().zip([x, y]) {
            all.extend(standardised(side)?);
        }
    }
    let found = kind.of(&together[0], &together[1])?;
    let groups = each.len();
    Some(OverGroups { r: found.r, points: found.n, groups, test: group_test(&each) })
}

fn group_test(z: &[f64]) -> Option<GroupTest> {
    let groups = z.len() as f64;
    if z.len() < 3 {
        return None;
    }
    let mean = z.iter().sum::<f64>() / groups;
    let squares: f64 = z.iter().map(|z| (z - mean).powi(2)).sum();
    let error = (squares / (groups - 1.0) / groups).sqrt();
    // Groups that all say the same, as at the bound of Fisher's z, say nothing of how much they differ.
    if error <= 1e-9 * mean.abs().max(1.0) {
        return None;
    }
    let reach = t_975(groups - 1.0) * error;
    Some(GroupTest {
        p: two_sided(mean / error, groups - 1.0),
        low: (mean - reach).tanh(),
        high: (mean + reach).tanh(),
    })
}

/// How far y's correlation with `first` is above that with `second`, on the same points: Zou's interval (2007).
/// `None` for fewer than [`FEWEST`] points, or where one is constant.
pub fn ahead(y: &[f64], first: &[f64], second: &[f64]) -> Option<Mean> {
    let n = y.len();
    if n < FEWEST {
        return None;
    }
    let (a, b) = (pearson(y, first)?.r, pearson(y, second)?.r);
    let both = pearson(first, second)?.r;
    let interval = |r: f64| {
        let reach = Z / (n as f64 - 3.0).sqrt();
        let z = fisher_z(r, n);
        [(z - reach).tanh(), (z + reach).tanh()]
    };
    let ([a_low, a_high], [b_low, b_high]) = (interval(a), interval(b));
    // How much the two coefficients vary together (Olkin & Siotani 1976).
    let left = (1.0 - a * a) * (1.0 - b * b);
    let shared = (both - a * b / 2.0) * (1.0 - a * a - b * b - both * both) + both.powi(3);
    let together = if left < 1e-12 { 0.0 } else { (shared / left).clamp(-1.0, 1.0) };
    let reach =
        |one: f64, other: f64| (one * one + other * other - 2.0 * together * one * other).max(0.0);
    let mean = a - b;
    Some(Mean {
        mean,
        low: mean - reach(a - a_low, b_high - b).sqrt(),
        high: mean + reach(a_high - a, b - b_low).sqrt(),
    })
}

/// Less their mean, and of length 1 as a vector; `None` for constants.
fn centred(values: &[f64]) -> Option<Vec<f64>> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let mut centred: Vec<f64> = values.iter().map(|x| x - mean).collect();
    let largest = values.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    let length = centred.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Equal values: only rounding is left.
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

/// The mean of coefficients through Fisher's z (Corey et al. 1998); `None` without any. Each comes with the
/// number of points behind it, which bounds what one perfect coefficient weighs.
pub fn fisher_mean(coefficients: &[(f64, usize)]) -> Option<f64> {
    if coefficients.is_empty() {
        return None;
    }
    let sum: f64 = coefficients.iter().map(|&(r, n)| fisher_z(r, n)).sum();
    Some((sum / coefficients.len() as f64).tanh())
}

/// Fisher's z of a coefficient of n points, at most that of 1 - 1 / (2 n).
fn fisher_z(r: f64, n: usize) -> f64 {
    let edge = 1.0 - 1.0 / (2.0 * n as f64);
    r.clamp(-edge, edge).atanh()
}

#[cfg(test)]
mod tests;
