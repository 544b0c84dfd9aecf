//! Rotary positions: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;
use super::tables::Tables;
use crate::model::shape::AttentionShape;

pub struct RopeKernel(Kernel);

impl RopeKernel {
    pub fn new(device: &Device) -> Self {
        let source = include_str!("rope.wgsl");
        Self(Kernel::new(device, "rope", source, &[Read, Read, Write]))
    }

    /// Queries and keys of `qkv` `[rows, (H + 2 KV) W]`, rows being steps of N tokens, where a shape
    /// has rotary positions.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        rows: usize,
        shape: &AttentionShape,
        tables: &Tables,
    ) -> Result<(), GpuError> {
        let Some(rope) = &shape.rope else {
            return Ok(());
        };
        let (heads, half) = (shape.heads + shape.kv_heads, rope.width / 2);
        let params = [
            rows,
            tables.rows,
            heads,
            half,
            shape.qkv_width(),
            shape.head_width,
        ];
        let size = grid(rows * heads * half, 64);
        let buffers = [&tables.tokens, &tables.angles, qkv];
        recorder.call(&self.0, &buffers, &params.map(|x| x as u32), size, 0)
    }
}
