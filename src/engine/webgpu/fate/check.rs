//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn the_likeliest_is_the_first_of_the_largest(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, v) = (4, 333);
    let mut logits: Vec<f32> = noise(rows * v, 1).iter().map(|x| 20.0 * x).collect();
    (logits[2 * v + 7], logits[2 * v + 71]) = (30.0, 30.0);
    (logits[3 * v + 7], logits[3 * v + 71]) = (30.0, 30.0);
    let targets = [9u32, 0, 332, 7, 71]; // the first is another chunk's
    let fate = &probe.kernels.fate;
    let from = probe.storage("logits", &logits);
    let ids = RowIds { buffer: probe.storage("targets", &targets), first: 1, count: rows };
    let base = 2 * 4; // another chunk's
    let out = probe.zeros(base + rows * 4);
    let mut expected = vec![0.0; base];
    for (row_logits, &target) in logits.chunks(v).zip(&targets[1..]) {
        let largest = row_logits.iter().fold(f32::MIN, |max, &x| max.max(x));
        let sum: f64 = row_logits.iter().map(|x| f64::from(x - largest).exp()).sum();
        let first = row_logits.iter().position(|&x| x == largest);
        let is_first = f32::from(first == Some(target as usize));
        expected.extend([largest, sum as f32, row_logits[target as usize], is_first]);
    }
    probe.expect("fate", &out, &expected, 1e-5, |recorder| {
        fate.run(recorder, (&from, v), &ids, &out, base)
    })
}
