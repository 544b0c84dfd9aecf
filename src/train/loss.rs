//! What training lessens.

use crate::engine::cpu::exp::exp;
use crate::engine::cpu::sums::{largest, sum};

/// Weighted cross-entropy of `logits` [N, V] against `targets` [N]. Turns the logits into the
/// gradient of `sum(weight * loss) * scale` and returns `sum(weight * loss)`.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn cross_entropy(
    logits: &mut [f32],
    targets: &[u32],
    weights: &[f32],
    vocabulary: usize,
    scale: f32,
) -> f64 {
    let mut total = 0f64;
    for ((logits, &target), &weight) in logits
        .chunks_exact_mut(vocabulary)
        .zip(targets)
        .zip(weights)
    {
        let most = largest(logits);
        let right = logits[target as usize] - most;
        for logit in logits.iter_mut() {
            *logit = exp(*logit - most);
        }
        let sum = sum(logits);
        total += f64::from(weight * (sum.ln() - right));
        let factor = weight * scale / sum;
        for logit in logits.iter_mut() {
            *logit *= factor;
        }
        logits[target as usize] -= weight * scale;
    }
    total
}
