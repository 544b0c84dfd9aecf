//! RMSNorm of rows: see the README beside this file.

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;

pub struct Norm {
    kernel: Kernel,
    width: usize,
    eps: f32,
}

/// Where a norm's rows lie.
#[derive(Clone, Copy)]
pub enum From<'a> {
    /// One after the other.
    Rows(&'a wgpu::Buffer),
    /// In streams `[slots, N, D]`, by the copy table.
    Streams {
        streams: &'a wgpu::Buffer,
        rows_a_copy: usize,
        first_copy: usize,
    },
}

impl Norm {
    pub fn new(device: &Device, width: usize, eps: f32) -> Self {
        let source = include_str!("norm.wgsl");
        let kernel = Kernel::new(device, "norm", source, &[Read, Read, Read, Write]);
        Self { kernel, width, eps }
    }

    pub fn run(
        &self,
        recorder: &mut Recorder,
        from: From,
        rows: usize,
        weight: &wgpu::Buffer,
        copies: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (x, streams, tokens, copy) = match from {
            From::Rows(x) => (x, 0, 1, 0),
            From::Streams {
                streams,
                rows_a_copy,
                first_copy,
            } => (streams, 1, rows_a_copy as u32, first_copy as u32),
        };
        let width4 = (self.width / 4) as u32;
        let params = [
            rows as u32,
            width4,
            self.eps.to_bits(),
            streams,
            tokens,
            copy,
        ];
        recorder.call(
            &self.kernel,
            &[x, weight, copies, out],
            &params,
            grid(rows, 1),
            0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, noise, worst};
    use super::*;

    fn plain(row: &[f32], weight: &[f32], eps: f32) -> Vec<f32> {
        let square: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
        let r = 1.0 / (square / row.len() as f64 + f64::from(eps)).sqrt();
        let each = row.iter().zip(weight);
        each.map(|(x, w)| (f64::from(*x) * r) as f32 * w).collect()
    }

    #[test]
    fn rows_and_streams_are_normed_as_on_the_cpu() {
        let mut gpu = Gpu::new();
        for width in [4, 48, 172, 576] {
            let (eps, tokens) = (1e-3, 3);
            let (x, weight) = (noise(4 * tokens * width, 1), noise(width, 2));
            let norm = Norm::new(&gpu.device, width, eps);
            let table = [[9u32; 8], [2, 0, 0, 0, 0, 0, 0, 0], [0; 8]];
            let copies = gpu.device.storage("copies", table.as_flattened());
            let (from, w) = (
                gpu.device.storage("x", &x),
                gpu.device.storage("weight", &weight),
            );
            let all: Vec<f32> = x
                .chunks(width)
                .flat_map(|row| plain(row, &weight, eps))
                .collect();
            let n = 4 * tokens;
            let out = gpu.zeros(n * width);
            let found = gpu.run(&out, n * width, |recorder| {
                norm.run(recorder, From::Rows(&from), n, &w, &copies, &out)
            });
            assert!(worst(&found, &all) < 1e-5);

            let streams = From::Streams {
                streams: &from,
                rows_a_copy: tokens,
                first_copy: 1,
            };
            let out = gpu.zeros(2 * tokens * width);
            let found = gpu.run(&out, 2 * tokens * width, |recorder| {
                norm.run(recorder, streams, 2 * tokens, &w, &copies, &out)
            });
            let slot = |slot: usize| &all[slot * tokens * width..][..tokens * width];
            assert!(worst(&found, &[slot(2), slot(0)].concat()) < 1e-5);
        }
    }
}
