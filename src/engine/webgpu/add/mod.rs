//! Sums of rows: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;

/// Rows `[D]` of a buffer.
#[derive(Clone, Copy)]
pub struct RowsFrom<'a> {
    pub buffer: &'a wgpu::Buffer,
    /// The first row.
    pub first: usize,
    /// How many of the sum's rows they have a part in.
    pub rows: usize,
}

impl<'a> RowsFrom<'a> {
    /// The first `rows` of a buffer.
    pub fn first(buffer: &'a wgpu::Buffer, rows: usize) -> Self {
        Self { buffer, first: 0, rows }
    }
}

/// `out = a + b`, all of `out`'s rows; it is another buffer than theirs.
pub fn run(
    recorder: &mut Recorder,
    a: RowsFrom,
    b: RowsFrom,
    width: usize,
    out: RowsFrom,
) -> Result<(), GpuError> {
    let text = include_str!("add.wgsl");
    let kernel = recorder.kernel("add", &[Read, Read, Write], text);
    let width4 = width / 4;
    let firsts = [a.first, b.first, out.first].map(|first| first * width4);
    let params = [&[out.rows, width4, a.rows, b.rows][..], &firsts].concat();
    let params: Vec<u32> = params.into_iter().map(|x| x as u32).collect();
    let buffers = [a.buffer, b.buffer, out.buffer];
    recorder.call(&kernel, &buffers, &params, grid(out.rows * width4, 64), 0)
}
