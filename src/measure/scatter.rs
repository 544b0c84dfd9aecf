//! Two numbers of the same things, whether they go together, and whether one of the things alone makes
//! it look so.

use serde::{Deserialize, Serialize};

use super::correlation::{Correlation, pearson, spearman};

/// Both coefficients; `None` for fewer than three points, or where one side is constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Together {
    pub pearson: Option<Correlation>,
    pub spearman: Option<Correlation>,
}

impl Together {
    /// # Panics
    /// If the two differ in length.
    pub fn of(x: &[f64], y: &[f64]) -> Self {
        Self { pearson: pearson(x, y), spearman: spearman(x, y) }
    }

    /// The same without each point in turn: a correlation that rests on one point falls apart without
    /// it. `[points]`
    ///
    /// # Panics
    /// If the two differ in length.
    pub fn each_left_out(x: &[f64], y: &[f64]) -> Vec<Self> {
        let without = |values: &[f64], out: usize| {
            let rest = values.iter().enumerate().filter(|(n, _)| *n != out);
            rest.map(|(_, &value)| value).collect::<Vec<f64>>()
        };
        let points = 0..x.len();
        points.map(|out| Self::of(&without(x, out), &without(y, out))).collect()
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
        let left_out = Together::each_left_out(&x, &y);
        assert_eq!(left_out.len(), 5);
        assert!(r(&left_out[4]) < 0.0);
        assert!(left_out[..4].iter().all(|together| r(together) > 0.9));
    }

    #[test]
    fn too_few_points_and_constants() {
        assert_eq!(Together::of(&[1.0, 2.0], &[1.0, 2.0]), Together::default());
        let left_out = Together::each_left_out(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0]);
        assert!(left_out.iter().all(|together| together.pearson.is_none()));
        assert_eq!(Together::of(&[1.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]).spearman, None);
    }
}
