//! RMSNorm of queries and keys: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use crate::model::shape::{AttentionShape, QkNorm};

/// Queries and keys of `qkv` `[rows, (H + 2 KV) W]`, where a shape has that norm; the gains are
/// `[W]` each, or `[H W]` and `[KV W]`.
pub fn run(
    recorder: &mut Recorder,
    qkv: &wgpu::Buffer,
    rows: usize,
    shape: &AttentionShape,
    eps: f64,
    gains: [&wgpu::Buffer; 2],
) -> Result<(), GpuError> {
    let (heads, kv_heads, width) = (shape.heads, shape.kv_heads, shape.head_width);
    let parts = match shape.qk_norm {
        QkNorm::None => return Ok(()),
        QkNorm::Head => [heads, width, kv_heads, width],
        QkNorm::Full => [1, heads * width, 1, kv_heads * width],
    };
    let text = include_str!("qk_norm.wgsl");
    let kernel = recorder.kernel("q/k norm", &[Read, Read, Write], text);
    let mut params = [rows, shape.qkv_width()].map(|x| x as u32).to_vec();
    params.extend(parts.map(|x| x as u32));
    params.push((eps as f32).to_bits());
    let size = grid(rows * (parts[0] + parts[2]), 1);
    recorder.call(&kernel, &[gains[0], gains[1], qkv], &params, size, 0)
}
