//! Sums over the logits of a vocabulary: terms in f32, sums in f64.

use multiversion::multiversion;

use super::exp::exp;

/// Partial sums kept apart.
const LANES: usize = 16;

/// The sums of `e` and of `e x`, where `e = exp(x - largest)`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn entropy_sums(x: &[f32], largest: f32) -> [f64; 2] {
    let mut sums = [[0f64; LANES]; 2];
    let mut add = |lane: usize, x: f32| {
        let e = f64::from(exp(x - largest));
        sums[0][lane] += e;
        sums[1][lane] += e * f64::from(x);
    };
    let (whole, rest) = x.as_chunks::<LANES>();
    for x in whole {
        for (lane, &x) in x.iter().enumerate() {
            add(lane, x);
        }
    }
    for (lane, &x) in rest.iter().enumerate() {
        add(lane, x);
    }
    sums.map(|lanes| lanes.iter().sum())
}

/// The sum of `exp(r - largest) x` over logits `x` and those of a reference, `r`, whose largest is
/// `largest`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn reference_sum(x: &[f32], reference: &[f32], largest: f32) -> f64 {
    let mut sums = [0f64; LANES];
    let mut add = |lane: usize, x: f32, r: f32| {
        sums[lane] += f64::from(exp(r - largest)) * f64::from(x);
    };
    let ((whole, rest), (references, rest_of_reference)) =
        (x.as_chunks::<LANES>(), reference.as_chunks::<LANES>());
    for (x, r) in whole.iter().zip(references) {
        for lane in 0..LANES {
            add(lane, x[lane], r[lane]);
        }
    }
    for (lane, (&x, &r)) in rest.iter().zip(rest_of_reference).enumerate() {
        add(lane, x, r);
    }
    sums.iter().sum()
}
