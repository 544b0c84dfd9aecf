//! Log-probabilities of given tokens: see the README beside this file.

pub mod check;

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
