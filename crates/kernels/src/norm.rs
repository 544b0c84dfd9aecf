//! RMSNorm and LayerNorm of rows, over D or over the heads of queries and keys.

mod slope;

pub use slope::{rms_pull, rms_push};

use multiversion::multiversion;

use super::sums::{dot, sum};

/// A norm over D (or, of queries and keys, over a head or all heads).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormShape {
    pub kind: NormKind,
    pub eps: f64,
}

/// The formula by which a norm scales its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// RMSNorm; where a family's gain is `1 + weight` (Gemma), the weight is read so.
    Rms,
    /// LayerNorm with a gain and a bias.
    Layer,
}

/// A norm with its weights.
pub struct Norm {
    pub kind: NormKind,
    pub eps: f32,
    pub gain: Vec<f32>, // [D]
    pub bias: Vec<f32>, // [D], or none
}

impl Norm {
    /// Takes `gain` \[D\], and `bias` \[D\] or nothing.
    pub fn new(shape: NormShape, gain: Vec<f32>, bias: Vec<f32>) -> Self {
        Self { kind: shape.kind, eps: shape.eps as f32, gain, bias }
    }

    /// Rows `x` [N, D] to `out` [N, D].
    pub fn run(&self, x: &[f32], out: &mut [f32]) {
        match self.kind {
            NormKind::Rms => rms_norm(x, &self.gain, self.eps, out),
            NormKind::Layer => layer_norm(x, &self.gain, &self.bias, self.eps, out),
        }
    }
}

/// `out = x / sqrt(mean(x^2) + eps) * gain`, for each row of `x` [N, D].
pub fn rms_norm(x: &[f32], gain: &[f32], eps: f32, out: &mut [f32]) {
    let rows = x.chunks_exact(gain.len());
    for (x, out) in rows.zip(out.chunks_exact_mut(gain.len())) {
        rms_row(x, gain, eps, out);
    }
}

/// [`rms_norm`] in place, for each of the rows \[D\] that lie side by side in `x`.
pub fn rms_norm_in_place(x: &mut [f32], gain: &[f32], eps: f32) {
    for x in x.chunks_exact_mut(gain.len()) {
        rms_row_in_place(x, gain, eps);
    }
}

/// `out = (x - mean) / sqrt(var + eps) * gain + bias`, for each row of `x` [N, D]; the variance is
/// the population's.
pub fn layer_norm(x: &[f32], gain: &[f32], bias: &[f32], eps: f32, out: &mut [f32]) {
    let rows = x.chunks_exact(gain.len());
    for (x, out) in rows.zip(out.chunks_exact_mut(gain.len())) {
        layer_row(x, gain, bias, eps, out);
    }
}

/// Where the squares leave f32, the scale is none: 1 / infinity would make a row of zeros, which
/// nobody would see.
#[inline(always)]
fn rms_scale(x: &[f32], eps: f32) -> f32 {
    let mean_square = dot(x, x) / x.len() as f32;
    if mean_square.is_finite() { 1.0 / (mean_square + eps).sqrt() } else { f32::NAN }
}

/// Returns the factor of the row.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn rms_row(x: &[f32], gain: &[f32], eps: f32, out: &mut [f32]) -> f32 {
    let scale = rms_scale(x, eps);
    for ((out, x), gain) in out.iter_mut().zip(x).zip(gain) {
        *out = x * scale * gain;
    }
    scale
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn rms_row_in_place(x: &mut [f32], gain: &[f32], eps: f32) {
    let scale = rms_scale(x, eps);
    for (x, gain) in x.iter_mut().zip(gain) {
        *x *= scale * gain;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn layer_row(x: &[f32], gain: &[f32], bias: &[f32], eps: f32, out: &mut [f32]) {
    let width = x.len() as f32;
    let mean = sum(x) / width;
    for (out, x) in out.iter_mut().zip(x) {
        *out = x - mean;
    }
    let scale = rms_scale(out, eps);
    for ((out, gain), bias) in out.iter_mut().zip(gain).zip(bias) {
        *out = *out * scale * gain + bias;
    }
}

/// [`rms_norm`] in training: keeps the factor of every row in `inverse` \[N\].
pub fn rms_norm_keeping(x: &[f32], gain: &[f32], eps: f32, out: &mut [f32], inverse: &mut [f32]) {
    let width = gain.len();
    let rows = x.chunks_exact(width).zip(out.chunks_exact_mut(width));
    for ((x, out), inverse) in rows.zip(inverse) {
        *inverse = rms_row(x, gain, eps, out);
    }
}

/// Adds the gradient of [`rms_norm_keeping`] to `dx` [N, D] and `dgain` \[D\].
pub fn rms_norm_gradient(
    dx: &mut [f32],
    dgain: &mut [f32],
    dy: &[f32],
    x: &[f32],
    inverse: &[f32],
    gain: &[f32],
) {
    let width = gain.len();
    let mut scaled = vec![0f32; width];
    let rows = dx.chunks_exact_mut(width).zip(dy.chunks_exact(width));
    for (((dx, dy), x), &r) in rows.zip(x.chunks_exact(width)).zip(inverse) {
        rms_row_gradient(dx, dgain, dy, x, r, gain, &mut scaled);
    }
}

/// A row by itself: the compiler takes whole registers only where it is told that the slices are apart.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn rms_row_gradient(
    dx: &mut [f32],
    dgain: &mut [f32],
    dy: &[f32],
    x: &[f32],
    r: f32,
    gain: &[f32],
    scaled: &mut [f32],
) {
    for ((scaled, dy), gain) in scaled.iter_mut().zip(dy).zip(gain) {
        *scaled = dy * gain;
    }
    for ((dgain, dy), x) in dgain.iter_mut().zip(dy).zip(x) {
        *dgain += dy * x * r;
    }
    let along = slope::along(x, scaled, r);
    for ((dx, scaled), x) in dx.iter_mut().zip(scaled).zip(x) {
        *dx += *scaled * r - x * along;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::{close, random};

    /// The slow plain twin: (x - mean) / sqrt(mean square of that + eps) * gain + bias, in f64.
    pub fn plain(kind: NormKind, x: &[f32], gain: &[f32], bias: &[f32], eps: f64) -> Vec<f64> {
        let d = gain.len();
        let row = |x: &[f32]| -> Vec<f64> {
            let x: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            let mean = match kind {
                NormKind::Rms => 0.0,
                NormKind::Layer => x.iter().sum::<f64>() / d as f64,
            };
            let square = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / d as f64;
            let one = |i: usize| {
                let bias = bias.get(i).map_or(0.0, |&bias| f64::from(bias));
                (x[i] - mean) / (square + eps).sqrt() * f64::from(gain[i]) + bias
            };
            (0..d).map(one).collect()
        };
        x.chunks_exact(d).flat_map(row).collect()
    }

    #[test]
    fn both_norms_equal_their_twins() {
        for width in [1, 15, 64, 100] {
            let (x, gain, bias) =
                (random(5 * width, 2.0, 1), random(width, 1.0, 2), random(width, 1.0, 3));
            for (kind, bias) in [(NormKind::Rms, vec![]), (NormKind::Layer, bias)] {
                let expected = plain(kind, &x, &gain, &bias, 1e-5);
                let norm = Norm::new(NormShape { kind, eps: 1e-5 }, gain.clone(), bias);
                let mut ours = vec![f32::NAN; 5 * width];
                norm.run(&x, &mut ours);
                close(&ours, &expected, 3e-6);
            }
            let expected = plain(NormKind::Rms, &x, &gain, &[], 1e-5);
            let mut in_place = x.clone();
            rms_norm_in_place(&mut in_place, &gain, 1e-5);
            close(&in_place, &expected, 3e-6);
        }
    }

    /// Zeros in their place would look like a number.
    #[test]
    fn squares_past_f32_make_no_number() {
        let x = [3e20f32, -2e20, 1e20, 5.0];
        let gain = [1.0; 4];
        for (kind, bias) in [(NormKind::Rms, vec![]), (NormKind::Layer, vec![0.5; 4])] {
            let norm = Norm::new(NormShape { kind, eps: 1e-5 }, gain.to_vec(), bias);
            let mut out = [0.0; 4];
            norm.run(&x, &mut out);
            assert!(out.iter().all(|out| out.is_nan()), "{kind:?}: {out:?}");
        }
        let mut in_place = x;
        rms_norm_in_place(&mut in_place, &gain, 1e-5);
        assert!(in_place.iter().all(|x| x.is_nan()), "{in_place:?}");
    }

    #[test]
    fn the_gradient_is_that_of_the_twin() {
        let (rows, width) = (3, 37);
        let (x, gain, dy) =
            (random(rows * width, 1.0, 4), random(width, 1.0, 5), random(rows * width, 1.0, 6));
        let loss = |x: &[f32], gain: &[f32]| -> f64 {
            let y = plain(NormKind::Rms, x, gain, &[], 1e-5);
            y.iter().zip(&dy).map(|(y, &dy)| y * f64::from(dy)).sum()
        };
        let (mut y, mut inverse) = (vec![0.0; x.len()], vec![0.0; rows]);
        rms_norm_keeping(&x, &gain, 1e-5, &mut y, &mut inverse);
        close(&y, &plain(NormKind::Rms, &x, &gain, &[], 1e-5), 3e-6);
        let (mut dx, mut dgain) = (vec![0.0; x.len()], vec![0.0; width]);
        rms_norm_gradient(&mut dx, &mut dgain, &dy, &x, &inverse, &gain);
        let slope = |values: &[f32], loss: &dyn Fn(&[f32]) -> f64| -> Vec<f64> {
            let at = |i: usize, by: f32| {
                let mut values = values.to_vec();
                values[i] += by;
                (loss(&values), f64::from(values[i]))
            };
            let one = |i: usize| {
                let (above, below) = (at(i, 1e-3), at(i, -1e-3));
                (above.0 - below.0) / (above.1 - below.1)
            };
            (0..values.len()).map(one).collect()
        };
        close(&dx, &slope(&x, &|x| loss(x, &gain)), 1e-4);
        close(&dgain, &slope(&gain, &|gain| loss(&x, gain)), 1e-4);
    }
}
