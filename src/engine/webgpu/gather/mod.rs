//! Copies rows of streams: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;

/// Which rows of one stream: ids in a buffer, from `first` on.
#[derive(Clone, Debug)]
pub struct RowIds {
    pub buffer: wgpu::Buffer,
    pub first: usize,
    pub count: usize,
}

/// Rows `[D]` of a buffer, the ids counted from row `first_row` on, to `out` from number `base` on.
pub fn run(
    recorder: &mut Recorder,
    (from, width): (&wgpu::Buffer, usize),
    first_row: usize,
    ids: &RowIds,
    (out, base): (&wgpu::Buffer, usize),
) -> Result<(), GpuError> {
    let text = include_str!("gather.wgsl");
    let kernel = recorder.kernel("gather", &[Read, Read, Write], text);
    let params = [ids.count, width / 4, base, ids.first, first_row];
    let size = grid(ids.count * width / 4, 64);
    recorder.call(&kernel, &[from, &ids.buffer, out], &params.map(|x| x as u32), size, 0)
}
