//! Reads kept rows at the options' output rows: see the README beside this file.

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;

pub struct Options {
    kernel: Kernel,
    width: usize,
}

/// Rows to read, and through what.
pub struct Reading<'a> {
    /// [rows, D], row c being prompt `c % prompts`'s
    pub kept: &'a wgpu::Buffer,
    pub rows: usize,
    /// [P, K, D]
    pub options: &'a wgpu::Buffer,
    pub prompts: usize,
    /// K
    pub count: usize,
    /// The final norm's weight.
    pub weight: &'a wgpu::Buffer,
}

impl Options {
    pub fn new(device: &Device, width: usize) -> Self {
        let source = include_str!("options.wgsl");
        let kernel = Kernel::new(device, "options", source, &[Read, Read, Read, Write]);
        Self { kernel, width }
    }

    /// `out` [rows, K + 1]: the options' logits without the norm's scale, then the mean square.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        from: &Reading,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let params = [from.rows, self.width / 4, from.prompts, from.count].map(|x| x as u32);
        let buffers = [from.kept, from.options, from.weight, out];
        recorder.call(&self.kernel, &buffers, &params, grid(from.rows, 1), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, noise, worst};
    use super::*;

    #[test]
    fn every_row_is_read_at_its_own_prompts_options() {
        let mut gpu = Gpu::new();
        for (rows, prompts, k, d) in [(6, 3, 2, 48), (2, 1, 5, 172), (4, 2, 0, 8)] {
            let (kept, options, weight) =
                (noise(rows * d, 1), noise(prompts * k * d, 2), noise(d, 3));
            let mut expected = Vec::new();
            for (row, z) in kept.chunks(d).enumerate() {
                for option in 0..k {
                    let w = &options[(row % prompts * k + option) * d..][..d];
                    let terms = z.iter().zip(w).zip(&weight);
                    expected.push(
                        terms
                            .map(|((z, w), g)| f64::from(z * g) * f64::from(*w))
                            .sum::<f64>() as f32,
                    );
                }
                expected.push(z.iter().map(|z| z * z).sum::<f32>() / d as f32);
            }
            let reader = Options::new(&gpu.device, d);
            let reading = Reading {
                kept: &gpu.device.storage("kept", &kept),
                rows,
                options: &gpu.device.storage("options", &options),
                prompts,
                count: k,
                weight: &gpu.device.storage("weight", &weight),
            };
            let out = gpu.zeros(expected.len());
            let found = gpu.run(&out, expected.len(), |recorder| {
                reader.run(recorder, &reading, &out)
            });
            assert!(worst(&found, &expected) < 1e-5);
        }
    }
}
