//! Derivatives of attention: see the README beside this file.

pub mod check;

use std::rc::Rc;

use super::attention::{window, with_heads};
use super::gather::RowIds;
use super::kernel::Kernel;
use super::kernel::prelude::*;
use super::tangent::GpuPairs;
use super::watchdog;
use crate::model::shape::AttentionShape;
use crate::plan::HeadsOff;

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

/// Writes weights and mixtures of the positions in `places`.
pub fn look(recorder: &mut Recorder, at: Looked, places: &RowIds) -> Result<(), GpuError> {
    let (label, source) = ("looks kept", include_str!("look.wgsl"));
    let kernel = kernel(recorder, label, source, at.shape, &[Read, Read, Write, Write]);
    let buffers = [at.qkv, &places.buffer, at.weights, at.mixed];
    call(recorder, &kernel, at, &buffers, [places.count, at.shape.heads, places.first])
}

/// `moved` `[rows, (H + 2 KV) W]`, turned, to `out` `[rows, H W]`.
pub fn push(
    recorder: &mut Recorder,
    at: Looked,
    pairs: &GpuPairs,
    moved: &wgpu::Buffer,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let (label, source) = ("attention slope", include_str!("push.wgsl"));
    let kernel = kernel(recorder, label, source, at.shape, &PROBE_BINDINGS);
    let buffers = [at.qkv, at.weights, at.mixed, &pairs.table, moved, out];
    call(recorder, &kernel, at, &buffers, [pairs.rows, at.shape.heads, pairs.first])
}

/// `w` `[rows, H W]` to `out` `[rows, (H + 2 KV) W]`, turned.
pub fn pull(
    recorder: &mut Recorder,
    at: Looked,
    pairs: &GpuPairs,
    w: &wgpu::Buffer,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let (label, source) = ("transposed attention slope", include_str!("pull.wgsl"));
    let kernel = kernel(recorder, label, source, at.shape, &PROBE_BINDINGS);
    let buffers = [at.qkv, at.weights, at.mixed, &pairs.table, w, out];
    call(recorder, &kernel, at, &buffers, [pairs.rows, at.shape.kv_heads, pairs.first])
}

/// Bindings of kernels that take probes.
const PROBE_BINDINGS: [Access; 6] = [Read, Read, Read, Read, Read, Write];

/// Returns a kernel for heads of this shape.
fn kernel(
    recorder: &Recorder,
    label: &'static str,
    source: &str,
    shape: &AttentionShape,
    accesses: &[Access],
) -> Rc<Kernel> {
    let numbers = [shape.heads, shape.kv_heads, shape.head_width];
    recorder.variant(label, &numbers, accesses, || {
        let source = source.replacen("//head\n", include_str!("head.wgsl"), 1);
        with_heads(&source, shape).replace("{W}", &shape.head_width.to_string())
    })
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
