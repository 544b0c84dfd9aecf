//! Rotary positions: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;
use crate::model::ModelConfig;

pub struct Turn {
    kernel: Kernel,
    /// heads + kv_heads
    turned: usize,
    half: usize,
    stride: usize,
}

impl Turn {
    pub fn new(device: &Device, config: &ModelConfig) -> Self {
        let source = include_str!("rope.wgsl");
        Self {
            kernel: Kernel::new(device, "rope", source, &[Read, Read, Write]),
            turned: config.heads + config.kv_heads,
            half: config.head_width / 2,
            stride: (config.heads + 2 * config.kv_heads) * config.head_width,
        }
    }

    /// Queries and keys of `qkv` [rows, (heads + 2 kv_heads) W], rows being copies of N tokens.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        rows: usize,
        rows_a_copy: usize,
        tokens: &wgpu::Buffer,
        angles: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let params = [rows, rows_a_copy, self.turned, self.half, self.stride].map(|x| x as u32);
        let size = grid(rows * self.turned * self.half, 64);
        recorder.call(&self.kernel, &[tokens, angles, qkv], &params, size, 0)
    }
}
