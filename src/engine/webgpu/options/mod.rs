//! Reads kept rows at the options' output rows: see the README beside this file.

pub mod check;

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
