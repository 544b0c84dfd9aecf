//! Rotary positions: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::tables::Tables;
use crate::model::shape::AttentionShape;

pub struct RopeKernel(Kernel);

/// By how much each of N rows turns, again and again.
#[derive(Clone, Copy)]
pub struct Turns<'a> {
    /// `[N]` from `first` on: (angle row, anything)
    pub tokens: &'a wgpu::Buffer,
    pub first: usize,
    /// N
    pub count: usize,
    /// `[angle rows, rope width / 2]` (cos, sin)
    pub angles: &'a wgpu::Buffer,
}

impl RopeKernel {
    pub fn new(device: &Device) -> Self {
        let source = include_str!("rope.wgsl");
        Self(Kernel::new(device, "rope", source, &[Read, Read, Write]))
    }

    /// Turns queries and keys of `qkv` `[rows, (H + 2 KV) W]` by the angles of their positions, where the
    /// shape has rotary positions. Rows are steps of N tokens.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        rows: usize,
        shape: &AttentionShape,
        tables: &Tables,
    ) -> Result<(), GpuError> {
        let turns =
            Turns { tokens: &tables.tokens, first: 0, count: tables.rows, angles: &tables.angles };
        self.turn(recorder, qkv, rows, shape, turns, false)
    }

    /// Turns queries and keys of `qkv` `[rows, (H + 2 KV) W]` by the angles of `by`, or back by them if
    /// `transposed`.
    pub fn turn(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        rows: usize,
        shape: &AttentionShape,
        by: Turns,
        transposed: bool,
    ) -> Result<(), GpuError> {
        let Some(rope) = &shape.rope else {
            return Ok(());
        };
        let (heads, half) = (shape.heads + shape.kv_heads, rope.width / 2);
        let params = [rows, by.count, heads, half, shape.qkv_width(), shape.head_width, by.first];
        let sign: f32 = if transposed { -1.0 } else { 1.0 };
        let params = [&params.map(|x| x as u32)[..], &[sign.to_bits()]].concat();
        let size = grid(rows * heads * half, 64);
        let buffers = [by.tokens, by.angles, qkv];
        recorder.call(&self.0, &buffers, &params, size, 0)
    }
}
