//! Derivatives of norms: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::norm::NormVectors;
use super::tangent::{GpuPairs, KeptRows};
use crate::model::shape::{AttentionShape, NormKind, QkNorm};

/// Probes `z` `[rows, D]` through a norm's derivative at rows `x`.
pub fn run(
    recorder: &mut Recorder,
    x: KeptRows,
    norm: NormVectors,
    pairs: &GpuPairs,
    z: &wgpu::Buffer,
    transposed: bool,
) -> Result<(), GpuError> {
    let width4 = norm.width / 4;
    let is_centred = usize::from(norm.shape.kind == NormKind::Layer);
    let eps = norm.shape.eps as f32;
    let layout = [1, width4, width4, width4, 0];
    call(recorder, (x, norm.gain), pairs, z, layout, eps, [is_centred, transposed.into()])
}

/// Derivatives of queries and keys in `z` `[rows, (H + 2 KV) W]` through their norm, where a shape has
/// one; at queries and keys `x` before it, of the same rows as tokens.
#[allow(clippy::too_many_arguments)]
pub fn run_heads(
    recorder: &mut Recorder,
    x: &wgpu::Buffer,
    shape: &AttentionShape,
    eps: f64,
    gains: [&wgpu::Buffer; 2],
    pairs: &GpuPairs,
    z: &wgpu::Buffer,
    transposed: bool,
) -> Result<(), GpuError> {
    let (heads, kv_heads, w4) = (shape.heads, shape.kv_heads, shape.head_width / 4);
    let parts = match shape.qk_norm {
        QkNorm::None => return Ok(()),
        QkNorm::Head => [[heads, w4], [kv_heads, w4]],
        QkNorm::Full => [[1, heads * w4], [1, kv_heads * w4]],
    };
    let row4 = shape.qkv_width() / 4;
    for (([count, width4], first), gain) in parts.into_iter().zip([0, heads * w4]).zip(gains) {
        let layout = [count, width4, row4, row4, first];
        let x = KeptRows::Inputs(x);
        call(recorder, (x, gain), pairs, z, layout, eps as f32, [0, transposed.into()])?;
    }
    Ok(())
}

/// Records the slopes of one norm in every row, `parts` of them a row.
fn call(
    recorder: &mut Recorder,
    (x, gain): (KeptRows, &wgpu::Buffer),
    pairs: &GpuPairs,
    z: &wgpu::Buffer,
    [parts, width4, x4, z4, first]: [usize; 5],
    eps: f32,
    [is_centred, is_transposed]: [usize; 2],
) -> Result<(), GpuError> {
    let text = include_str!("norm_slope.wgsl");
    let kernel = recorder.kernel("norm slope", &[Read, Read, Read, Write], text);
    let (x, by) = match x {
        KeptRows::Inputs(x) => (x, 0),
        KeptRows::Places(x) => (x, 1),
    };
    let params = [pairs.rows, parts, width4, x4, z4, first].map(|x| x as u32);
    let rest = [is_centred, is_transposed, by, pairs.first].map(|x| x as u32);
    let params = [&params[..], &[eps.to_bits()], &rest].concat();
    let size = grid(pairs.rows * parts, 1);
    recorder.call(&kernel, &[x, gain, &pairs.table, z], &params, size, 0)
}
