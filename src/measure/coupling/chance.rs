//! The chance level of mis-coupling: its value for unrelated bases.

use super::BothMetrics;

/// Returns the mean mis-coupling of unrelated bases of K vectors. A measured mis-coupling is compared
/// with it. For `off_diagonal` it is exact if all entries of A have one size. For `singular` it is about
/// 1, because little of the Jacobian lies in an unrelated basis.
pub fn chance(k: usize) -> BothMetrics<f64> {
    BothMetrics { off_diagonal: (1.0 - 1.0 / k.max(1) as f64).sqrt(), singular: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_own_numbers() {
        for (k, expected) in [(4, 0.866), (8, 0.935), (16, 0.968)] {
            assert!((chance(k).off_diagonal - expected).abs() < 5e-4);
        }
    }
}
