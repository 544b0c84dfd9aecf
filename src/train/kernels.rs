//! The element-wise layers with their gradients, written so that the compiler vectorises them
//! (see [`super::simd`]).

use super::shape::RMS_NORM_EPS;
use super::simd::vectorised;

/// Partial sums kept apart so that a sum vectorises; a fixed order, so the same bits each time.
const LANES: usize = 16;

/// Halves the lanes until one is left.
#[inline(always)]
fn fold(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = join(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let (mut a, mut b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (a, b) in a.by_ref().zip(b.by_ref()) {
        for i in 0..LANES {
            lanes[i] += a[i] * b[i];
        }
    }
    fold(lanes, |a, b| a + b)
        + a.remainder()
            .iter()
            .zip(b.remainder())
            .map(|(a, b)| a * b)
            .sum::<f32>()
}

#[inline(always)]
pub fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let mut chunks = values.chunks_exact(LANES);
    for chunk in chunks.by_ref() {
        for i in 0..LANES {
            lanes[i] += chunk[i];
        }
    }
    fold(lanes, |a, b| a + b) + chunks.remainder().iter().sum::<f32>()
}

#[inline(always)]
pub fn largest(values: &[f32]) -> f32 {
    let mut lanes = [f32::MIN; LANES];
    let mut chunks = values.chunks_exact(LANES);
    for chunk in chunks.by_ref() {
        for i in 0..LANES {
            lanes[i] = larger(chunk[i], lanes[i]);
        }
    }
    chunks
        .remainder()
        .iter()
        .copied()
        .fold(fold(lanes, larger), larger)
}

/// e^x to about 2e-7 relative: 2^n times a polynomial on |r| <= ln 2 / 2 (Cephes' coefficients).
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // Adding 1.5 x 2^23 rounds to the nearest integer without a call.
    let n = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = 1.987_569_1e-4_f32;
    let p = p * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 0.5;
    let p = p * r * r + r + 1.0;
    p * f32::from_bits(((n as i32 + 127) as u32) << 23)
}

vectorised! {
/// `y = x * rsqrt(mean(x^2) + eps) * gain` a row; keeps the factor in `inverse` [N].
pub fn rms_norm(y: &mut [f32], inverse: &mut [f32], x: &[f32], gain: &[f32]) {
    let width = gain.len();
    for ((y, x), inverse) in y.chunks_exact_mut(width).zip(x.chunks_exact(width)).zip(inverse) {
            let r = 1.0 / (dot(x, x) / width as f32 + RMS_NORM_EPS).sqrt();
            *inverse = r;
            for i in 0..width {
                y[i] = x[i] * r * gain[i];
            }
        }
}

/// Adds the gradient of [`rms_norm`] to `dx` and `dgain`.
pub fn rms_norm_gradient(dx: &mut [f32], dgain: &mut [f32], dy: &[f32], x: &[f32], inverse: &[f32], gain: &[f32]) {
    let width = gain.len();
    let mut scaled = vec![0f32; width];
    let rows = dx.chunks_exact_mut(width).zip(dy.chunks_exact(width)).zip(x.chunks_exact(width)).zip(inverse);
        for (((dx, dy), x), &r) in rows {
            for i in 0..width {
                scaled[i] = dy[i] * gain[i];
                dgain[i] += dy[i] * x[i] * r;
            }
            let along = dot(&scaled, x) * r * r * r / width as f32;
            for i in 0..width {
                dx[i] += scaled[i] * r - x[i] * along;
            }
        }
}

/// `y [N, F] = silu(gate) * up`, gate and up side by side in `gate_up` [N, 2F].
pub fn swiglu(y: &mut [f32], gate_up: &[f32], mlp_width: usize) {
    for (y, gate_up) in y.chunks_exact_mut(mlp_width).zip(gate_up.chunks_exact(2 * mlp_width)) {
            let (gate, up) = gate_up.split_at(mlp_width);
            for i in 0..mlp_width {
                y[i] = gate[i] / (1.0 + exp(-gate[i])) * up[i];
            }
        }
}

/// Turns `gate_up` [N, 2F] into its gradient, given the gradient `dy` [N, F] of [`swiglu`].
pub fn swiglu_gradient(gate_up: &mut [f32], dy: &[f32], mlp_width: usize) {
    for (dy, gate_up) in dy.chunks_exact(mlp_width).zip(gate_up.chunks_exact_mut(2 * mlp_width)) {
            let (gate, up) = gate_up.split_at_mut(mlp_width);
            for i in 0..mlp_width {
                let sigmoid = 1.0 / (1.0 + exp(-gate[i]));
                let silu = gate[i] * sigmoid;
                gate[i] = dy[i] * up[i] * (sigmoid + silu * (1.0 - sigmoid));
                up[i] = dy[i] * silu;
            }
        }
}

/// Weighted cross-entropy of `logits` [N, V] against `targets` [N]. Turns the logits into the
/// gradient of `sum(weight * loss) * scale` and returns `sum(weight * loss)`.
pub fn cross_entropy(logits: &mut [f32], targets: &[u32], weights: &[f32], vocabulary: usize, scale: f32) -> f64 {
    let mut total = 0f64;
    for ((logits, &target), &weight) in logits.chunks_exact_mut(vocabulary).zip(targets).zip(weights) {
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
}
