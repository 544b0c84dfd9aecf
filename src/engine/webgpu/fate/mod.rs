//! How given tokens fare among all logits: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::gather::RowIds;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;
use super::template::with_total;

pub struct FateKernel(Kernel);

impl FateKernel {
    pub fn new(device: &Device) -> Self {
        let source = with_total(include_str!("fate.wgsl"));
        Self(Kernel::new(device, "fate", &source, &[Read, Read, Write]))
    }

    /// `logits` `[rows, V]` at as many targets, to `out` from number `base` on: four numbers a row.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        (logits, vocabulary): (&wgpu::Buffer, usize),
        targets: &RowIds,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        let rows = targets.count;
        let params = [rows, vocabulary, targets.first, base].map(|x| x as u32);
        let buffers = [logits, &targets.buffer, out];
        recorder.call(&self.0, &buffers, &params, grid(rows, 1), 0)
    }
}
