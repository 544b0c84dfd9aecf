//! Rotary positions: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::tables::Tables;
use crate::model::shape::AttentionShape;

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

/// Turns queries and keys of `qkv` `[rows, (H + 2 KV) W]` by the angles of their positions, where the
/// shape has rotary positions. Rows are steps of N tokens.
pub fn run(
    recorder: &mut Recorder,
    qkv: &wgpu::Buffer,
    rows: usize,
    shape: &AttentionShape,
    tables: &Tables,
) -> Result<(), GpuError> {
    let turns =
        Turns { tokens: &tables.tokens, first: 0, count: tables.rows, angles: &tables.angles };
    turn(recorder, qkv, rows, shape, turns, false)
}

/// Turns queries and keys of `qkv` `[rows, (H + 2 KV) W]` by the angles of `by`, or back by them if
/// `transposed`.
pub fn turn(
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
    let text = include_str!("rope.wgsl");
    let kernel = recorder.kernel("rope", &[Read, Read, Write], text);
    let (heads, half) = (shape.heads + shape.kv_heads, rope.width / 2);
    let params = [rows, by.count, heads, half, shape.qkv_width(), shape.head_width, by.first];
    let sign: f32 = if transposed { -1.0 } else { 1.0 };
    let params = [&params.map(|x| x as u32)[..], &[sign.to_bits()]].concat();
    let size = grid(rows * heads * half, 64);
    recorder.call(&kernel, &[by.tokens, by.angles, qkv], &params, size, 0)
}
