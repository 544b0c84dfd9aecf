//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, agree, noise};
use super::*;

pub async fn the_likeliest_is_the_first_of_the_largest(
    probe: &mut Probe<'_>,
) -> Result<(), GpuError> {
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
    let found = probe
        .run(&out, 6 * 4, |recorder| {
            score.run(recorder, &from, rows, &ids, 1, &out, 2)
        })
        .await?;
    for (row, numbers) in found[8..].as_chunks().0.iter().enumerate() {
        let (log_probability, greedy) = read(numbers);
        let row_logits = &logits[row * v..][..v];
        let target = targets[1 + row] as usize;
        let sum: f64 = row_logits.iter().map(|&x| f64::from(x).exp()).sum();
        let expected = f64::from(row_logits[target]) - sum.ln();
        agree("score", &[log_probability as f32], &[expected as f32], 1e-4)?;
        let first = |x: &f32| row_logits.iter().all(|y| y <= x);
        let is_first = row_logits.iter().position(first) == Some(target);
        agree("score", &[f32::from(greedy)], &[f32::from(is_first)], 0.0)?;
    }
    Ok(())
}
