//! How far one distribution is from another.

/// Kullback-Leibler divergence from `softmax(p)` to `softmax(q)`, `sum_k p_k ln(p_k / q_k)`, in
/// nats; `[K]` logits each. Never negative: rounding may leave a sum of equals just below 0.
///
/// # Panics
/// If the two differ in length: they are logits of the same options.
pub fn kl<T: Copy + Into<f64>>(p_logits: &[T], q_logits: &[T]) -> f64 {
    assert_eq!(p_logits.len(), q_logits.len(), "logits of the same options");
    let (p, q) = (log_softmax(p_logits), log_softmax(q_logits));
    let sum: f64 = p
        .iter()
        .zip(&q)
        // An option without any chance adds nothing, whatever the other makes of it.
        .filter(|(p, _)| p.exp() > 0.0)
        .map(|(p, q)| p.exp() * (p - q))
        .sum();
    sum.clamp(0.0, f64::MAX)
}

/// Natural logarithms of the softmax, `[K]`, shifted by the maximum so that none overflows.
pub fn log_softmax<T: Copy + Into<f64>>(logits: &[T]) -> Vec<f64> {
    let logits: Vec<f64> = logits.iter().map(|&x| x.into()).collect();
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_sum = logits.iter().map(|x| (x - max).exp()).sum::<f64>().ln();
    logits.iter().map(|x| x - max - log_sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // (1/2, 1/2) against (1/4, 3/4): ln(2)/2 + ln(2/3)/2.
        let found = kl(&[0.0, 0.0], &[0.0, 3.0_f64.ln()]);
        let expected = 0.5 * (2.0_f64.ln() + (2.0_f64 / 3.0).ln());
        assert!((found - expected).abs() < 1e-15, "{found}");
        // The other way round it is another number.
        let other = kl(&[0.0, 3.0_f64.ln()], &[0.0, 0.0]);
        assert!((other - (0.25 * 0.5_f64.ln() + 0.75 * 1.5_f64.ln())).abs() < 1e-15);
    }

    #[test]
    fn a_shift_of_all_logits_changes_nothing_and_equals_are_zero() {
        let p = [0.3_f32, -1.7, 12.5, 4.0];
        let shifted = p.map(|x| x + 64.0);
        assert!(kl(&p, &shifted) < 1e-12);
        assert_eq!(kl(&p, &p), 0.0);
        assert_eq!(kl::<f32>(&[], &[]), 0.0);
    }

    #[test]
    fn far_apart_logits_stay_finite() {
        for (p, q) in [
            ([1e30_f32, -1e30], [-1e30_f32, 1e30]),
            ([f32::MAX, f32::MIN], [f32::MIN, f32::MAX]),
            ([0.0, f32::NEG_INFINITY], [0.0, 0.0]),
            ([0.0, 0.0], [0.0, f32::NEG_INFINITY]),
        ] {
            let found = kl(&p, &q);
            assert!(found.is_finite() && found >= 0.0, "{found}");
        }
    }
}
