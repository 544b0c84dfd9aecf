//! Keys and values go to their cache: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use crate::model::shape::AttentionShape;

/// Keys and values of `qkv` `[N, (H + 2 KV) W]` to the rows of `cache` `[cache rows, 2 KV W]` that
/// `places` `[N]` names.
pub fn run(
    recorder: &mut Recorder,
    qkv: &wgpu::Buffer,
    rows: usize,
    shape: &AttentionShape,
    places: &wgpu::Buffer,
    cache: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let text = include_str!("append.wgsl");
    let kernel = recorder.kernel("append", &[Read, Read, Write], text);
    let width4 = cache_width(shape) / 4;
    let keys_at = shape.heads * shape.head_width;
    let params = [rows, width4, shape.qkv_width() / 4, keys_at / 4];
    let size = grid(rows * width4, 64);
    recorder.call(&kernel, &[places, qkv, cache], &params.map(|x| x as u32), size, 0)
}

/// 2 KV W: numbers that a token has in the cache of one block run.
pub fn cache_width(shape: &AttentionShape) -> usize {
    2 * shape.kv_heads * shape.head_width
}
