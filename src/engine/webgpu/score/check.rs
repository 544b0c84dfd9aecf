//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn the_likeliest_is_the_first_of_the_largest(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, v) = (4, 333);
    let mut logits: Vec<f32> = noise(rows * v, 1).iter().map(|x| 20.0 * x).collect();
    (logits[2 * v + 7], logits[2 * v + 71]) = (30.0, 30.0);
    (logits[3 * v + 7], logits[3 * v + 71]) = (30.0, 30.0);
    let targets = [9u32, 0, 332, 7, 71]; // the first is another chunk's
    let score = Score::new(probe.device, v);
    let (from, ids) = (
        probe.storage("logits", &logits),
        probe.storage("targets", &targets),
    );
    let out = probe.zeros(6 * 4);
    let mut expected = vec![0.0; 2 * 4]; // another chunk's
    for (row_logits, &target) in logits.chunks(v).zip(&targets[1..]) {
        let largest = row_logits.iter().fold(f32::MIN, |max, &x| max.max(x));
        let sum: f64 = row_logits
            .iter()
            .map(|x| f64::from(x - largest).exp())
            .sum();
        let first = row_logits.iter().position(|&x| x == largest);
        let is_best = f32::from(first == Some(target as usize));
        let above = row_logits[target as usize] - largest;
        expected.extend([above, sum as f32, is_best, 0.0]);
    }
    probe.expect("score", &out, &expected, 1e-4, |recorder| {
        score.run(recorder, &from, rows, &ids, 1, &out, 2)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_score_is_read_from_its_four_numbers() {
        let (log_probability, greedy) = super::read(&[-2.0, std::f32::consts::E, 0.0, 0.0]);
        assert!((log_probability + 3.0).abs() < 1e-6 && !greedy);
    }
}
