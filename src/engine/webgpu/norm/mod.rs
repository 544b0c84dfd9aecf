//! RMSNorm of rows: see the README beside this file.

pub mod check;

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
