//! Nats, in which everything is computed and stored, as the bits that people read.

use super::interval::Mean;

/// Converts nats to bits.
pub fn bits(nats: f64) -> f64 {
    nats * std::f64::consts::LOG2_E
}

/// Converts a mean in nats to bits.
#[must_use]
pub fn mean_bits(nats: Mean) -> Mean {
    Mean { mean: bits(nats.mean), low: bits(nats.low), high: bits(nats.high) }
}

/// The mean surprise in bits, where the mean log-probability is so many nats.
#[must_use]
pub fn mean_surprise(log_probability: Mean) -> Mean {
    let Mean { mean, low, high } = log_probability;
    mean_bits(Mean { mean: -mean, low: -high, high: -low })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_chance_is_one_bit_and_its_interval_turns_over() {
        let log = Mean { mean: 0.5_f64.ln(), low: 0.25_f64.ln(), high: 0.0 };
        let found = mean_surprise(log);
        for (found, expected) in [(found.mean, 1.0), (found.low, 0.0), (found.high, 2.0)] {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        assert!(mean_bits(Mean::without_interval(1.0)).interval().is_none());
    }
}
