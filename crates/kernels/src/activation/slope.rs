//! Derivatives of the MLP's activations.

use multiversion::multiversion;

use super::super::exp::exp;
use super::{Activation, gelu_erf, gelu_tanh, normal_tail};

/// Turns `wide` [N, 2 F] or [N, F], which [`activate`](super::activate) reads, into the derivatives of
/// what it makes: by the gate, `up act'(gate)`, then by up, `act(gate)`; or by the one input, `act'(x)`.
pub fn slopes(activation: Activation, is_gated: bool, wide: &mut [f32], f: usize) {
    let in_width = if is_gated { 2 * f } else { f };
    for row in wide.chunks_exact_mut(in_width) {
        let (x, up) = row.split_at_mut(f);
        match activation {
            Activation::Silu => silu_row(x, up),
            Activation::GeluTanh => gelu_tanh_row(x, up),
            Activation::GeluErf => gelu_erf_row(x, up),
        }
    }
}

/// `x / (1 + e^-x)`, and its slope.
#[inline(always)]
pub fn silu_slope(x: f32) -> (f32, f32) {
    let sigmoid = 1.0 / (1.0 + exp(-x));
    let silu = x * sigmoid;
    (silu, sigmoid + silu * (1.0 - sigmoid))
}

/// x S(u) with u = 2 sqrt(2/pi) (x + 0.044715 x^3): the slope is S + x S (1 - S) u'.
#[inline(always)]
fn gelu_tanh_slope(x: f32) -> (f32, f32) {
    const TWICE: f32 = 1.595_769; // 2 sqrt(2 / pi)
    let square = x * x;
    // 1 - S has to be small where S is near 1, as 1 + e^u would say; S (1 - S) is e^-|u| S(|u|)^2.
    let u = TWICE * x * (1.0 + 0.044_715 * square);
    let small = exp(-u.abs());
    let near = 1.0 / (1.0 + small); // S(|u|)
    let sigmoid = if u > 0.0 { near } else { small * near };
    let slope = TWICE * (1.0 + 3.0 * 0.044_715 * square);
    // `exp` ends above zero, and the slope of u does not end: past where f32 sees a bend there is none.
    let bend = if u.abs() < 80.0 { x * slope * (small * near * near) } else { 0.0 };
    (gelu_tanh(x), sigmoid + bend)
}

/// x Phi(x): the slope is Phi + x phi.
#[inline(always)]
fn gelu_erf_slope(x: f32) -> (f32, f32) {
    const ROOT: f32 = 0.398_942_3; // 1 / sqrt(2 pi)
    let tail = normal_tail(x.abs());
    let phi = if x > 0.0 { 1.0 - tail } else { tail };
    (gelu_erf(x), phi + x * ROOT * exp(-0.5 * x * x))
}

/// One activation's slopes, for the widest registers that there are; `up` is empty where nothing is gated.
macro_rules! rows {
    ($name:ident, $slope:ident) => {
        #[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
        fn $name(x: &mut [f32], up: &mut [f32]) {
            if up.is_empty() {
                for x in x {
                    *x = $slope(*x).1;
                }
                return;
            }
            for (x, up) in x.iter_mut().zip(up) {
                let (act, slope) = $slope(*x);
                *x = *up * slope;
                *up = act;
            }
        }
    };
}

rows!(silu_row, silu_slope);
rows!(gelu_tanh_row, gelu_tanh_slope);
rows!(gelu_erf_row, gelu_erf_slope);

#[cfg(test)]
mod tests {
    use super::super::tests::{ALL, plain};
    use super::*;

    #[test]
    fn slopes_are_those_of_the_twins_everywhere() {
        for activation in ALL {
            let inputs = (-1200..=1200).map(|i| i as f32 / 100.0 + 0.003);
            for x in inputs.chain([-200.0, 90.0, 0.0]) {
                let (at, by) = (f64::from(x), 1e-5);
                let above = plain(activation, at + by);
                let expected = (above - plain(activation, at - by)) / (2.0 * by);
                let mut alone = [x];
                slopes(activation, false, &mut alone, 1);
                let mut gated = [x, 0.7];
                slopes(activation, true, &mut gated, 1);
                let act = plain(activation, at);
                for (ours, expected) in [
                    (alone[0], expected),
                    (gated[0], f64::from(0.7f32) * expected),
                    (gated[1], act),
                ] {
                    let off = (f64::from(ours) - expected).abs();
                    assert!(
                        off < 3e-6 * expected.abs() + 1e-7,
                        "{activation:?}({x}): {ours}, not {expected}"
                    );
                }
            }
        }
    }
}
