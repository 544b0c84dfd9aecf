//! How wrong a model that knows I bits about its answer must and may be (Eq. 12; Fano 1961, Hellman
//! and Raviv 1970).

use serde::{Deserialize, Serialize};

/// Bounds of the error rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// `(H(Y) - I - 1) / log2 K`, at least 0.
    pub lower: f64,
    /// `(H(Y) - I) / 2`.
    pub upper: f64,
}

impl Bounds {
    /// From the entropy of the answer and the information about it, bits, the latter brought into
    /// `[0, H(Y)]`: an estimate may leave it.
    pub fn of(entropy: f64, information: f64, options: usize) -> Self {
        let left = entropy - information.clamp(0.0, entropy.max(0.0));
        Self { lower: ((left - 1.0) / (options as f64).log2()).max(0.0), upper: left / 2.0 }
    }

    /// Which bound an error rate breaks, if any. Both bounds are of the best possible guess: below
    /// the lower one, the estimate is too low, for the theorem is not off; above the upper one, it is
    /// too high, or whoever guessed made less of the information than is in it.
    pub fn broken_by(&self, error: f64) -> Option<&'static str> {
        // Error rates are multiples of 1 / rows; rounding is no breach.
        if error < self.lower - 1e-9 {
            Some("lower")
        } else if error > self.upper + 1e-9 {
            Some("upper")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn information_is_brought_into_its_range() {
        let all = Bounds::of(2.0, 2.5, 4);
        assert_eq!((all.lower, all.upper), (0.0, 0.0));
        let none = Bounds::of(2.0, -0.1, 4);
        assert_eq!((none.lower, none.upper), (0.5, 1.0));
        assert_eq!(none.broken_by(0.75), None);
        assert_eq!(none.broken_by(0.4), Some("lower"));
        assert_eq!(all.broken_by(0.1), Some("upper"));
    }
}
