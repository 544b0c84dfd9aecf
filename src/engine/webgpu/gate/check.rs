//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn the_gate_closes_and_opens_as_on_the_cpu(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, f) = (5, 44);
    let mut gate_up: Vec<f32> = noise(rows * 2 * f, 1).iter().map(|x| 8.0 * x).collect();
    (gate_up[0], gate_up[1], gate_up[2]) = (-200.0, 200.0, 0.0);
    let plain = |row: &[f32]| -> Vec<f32> {
        let (gate, up) = row.split_at(f);
        let each = gate.iter().zip(up);
        each.map(|(&g, &u)| (f64::from(g) / (1.0 + f64::from(-g).exp())) as f32 * u)
            .collect()
    };
    let expected: Vec<f32> = gate_up.chunks(2 * f).flat_map(plain).collect();
    let gate = Gate::new(probe.device, f);
    let (from, out) = (probe.storage("gate_up", &gate_up), probe.zeros(rows * f));
    probe.expect("gate", &out, &expected, 1e-4, |recorder| {
        gate.run(recorder, &from, rows, &out)
    })
}
