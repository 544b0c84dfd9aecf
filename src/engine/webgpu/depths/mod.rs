//! Streams read by the whole vocabulary: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::gather::RowIds;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::norm::NormVectors;
use super::recorder::Recorder;
use super::template::with_total;
use super::watchdog;
use crate::engine::backend::DepthRows;
use crate::model::shape::NormKind;

pub struct DepthsKernel {
    rows: Kernel,
    depths: Kernel,
}

/// Logits whose last row is the end's.
pub struct DepthLogits<'a> {
    /// `[end + 1, V]`
    pub logits: &'a wgpu::Buffer,
    pub vocabulary: usize,
    /// Rows that are written.
    pub rows: usize,
    pub end: usize,
    pub top: usize,
    pub followed: &'a RowIds,
}

impl DepthsKernel {
    pub fn new(device: &Device) -> Self {
        let rows = with_total(include_str!("rows.wgsl"));
        let depths = with_total(include_str!("depths.wgsl"));
        let of_rows = [Read, Read, Read, Read, Write];
        Self {
            rows: Kernel::new(device, "depth rows", &rows, &of_rows),
            depths: Kernel::new(device, "depths", &depths, &[Read, Read, Write]),
        }
    }

    /// What [`Self::norm`] reads of streams that are sums of kept rows: where each stream's list begins
    /// and how long it is, then the lists.
    pub fn list(sums: &[&[u32]]) -> Vec<u32> {
        let mut list = Vec::new();
        let mut next = 2 * sums.len();
        for sum in sums {
            list.extend([next as u32, sum.len() as u32]);
            next += sum.len();
        }
        list.extend(sums.iter().copied().flatten());
        list
    }

    /// `rows` streams, listed in `lists`, through the norm to `out` `[rows, D]`; with the last one's
    /// scale where `is_held`.
    #[allow(clippy::too_many_arguments)] // The buffers of one dispatch.
    pub fn norm(
        &self,
        recorder: &mut Recorder,
        kept: &wgpu::Buffer,
        lists: &RowIds,
        rows: usize,
        norm: NormVectors,
        is_held: bool,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let is_centred = u32::from(norm.shape.kind == NormKind::Layer);
        let params = [
            rows as u32,
            (norm.width / 4) as u32,
            (norm.shape.eps as f32).to_bits(),
            is_centred,
            u32::from(is_held),
            lists.first as u32,
            norm.width as u32,
        ];
        let buffers = [kept, &lists.buffer, norm.gain, norm.bias, out];
        recorder.call(&self.rows, &buffers, &params, grid(rows, 1), 0)
    }

    /// A row of numbers for each of the first rows, to `out` from number `base` on.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        from: &DepthLogits,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        let passes = 30 + 2 * (from.top + from.followed.count);
        let a_row = (passes * from.vocabulary) as u64;
        for rows in watchdog::rows(from.rows, a_row, recorder.most_work()) {
            let params = [
                rows.end,
                from.vocabulary,
                from.end,
                from.top,
                from.followed.count,
                from.followed.first,
                base,
                rows.start,
            ];
            let params = params.map(|x| x as u32);
            let buffers = [from.logits, &from.followed.buffer, out];
            let (size, cost) = (grid(rows.len(), 1), a_row * rows.len() as u64);
            recorder.call(&self.depths, &buffers, &params, size, cost)?;
        }
        Ok(())
    }
}

/// Streams with one end, few enough at a time for logits of `most` rows: which of `rows.sums` each
/// part writes, the end among what it reads behind them.
pub fn parts(rows: &DepthRows, most: usize) -> Vec<std::ops::Range<usize>> {
    let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
    for (n, end) in rows.ends.iter().enumerate() {
        match parts.last_mut() {
            Some(part) if rows.ends[part.start] == *end && part.len() + 1 < most.max(2) => {
                part.end = n + 1;
            }
            _ => parts.push(n..n + 1),
        }
    }
    parts
}
