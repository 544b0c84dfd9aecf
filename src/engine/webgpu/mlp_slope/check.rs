//! Compares these kernels with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::activation;

use super::super::probe::{Probe, noise};
use super::*;

pub fn every_slope_is_the_cpus(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, width) = (5, 44);
    for activation in [Activation::Silu, Activation::GeluTanh, Activation::GeluErf] {
        for is_gated in [true, false] {
            let shape = MlpShape { width, is_gated, activation, has_bias: false };
            let numbers = noise(rows * shape.up_rows(), 1);
            let mut up: Vec<f32> = numbers.iter().map(|x| 4.0 * x).collect();
            (up[0], up[1], up[2]) = (-200.0, 90.0, 0.0);
            let mut expected = up.clone();
            activation::slopes(activation, is_gated, &mut expected, width);
            let out = probe.storage("up", &up);
            probe.expect("activation slopes", &out, &expected, 1e-5, |recorder| {
                slopes(recorder, &out, rows, &shape)
            })?;
        }
    }
    Ok(())
}

pub fn rows_meet_the_slopes_of_their_places(probe: &mut Probe) -> Result<(), GpuError> {
    let table = [[9, 9, 9, 9], [4, 1, 5, 0], [0, 0, 0, 1], [2, 1, 5, 0]];
    let pairs = GpuPairs { table: probe.storage("pairs", table.as_flattened()), first: 1, rows: 3 };
    for is_gated in [true, false] {
        let shape = MlpShape { width: 20, is_gated, activation: Activation::Silu, has_bias: false };
        let (f, up) = (shape.width, shape.up_rows());
        let slopes = noise(2 * up, 1);
        let (wide, narrow) = (noise(3 * up, 2), noise(3 * f, 3));
        let (mut pushed, mut pulled) = (vec![0.0; 3 * f], vec![0.0; 3 * up]);
        for (n, pair) in table[1..].iter().enumerate() {
            for i in 0..up {
                let slope = slopes[pair[1] as usize * up + i];
                pushed[n * f + i % f] += wide[n * up + i] * slope;
                pulled[n * up + i] = narrow[n * f + i % f] * slope;
            }
        }
        let slopes = probe.storage("slopes", &slopes);
        for (x, expected, transposed) in [(wide, pushed, false), (narrow, pulled, true)] {
            let (x, out) = (probe.storage("x", &x), probe.zeros(expected.len()));
            probe.expect("times slopes", &out, &expected, 1e-5, |recorder| {
                scale(recorder, &slopes, &shape, &pairs, &x, &out, transposed)
            })?;
        }
    }
    Ok(())
}
