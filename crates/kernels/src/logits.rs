//! Sums over the logits of a vocabulary, or of a part of it: terms in f32, sums in f64.

use super::exp::exp;

/// Partial sums kept apart.
const LANES: usize = 16;

/// The sum of `exp(logit - largest)`.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn sum_of_exp(logits: &[f32], largest: f32) -> f64 {
    let mut sums = [0f64; LANES];
    let (chunks, rest) = logits.as_chunks::<LANES>();
    for chunk in chunks {
        for (sum, &logit) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(exp(logit - largest));
        }
    }
    let rest = rest.iter().map(|&logit| f64::from(exp(logit - largest)));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// The sums of `e`, of `e x` and of `e' x`, where `e = exp(x - largest)` and `e'` is the end's.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn sums(x: &[f32], largest: f32, end: &[f32], ends_largest: f32) -> [f64; 3] {
    let mut sums = [[0f64; LANES]; 3];
    let mut add = |lane: usize, x: f32, end: f32| {
        let (e, of_end) = (exp(x - largest), exp(end - ends_largest));
        sums[0][lane] += f64::from(e);
        sums[1][lane] += f64::from(e) * f64::from(x);
        sums[2][lane] += f64::from(of_end) * f64::from(x);
    };
    let ((whole, rest), (ends, rest_of_end)) = (x.as_chunks::<LANES>(), end.as_chunks::<LANES>());
    for (x, end) in whole.iter().zip(ends) {
        for lane in 0..LANES {
            add(lane, x[lane], end[lane]);
        }
    }
    for (lane, (&x, &end)) in rest.iter().zip(rest_of_end).enumerate() {
        add(lane, x, end);
    }
    sums.map(|lanes| lanes.iter().sum())
}
