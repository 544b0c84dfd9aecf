//! `silu(gate) * up`: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;

pub struct Gate {
    kernel: Kernel,
    /// F
    width: usize,
}

impl Gate {
    pub fn new(device: &Device, width: usize) -> Self {
        let source = include_str!("gate.wgsl");
        let kernel = Kernel::new(device, "gate", source, &[Read, Write]);
        Self { kernel, width }
    }

    /// `gate_up` [rows, 2 F] to `out` [rows, F].
    pub fn run(
        &self,
        recorder: &mut Recorder,
        gate_up: &wgpu::Buffer,
        rows: usize,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let params = [rows, self.width / 4].map(|x| x as u32);
        let size = grid(rows * self.width / 4, 64);
        recorder.call(&self.kernel, &[gate_up, out], &params, size, 0)
    }
}
