//! Copies rows by their ids: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::matrix::{Format, Matrix};
use super::recorder::Recorder;

pub struct Gather {
    weights: Kernel,
    numbers: Kernel,
}

/// Which rows, and where to.
pub struct Rows<'a> {
    pub ids: &'a wgpu::Buffer,
    pub first_id: usize,
    pub count: usize,
    pub out: &'a wgpu::Buffer,
    pub first_out: usize,
}

impl Gather {
    pub fn new(device: &Device, format: Format) -> Self {
        let kernel = |label, format: Format| {
            let source = format.specialise(include_str!("gather.wgsl"));
            Kernel::new(device, label, &source, &[Read, Read, Write])
        };
        Self {
            weights: kernel("gather weights", format),
            numbers: kernel("gather", Format::F32),
        }
    }

    /// Rows of a matrix: one dispatch for each of its pieces.
    pub fn weights(
        &self,
        recorder: &mut Recorder,
        table: &Matrix,
        rows: &Rows,
    ) -> Result<(), GpuError> {
        for piece in &table.pieces {
            let span = (piece.first, piece.rows);
            call(
                &self.weights,
                recorder,
                &piece.buffer,
                table.columns,
                span,
                0,
                rows,
            )?;
        }
        Ok(())
    }

    /// Rows `ids + offset` of a buffer of f32 rows of `width`.
    pub fn numbers(
        &self,
        recorder: &mut Recorder,
        table: &wgpu::Buffer,
        width: usize,
        offset: usize,
        rows: &Rows,
    ) -> Result<(), GpuError> {
        let all = (0, u32::MAX as usize);
        call(&self.numbers, recorder, table, width, all, offset, rows)
    }
}

fn call(
    kernel: &Kernel,
    recorder: &mut Recorder,
    table: &wgpu::Buffer,
    width: usize,
    (first, count): (usize, usize),
    offset: usize,
    rows: &Rows,
) -> Result<(), GpuError> {
    let params = [
        rows.count,
        width / 4,
        first,
        count,
        rows.first_id,
        rows.first_out,
        offset,
    ];
    let size = grid(rows.count * width / 4, 64);
    let buffers = [table, rows.ids, rows.out];
    recorder.call(kernel, &buffers, &params.map(|x| x as u32), size, 0)
}
