//! The loss that training minimises.

use atelier_kernels::exp::exp;
use atelier_kernels::sums::{largest, sum};
use multiversion::multiversion;

/// Weighted cross-entropy of `logits` [N, ..] against `targets` [N]. Turns the first V logits of each row
/// into the gradient of `sum(weight * loss) * scale` and returns `sum(weight * loss)`.
pub fn cross_entropy(
    logits: &mut [f32],
    targets: &[u32],
    weights: &[f32],
    vocabulary: usize,
    scale: f32,
) -> f64 {
    let row = logits.len() / targets.len().max(1);
    let rows = logits.chunks_exact_mut(row.max(1));
    rows.zip(targets)
        .zip(weights)
        .map(|((logits, &target), &weight)| {
            f64::from(weight * of_row(&mut logits[..vocabulary], target, weight * scale))
        })
        .sum()
}

/// Returns the cross-entropy of one row, and turns `logits` into its gradient times `weight`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn of_row(logits: &mut [f32], target: u32, weight: f32) -> f32 {
    let most = largest(logits);
    let right = logits[target as usize] - most;
    for logit in logits.iter_mut() {
        *logit = exp(*logit - most);
    }
    let sum = sum(logits);
    let factor = weight / sum;
    for logit in logits.iter_mut() {
        *logit *= factor;
    }
    logits[target as usize] -= weight;
    sum.ln() - right
}
