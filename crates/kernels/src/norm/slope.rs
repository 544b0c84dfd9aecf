//! Derivatives of norms at a row x: with r = 1 / sqrt(mean square + eps) of the row, less its mean where
//! the norm takes it off, `P z = r z - r^3 x (x . z) / D`, which is symmetric, and the gain.

use multiversion::multiversion;

use super::{Norm, NormKind};
use crate::sums::{dot, sum};

impl Norm {
    /// Turns `z` \[D\] into the norm's derivative at `x` \[D\] along it: `g * P z`.
    pub fn push(&self, x: &[f32], z: &mut [f32]) {
        project(self.kind, self.eps, x, z);
        times(&self.gain, z);
    }

    /// The transposed: `P (g * w)`.
    pub fn pull(&self, x: &[f32], w: &mut [f32]) {
        times(&self.gain, w);
        project(self.kind, self.eps, x, w);
    }
}

/// [`Norm::push`] of [`rms_norm_in_place`](super::rms_norm_in_place), for each of the rows that lie side
/// by side in `x` and `z`.
pub fn rms_push(x: &[f32], gain: &[f32], eps: f32, z: &mut [f32]) {
    let rows = x.chunks_exact(gain.len());
    for (x, z) in rows.zip(z.chunks_exact_mut(gain.len())) {
        project(NormKind::Rms, eps, x, z);
        times(gain, z);
    }
}

/// [`Norm::pull`] of the same.
pub fn rms_pull(x: &[f32], gain: &[f32], eps: f32, w: &mut [f32]) {
    let rows = x.chunks_exact(gain.len());
    for (x, w) in rows.zip(w.chunks_exact_mut(gain.len())) {
        times(gain, w);
        project(NormKind::Rms, eps, x, w);
    }
}

fn times(gain: &[f32], z: &mut [f32]) {
    z.iter_mut().zip(gain).for_each(|(z, gain)| *z *= gain);
}

/// `z <- P z`
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn project(kind: NormKind, eps: f32, x: &[f32], z: &mut [f32]) {
    let width = x.len() as f32;
    let mut centred = Vec::new();
    let mut x = x;
    if kind == NormKind::Layer {
        let (mean, mean_z) = (sum(x) / width, sum(z) / width);
        centred.extend(x.iter().map(|x| x - mean));
        z.iter_mut().for_each(|z| *z -= mean_z);
        x = &centred;
    }
    let r = super::rms_scale(x, eps);
    let along = along(x, z, r);
    for (z, x) in z.iter_mut().zip(x) {
        *z = *z * r - x * along;
    }
}

/// Returns the factor of x in `P z = r z - x (r^3 (x . z) / D)`.
#[inline(always)]
pub fn along(x: &[f32], z: &[f32], r: f32) -> f32 {
    dot(z, x) * r * r * r / x.len() as f32
}

#[cfg(test)]
mod tests {
    use super::super::NormShape;
    use super::super::tests::plain;
    use super::*;
    use crate::testing::{close, random};

    #[test]
    fn both_directions_are_the_twins_slopes() {
        for (kind, width) in [(NormKind::Rms, 37), (NormKind::Layer, 64)] {
            let bias = match kind {
                NormKind::Rms => vec![],
                NormKind::Layer => random(width, 1.0, 9),
            };
            let norm = Norm::new(NormShape { kind, eps: 1e-3 }, random(width, 1.0, 1), bias);
            let x = random(width, 1.0, 2);
            // The Jacobian, column by column, by central differences in f64.
            let at = |i: usize, by: f32| {
                let mut x = x.clone();
                x[i] += by;
                let found = plain(kind, &x, &norm.gain, &norm.bias, 1e-3);
                (found, f64::from(x[i]))
            };
            let columns: Vec<Vec<f64>> = (0..width)
                .map(|i| {
                    let ((above, x_above), (below, x_below)) = (at(i, 1e-3), at(i, -1e-3));
                    let slopes = above.iter().zip(&below);
                    slopes.map(|(a, b)| (a - b) / (x_above - x_below)).collect()
                })
                .collect();
            let z = random(width, 1.0, 3);
            let along = |o: usize| -> f64 {
                let products = columns.iter().zip(&z);
                products.map(|(column, &z)| column[o] * f64::from(z)).sum()
            };
            let back = |column: &Vec<f64>| -> f64 {
                let products = column.iter().zip(&z);
                products.map(|(j, &z)| j * f64::from(z)).sum()
            };
            let (mut pushed, mut pulled) = (z.clone(), z.clone());
            norm.push(&x, &mut pushed);
            norm.pull(&x, &mut pulled);
            close(&pushed, &(0..width).map(along).collect::<Vec<_>>(), 1e-5);
            close(&pulled, &columns.iter().map(back).collect::<Vec<_>>(), 1e-5);
            if kind == NormKind::Rms {
                // Two rows side by side, as heads lie.
                let (x, twice) = ([&x[..], &x].concat(), [&z[..], &z].concat());
                let (mut ours, mut ours_back) = (twice.clone(), twice);
                rms_push(&x, &norm.gain, norm.eps, &mut ours);
                rms_pull(&x, &norm.gain, norm.eps, &mut ours_back);
                assert_eq!(ours, [&pushed[..], &pushed].concat());
                assert_eq!(ours_back, [&pulled[..], &pulled].concat());
            }
        }
    }
}
