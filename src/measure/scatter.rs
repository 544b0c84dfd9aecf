//! Two numbers of the same things, whether they go together, and whether one of the things alone makes
//! it look so.

use serde::{Deserialize, Serialize};

use super::correlation::{Correlation, pearson, pearson_in_order, spearman, spearman_in_order};

/// Both coefficients; `None` for fewer than three points, or where one side is constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Together {
    pub pearson: Option<Correlation>,
    pub spearman: Option<Correlation>,
}

impl Together {
    /// Correlates points that do not depend on each other.
    ///
    /// # Panics
    /// If the two differ in length.
    pub fn of(x: &[f64], y: &[f64]) -> Self {
        Self { pearson: pearson(x, y), spearman: spearman(x, y) }
    }

    /// Correlates points in an order, whose neighbours are alike: p is that of as many independent points as
    /// say the same (see [`pearson_in_order`]).
    ///
    /// # Panics
    /// If the two differ in length.
    pub fn in_order(x: &[f64], y: &[f64]) -> Self {
        let plain = Self::of(x, y);
        let with = |found: Option<Correlation>, p: Option<f64>| {
            found.map(|found| Correlation { p: p.unwrap_or(found.p), ..found })
        };
        Self {
            pearson: with(plain.pearson, pearson_in_order(x, y).map(|found| found.p)),
            spearman: with(plain.spearman, spearman_in_order(x, y).map(|found| found.p)),
        }
    }

    /// Computes `together` without each point in turn: a correlation that rests on one point falls apart
    /// without it. `[points]`
    ///
    /// # Panics
    /// If the two differ in length.
    pub fn each_left_out(x: &[f64], y: &[f64], together: fn(&[f64], &[f64]) -> Self) -> Vec<Self> {
        let without = |values: &[f64], out: usize| {
            let rest = values.iter().enumerate().filter(|(n, _)| *n != out);
            rest.map(|(_, &value)| value).collect::<Vec<f64>>()
        };
        let points = 0..x.len();
        points.map(|out| together(&without(x, out), &without(y, out))).collect()
    }

    /// The point without which least of Pearson's r is left in its direction, and what is left.
    pub fn weightiest(&self, left_out: &[Self]) -> Option<(usize, Correlation)> {
        let r = self.pearson?.r;
        let without = left_out.iter().enumerate();
        without
            .filter_map(|(point, rest)| Some((point, rest.pearson?)))
            .min_by(|a, b| (a.1.r / r).total_cmp(&(b.1.r / r)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_point_can_make_a_correlation() {
        let x = [0.0, 1.0, 2.0, 3.0, 30.0];
        let y = [1.0, -1.0, 1.0, -1.0, 30.0];
        let r = |together: &Together| together.pearson.expect("a correlation").r;
        assert!(r(&Together::of(&x, &y)) > 0.95);
        let left_out = Together::each_left_out(&x, &y, Together::of);
        assert_eq!(left_out.len(), 5);
        assert!(r(&left_out[4]) < 0.0);
        assert!(left_out[..4].iter().all(|together| r(together) > 0.9));
        let (point, rest) = Together::of(&x, &y).weightiest(&left_out).expect("a point");
        assert_eq!((point, rest.r), (4, r(&left_out[4])));
    }

    #[test]
    fn too_few_points_and_constants() {
        assert_eq!(Together::of(&[1.0, 2.0], &[1.0, 2.0]), Together::default());
        let left_out = Together::each_left_out(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0], Together::of);
        assert!(left_out.iter().all(|together| together.pearson.is_none()));
        assert_eq!(Together::of(&[1.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]).spearman, None);
    }

    /// Two walks with nothing in common go together for a while.
    #[test]
    fn points_in_an_order_are_worth_fewer() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| x + 6.0 * (x * 2.0).sin()).collect();
        let (plain, found) = (Together::of(&x, &y), Together::in_order(&x, &y));
        let (plain, found) = (plain.pearson.expect("r"), found.pearson.expect("r"));
        assert_eq!(plain.r, found.r);
        assert!(found.p >= plain.p);
        let line: Vec<f64> = x.iter().map(|x| 2.0 * x + (x * 9.0).sin()).collect();
        let [plain, found] = [Together::of, Together::in_order]
            .map(|together| together(&x, &line).pearson.expect("r"));
        assert!(found.p > 100.0 * plain.p, "{plain:?} {found:?}");
    }
}
