//! Compares this kernel with its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

/// In f64.
fn plain(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => {
            let t = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            0.5 * x * (1.0 + t.tanh())
        }
        Activation::GeluErf => 0.5 * x * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2),
    }
}

pub fn every_activation_is_the_cpus(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, width) = (5, 44);
    for activation in [Activation::Silu, Activation::GeluTanh, Activation::GeluErf] {
        for is_gated in [true, false] {
            let shape = MlpShape { width, is_gated, activation, has_bias: false };
            let numbers = noise(rows * shape.up_rows(), 1);
            let mut up: Vec<f32> = numbers.iter().map(|x| 4.0 * x).collect();
            (up[0], up[1], up[2]) = (-200.0, 3.5, 0.0);
            let act = |x: f32| plain(activation, f64::from(x)) as f32;
            let row = |row: &[f32]| -> Vec<f32> {
                if is_gated {
                    let (gate, up) = row.split_at(width);
                    gate.iter().zip(up).map(|(&g, &u)| act(g) * u).collect()
                } else {
                    row.iter().map(|&x| act(x)).collect()
                }
            };
            let expected: Vec<f32> = up.chunks(shape.up_rows()).flat_map(row).collect();
            let largest = expected.iter().fold(0f32, |max, x| max.max(x.abs()));
            let (from, out) = (probe.storage("up", &up), probe.zeros(rows * width));
            // Absolute: the README says how good erf is. A gate's error is multiplied by up to 4, and
            // GPUs may divide and exponentiate less well than the one that tests run on.
            let most =
                if is_gated { 4e-6 } else { 1e-6 } * if probe.is_thorough { 1.0 } else { 10.0 };
            probe.expect("activation", &out, &expected, most / largest, |recorder| {
                run(recorder, &from, rows, &shape, &out)
            })?;
        }
    }
    Ok(())
}
