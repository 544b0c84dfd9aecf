//! Derivatives of attention: see the README beside this file.

pub mod check;

use super::attention::{window, with_heads};
use super::gather::RowIds;
use super::kernel::prelude::*;
use super::tangent::GpuPairs;
use super::template::with_total;
use super::watchdog;
use crate::model::shape::AttentionShape;
use crate::plan::HeadsOff;

/// Pipelines for every (heads, KV heads, W).
#[derive(Default)]
pub struct AttentionSlopeKernel {
    look: Variants<(usize, usize, usize)>,
    push: Variants<(usize, usize, usize)>,
    pull: Variants<(usize, usize, usize)>,
}

/// Queries, keys and values of a sequence, with the attention weights and mixtures of P output positions.
#[derive(Clone, Copy)]
pub struct Looked<'a> {
    pub shape: &'a AttentionShape,
    /// Heads whose weights and mixtures are 0, and so their slopes.
    pub off: HeadsOff,
    /// T
    pub tokens: usize,
    /// `[T, (H + 2 KV) W]`, turned.
    pub qkv: &'a wgpu::Buffer,
    /// `[places, H, T]`
    pub weights: &'a wgpu::Buffer,
    /// `[places, H, W]`
    pub mixed: &'a wgpu::Buffer,
}

impl AttentionSlopeKernel {
    /// Writes weights and mixtures of the positions in `places`.
    pub fn look(
        &self,
        recorder: &mut Recorder,
        at: Looked,
        places: &RowIds,
    ) -> Result<(), GpuError> {
        let (device, shape) = (recorder.device, at.shape);
        let kernel = self.look.get(key(shape), || {
            let source = include_str!("look.wgsl");
            kernel(device, "looks kept", source, shape, &[Read, Read, Write, Write])
        });
        let buffers = [at.qkv, &places.buffer, at.weights, at.mixed];
        call(recorder, &kernel, at, &buffers, [places.count, shape.heads, places.first])
    }

    /// `moved` `[rows, (H + 2 KV) W]`, turned, to `out` `[rows, H W]`.
    pub fn push(
        &self,
        recorder: &mut Recorder,
        at: Looked,
        pairs: &GpuPairs,
        moved: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (device, shape) = (recorder.device, at.shape);
        let kernel = self.push.get(key(shape), || {
            let source = include_str!("push.wgsl");
            let accesses = [Read, Read, Read, Read, Read, Write];
            kernel(device, "attention slope", source, shape, &accesses)
        });
        let buffers = [at.qkv, at.weights, at.mixed, &pairs.table, moved, out];
        call(recorder, &kernel, at, &buffers, [pairs.rows, shape.heads, pairs.first])
    }

    /// `w` `[rows, H W]` to `out` `[rows, (H + 2 KV) W]`, turned.
    pub fn pull(
        &self,
        recorder: &mut Recorder,
        at: Looked,
        pairs: &GpuPairs,
        w: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (device, shape) = (recorder.device, at.shape);
        let kernel = self.pull.get(key(shape), || {
            let source = include_str!("pull.wgsl");
            let accesses = [Read, Read, Read, Read, Read, Write];
            kernel(device, "transposed attention slope", source, shape, &accesses)
        });
        let buffers = [at.qkv, at.weights, at.mixed, &pairs.table, w, out];
        call(recorder, &kernel, at, &buffers, [pairs.rows, shape.kv_heads, pairs.first])
    }
}

fn key(shape: &AttentionShape) -> (usize, usize, usize) {
    (shape.heads, shape.kv_heads, shape.head_width)
}

fn kernel(
    device: &Device,
    label: &'static str,
    source: &str,
    shape: &AttentionShape,
    accesses: &[Access],
) -> Kernel {
    let source = source.replacen("//head\n", include_str!("head.wgsl"), 1);
    let source = with_heads(&with_total(&source), shape);
    let source = source.replace("{W}", &shape.head_width.to_string());
    Kernel::new(device, label, &source, accesses)
}

/// A workgroup for each of `heads` of `rows`, from `first` on in their list.
fn call(
    recorder: &mut Recorder,
    kernel: &Kernel,
    at: Looked,
    buffers: &[&wgpu::Buffer],
    [rows, heads, first]: [usize; 3],
) -> Result<(), GpuError> {
    // All query heads' scores and sums over all keys.
    let a_row = 4 * (at.tokens + 64) * at.shape.attended_width();
    let an_item = (a_row / heads.max(1)) as u64;
    for items in watchdog::rows(rows * heads, an_item, recorder.most_work()) {
        let numbers = [items.start, items.end, first, at.tokens];
        // The heads begin at a multiple of 16 bytes.
        let rest = [window(at.shape), 0, 0, 0];
        let params = [&numbers.map(|x| x as u32)[..], &rest, &at.off.words()].concat();
        let (size, cost) = (grid(items.len(), 1), an_item * items.len() as u64);
        recorder.call(kernel, buffers, &params, size, cost)?;
    }
    recorder.tally.work += (a_row * rows) as u64;
    Ok(())
}
