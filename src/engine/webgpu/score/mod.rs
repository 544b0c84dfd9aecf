//! Log-probabilities of given tokens: see the README beside this file.

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;

pub struct Score {
    kernel: Kernel,
    vocabulary: usize,
}

/// One token's score, from its four numbers.
pub fn read(numbers: &[f32; 4]) -> (f64, bool) {
    let [above, sum, is_best, _] = *numbers;
    (f64::from(above) - f64::from(sum).ln(), is_best == 1.0)
}

impl Score {
    pub fn new(device: &Device, vocabulary: usize) -> Self {
        let source = include_str!("score.wgsl");
        Self {
            kernel: Kernel::new(device, "score", source, &[Read, Read, Write]),
            vocabulary,
        }
    }

    /// `logits` [rows, V] at `targets[first..]`, to `out[place..]`: four numbers a row.
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &self,
        recorder: &mut Recorder,
        logits: &wgpu::Buffer,
        rows: usize,
        targets: &wgpu::Buffer,
        first: usize,
        out: &wgpu::Buffer,
        place: usize,
    ) -> Result<(), GpuError> {
        let params = [rows, self.vocabulary, first, place].map(|x| x as u32);
        recorder.call(
            &self.kernel,
            &[logits, targets, out],
            &params,
            grid(rows, 1),
            0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, noise};
    use super::*;

    #[test]
    fn the_likeliest_is_the_first_of_the_largest() {
        let mut gpu = Gpu::new();
        let (rows, v) = (4, 333);
        let mut logits: Vec<f32> = noise(rows * v, 1).iter().map(|x| 20.0 * x).collect();
        (logits[2 * v + 7], logits[2 * v + 71]) = (30.0, 30.0);
        (logits[3 * v + 7], logits[3 * v + 71]) = (30.0, 30.0);
        let targets = [9u32, 0, 332, 7, 71]; // the first is another chunk's
        let score = Score::new(&gpu.device, v);
        let (from, ids) = (
            gpu.device.storage("logits", &logits),
            gpu.device.storage("targets", &targets),
        );
        let out = gpu.zeros(6 * 4);
        let found = gpu.run(&out, 6 * 4, |recorder| {
            score.run(recorder, &from, rows, &ids, 1, &out, 2)
        });
        for (row, numbers) in found[8..].as_chunks().0.iter().enumerate() {
            let (log_probability, greedy) = read(numbers);
            let row_logits = &logits[row * v..][..v];
            let target = targets[1 + row] as usize;
            let sum: f64 = row_logits.iter().map(|&x| f64::from(x).exp()).sum();
            let expected = f64::from(row_logits[target]) - sum.ln();
            assert!(
                (log_probability - expected).abs() < 1e-4,
                "{log_probability}, {expected}"
            );
            let first = |x: &f32| row_logits.iter().all(|y| y <= x);
            assert_eq!(
                greedy,
                row_logits.iter().position(first) == Some(target),
                "row {row}"
            );
        }
    }
}
