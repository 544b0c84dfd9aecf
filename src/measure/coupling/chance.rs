//! What bases that have nothing to do with one another give.

use super::BothMetrics;

/// What unrelated bases of K vectors give, on the average: the line that a mis-coupling is to be
/// held against. Of `off_diagonal` it is exact where all entries of A are alike in size; of `singular`
/// about 1, for what leaves the basis is what is missed.
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
