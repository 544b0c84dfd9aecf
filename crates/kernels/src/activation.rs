//! The MLP's activations, plain or gated, in one pass over a projection.

mod slope;

pub use slope::slopes;

use multiversion::multiversion;

use super::exp::exp;

/// The function between an MLP's two matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    Silu,
    /// `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`
    GeluTanh,
    /// `x Phi(x)`
    GeluErf,
}

/// `wide` [N, `in_width`] to `out` [N, F]: where gated, `in_width` is 2 F (gate columns, then up) and
/// `out = act(gate) * up`; else F, and `out = act(wide)`.
pub fn activate(activation: Activation, is_gated: bool, wide: &[f32], f: usize, out: &mut [f32]) {
    let in_width = if is_gated { 2 * f } else { f };
    for (row, out) in wide.chunks_exact(in_width).zip(out.chunks_exact_mut(f)) {
        let (x, up) = row.split_at(f);
        match (activation, is_gated) {
            (Activation::Silu, true) => silu_gated(x, up, out),
            (Activation::Silu, false) => silu_plain(x, out),
            (Activation::GeluTanh, true) => gelu_tanh_gated(x, up, out),
            (Activation::GeluTanh, false) => gelu_tanh_plain(x, out),
            (Activation::GeluErf, true) => gelu_erf_gated(x, up, out),
            (Activation::GeluErf, false) => gelu_erf_plain(x, out),
        }
    }
}

/// `x / (1 + e^-x)`
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

/// `0.5 x (1 + tanh(u))`, `u = sqrt(2/pi) (x + 0.044715 x^3)`: that is `x / (1 + e^-2u)`, which loses
/// nothing where tanh is near -1.
#[inline(always)]
pub fn gelu_tanh(x: f32) -> f32 {
    const TWICE: f32 = 1.595_769; // 2 sqrt(2 / pi)
    x / (1.0 + exp(-TWICE * (x + 0.044_715 * x * x * x)))
}

/// `x Phi(x)`, through the tail Q(|x|) = 1 - Phi(|x|), so that nothing is lost where Phi is near 0.
#[inline(always)]
pub fn gelu_erf(x: f32) -> f32 {
    let tail = x * normal_tail(x.abs());
    if x > 0.0 { x - tail } else { tail }
}

/// Q(x) = erfc(x / sqrt 2) / 2 for x >= 0, within 2e-6 of itself: `s e^(-z^2 + p(s))`, z = x / sqrt 2,
/// s = 2 / (2 + z), p a Chebyshev fit (Press et al., Numerical Recipes, "erfcc").
#[inline(always)]
fn normal_tail(x: f32) -> f32 {
    let z = x * std::f32::consts::FRAC_1_SQRT_2;
    let s = 2.0 / (2.0 + z);
    let mut p = 0.170_872_77;
    for c in [
        -0.822_152_23,
        1.488_515_9,
        -1.135_204,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_7,
        -1.265_512_2,
    ] {
        p = p * s + c;
    }
    // x * x / 2 rather than z * z: one rounding less.
    0.5 * s * exp(p - 0.5 * x * x)
}

/// One activation, plain and gated, for the widest registers that there are.
macro_rules! rows {
    ($plain:ident, $gated:ident, $activation:ident) => {
        #[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
        fn $plain(x: &[f32], out: &mut [f32]) {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = $activation(x);
            }
        }

        #[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
        fn $gated(gate: &[f32], up: &[f32], out: &mut [f32]) {
            for ((out, &gate), &up) in out.iter_mut().zip(gate).zip(up) {
                *out = $activation(gate) * up;
            }
        }
    };
}

rows!(silu_plain, silu_gated, silu);
rows!(gelu_tanh_plain, gelu_tanh_gated, gelu_tanh);
rows!(gelu_erf_plain, gelu_erf_gated, gelu_erf);

/// SiLU gates in training: `gate_up` [N, 2 F] to `out` [N, F].
pub fn swiglu(gate_up: &[f32], f: usize, out: &mut [f32]) {
    activate(Activation::Silu, true, gate_up, f, out);
}

/// Turns `gate_up` [N, 2 F] into its gradient, given the gradient `dy` [N, F] of [`swiglu`].
pub fn swiglu_gradient(gate_up: &mut [f32], dy: &[f32], f: usize) {
    let rows = gate_up.chunks_exact_mut(2 * f);
    for (gate_up, dy) in rows.zip(dy.chunks_exact(f)) {
        let (gate, up) = gate_up.split_at_mut(f);
        swiglu_gradient_row(gate, up, dy);
    }
}

/// A row by itself: the compiler takes whole registers only where it is told that the slices are apart.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn swiglu_gradient_row(gate: &mut [f32], up: &mut [f32], dy: &[f32]) {
    for ((gate, up), &dy) in gate.iter_mut().zip(up).zip(dy) {
        let (silu, slope) = slope::silu_slope(*gate);
        *gate = dy * *up * slope;
        *up = dy * silu;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use statrs::function::erf::erfc;

    use super::*;
    use crate::testing::{close, random};

    pub const ALL: [Activation; 3] = [Activation::Silu, Activation::GeluTanh, Activation::GeluErf];

    /// The slow plain twin, in f64.
    pub fn plain(activation: Activation, x: f64) -> f64 {
        match activation {
            Activation::Silu => x / (1.0 + (-x).exp()),
            Activation::GeluTanh => {
                let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
                0.5 * x * (1.0 + u.tanh())
            }
            Activation::GeluErf => 0.5 * x * erfc(-x / std::f64::consts::SQRT_2),
        }
    }

    #[test]
    fn activations_equal_their_twins_everywhere() {
        for activation in ALL {
            for i in -12_000..=12_000 {
                let x = i as f32 / 1000.0;
                let mut ours = [0.0];
                activate(activation, false, &[x], 1, &mut ours);
                let (ours, expected) = (f64::from(ours[0]), plain(activation, f64::from(x)));
                // Far out in a tail, where the value is next to nothing, e^-40 is less exact.
                let bound = 1e-6 * expected.abs() + 2e-9;
                assert!(
                    (ours - expected).abs() <= bound,
                    "{activation:?}({x}): {ours}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        for activation in ALL {
            let mut out = [0.0; 2];
            activate(activation, false, &[f32::NAN, f32::INFINITY], 2, &mut out);
            assert!(out.iter().all(|out| !out.is_finite()), "{activation:?}: {out:?}");
        }
    }

    #[test]
    fn gates_multiply_what_goes_up() {
        let f = 37;
        let wide = random(5 * 2 * f, 8.0, 1);
        for activation in ALL {
            let expected: Vec<f64> = wide
                .chunks_exact(2 * f)
                .flat_map(|row| {
                    let gates = row[..f].iter().zip(&row[f..]);
                    gates.map(|(&gate, &up)| plain(activation, f64::from(gate)) * f64::from(up))
                })
                .collect();
            let mut ours = vec![f32::NAN; 5 * f];
            activate(activation, true, &wide, f, &mut ours);
            close(&ours, &expected, 2e-6);
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_twin() {
        let f = 21;
        let (wide, dy) = (random(3 * 2 * f, 3.0, 2), random(3 * f, 1.0, 3));
        let mut ours = wide.clone();
        swiglu_gradient(&mut ours, &dy, f);
        let slope = |x: f32| {
            let (x, by) = (f64::from(x), 1e-5);
            let silu = |x: f64| x / (1.0 + (-x).exp());
            (silu(x + by) - silu(x - by)) / (2.0 * by)
        };
        let rows = wide.chunks_exact(2 * f).zip(dy.chunks_exact(f));
        let expected: Vec<f64> = rows
            .flat_map(|(wide, dy)| {
                let (gate, up) = wide.split_at(f);
                let of_gate = |i: usize| f64::from(dy[i] * up[i]) * slope(gate[i]);
                let of_up =
                    |i: usize| f64::from(dy[i]) * plain(Activation::Silu, f64::from(gate[i]));
                let gates: Vec<f64> = (0..f).map(of_gate).collect();
                gates.into_iter().chain((0..f).map(of_up)).collect::<Vec<_>>()
            })
            .collect();
        close(&ours, &expected, 1e-5);
    }
}
