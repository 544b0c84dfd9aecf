//! A thread an output: nothing shared, nothing staged.

use super::super::attention::{window, with_heads};
use super::super::error::GpuError;
use super::super::kernel::Access::{Read, Write};
use super::super::matrix::GpuMatrix;
use super::super::recorder::Recorder;
use crate::model::shape::AttentionShape;

/// `a` `[m, k]` times `w` `[n, k]` transposed, of f32 weights in one piece, to `out` `[m, n]`.
pub fn gemm(
    recorder: &mut Recorder,
    a: &wgpu::Buffer,
    m: usize,
    w: &GpuMatrix,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let text = include_str!("gemm.wgsl");
    let kernel = recorder.kernel("naive gemm", &[Read, Read, Write], text);
    for part in &w.parts {
        let params = [m, part.rows, w.columns, w.rows].map(|x| x as u32);
        let size = [part.rows.div_ceil(8) as u32, m.div_ceil(8) as u32, 1];
        recorder.call(&kernel, &[a, &part.buffer, out], &params, size, 0)?;
    }
    Ok(())
}

/// `qkv` `[steps N, (H + 2 KV) W]` to `out` `[steps N, H W]`; `starts` `[N]` is the first row of
/// each token's sequence.
pub fn attention(
    recorder: &mut Recorder,
    qkv: &wgpu::Buffer,
    (steps, pack_rows): (usize, usize),
    shape: &AttentionShape,
    starts: &wgpu::Buffer,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let numbers = [shape.heads, shape.kv_heads, shape.head_width];
    let kernel = recorder.variant("naive attention", &numbers, &[Read, Read, Write], || {
        let source = with_heads(include_str!("attention.wgsl"), shape);
        source.replace("{W}", &shape.head_width.to_string())
    });
    let rows = steps * pack_rows;
    let params = [rows as u32, pack_rows as u32, window(shape)];
    let size = [(rows * shape.heads).div_ceil(64) as u32, 1, 1];
    recorder.call(&kernel, &[starts, qkv, out], &params, size, 0)
}

#[cfg(test)]
mod tests {
    use super::super::super::attention::check::{SHAPES, SPANS, STEPS, TOKENS, on_cpu, qkv};
    use super::super::super::device::tests::device;
    use super::super::super::gemm::check::product;
    use super::super::super::probe::{Probe, heads, noise};
    use super::*;
    use crate::model::DType;

    #[test]
    fn the_naive_product_is_a_product() {
        let device = device();
        let mut probe = Probe::new(&device, true);
        let (m, n, k) = (13, 21, 40);
        let (a, w) = (noise(m * k, 3), noise(n * k, 4));
        let matrix = GpuMatrix::of_numbers(&device, &w, k, DType::F32).expect("a matrix");
        let (from, out) = (probe.storage("a", &a), probe.zeros(m * n));
        let expected = product(&a, &w, &vec![0.0; n], k);
        let run = |recorder: &mut Recorder| gemm(recorder, &from, m, &matrix, &out);
        probe.expect("naive gemm", &out, &expected, 1e-4, run).expect("a run");
        pollster::block_on(probe.settle()).expect("a product");
    }

    #[test]
    fn naive_attention_is_attention() {
        let device = device();
        let mut probe = Probe::new(&device, true);
        for (h, kv_heads, width, window) in SHAPES {
            let shape = heads(h, kv_heads, width, window);
            let qkv = qkv(&shape);
            let expected = on_cpu(&qkv, &shape, TOKENS, &SPANS);
            let from = probe.storage("qkv", &qkv);
            let starts = SPANS.iter().flat_map(|&(start, t)| vec![start as u32; t]);
            let starts = probe.storage("starts", &starts.collect::<Vec<u32>>());
            let out = probe.zeros(expected.len());
            let run = |recorder: &mut Recorder| {
                attention(recorder, &from, (STEPS, TOKENS), &shape, &starts, &out)
            };
            probe.expect("naive attention", &out, &expected, 1e-4, run).expect("a run");
        }
        pollster::block_on(probe.settle()).expect("sums");
    }
}
