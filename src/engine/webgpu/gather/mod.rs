//! Copies rows of streams: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::member;
use super::tables::Tables;

pub struct GatherKernel {
    by_ids: Kernel,
    by_steps: Kernel,
}

/// Which rows of one stream: ids in a buffer, from `first` on.
#[derive(Clone, Debug)]
pub struct RowIds {
    pub buffer: wgpu::Buffer,
    pub first: usize,
    pub count: usize,
}

impl GatherKernel {
    pub fn new(device: &Device) -> Self {
        let kernel = |label, element: &str, row: &str| {
            let source = include_str!("gather.wgsl").replace("{ELEMENT}", element);
            let source = source.replace("{ROW}", row);
            Kernel::new(device, label, &source, &[Read, Read, Write])
        };
        Self {
            by_ids: kernel(
                "gather by ids",
                "u32",
                "fn source_row(row: u32) -> u32 { return p.slot_row + list[p.first + row]; }",
            ),
            by_steps: kernel(
                "gather by steps",
                "Step",
                &[
                    member::STEP,
                    "fn source_row(row: u32) -> u32 {
                        return list[p.first + row / p.pack_rows].slot_in * p.pack_rows + row % p.pack_rows;
                    }",
                ]
                .concat(),
            ),
        }
    }

    /// Rows of the stream in `slot`, to `out` from number `base` on.
    pub fn by_ids(
        &self,
        recorder: &mut Recorder,
        (tables, width): (&Tables, usize),
        slot: usize,
        ids: &RowIds,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        let (streams, slot_row) = (&tables.streams, slot * tables.rows);
        self.rows(recorder, (streams, width), slot_row, ids, (out, base))
    }

    /// Rows of a buffer of them, to `out` from number `base` on.
    pub fn of_buffer(
        &self,
        recorder: &mut Recorder,
        from: (&wgpu::Buffer, usize),
        ids: &RowIds,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        self.rows(recorder, from, 0, ids, (out, base))
    }

    fn rows(
        &self,
        recorder: &mut Recorder,
        (from, width): (&wgpu::Buffer, usize),
        first_row: usize,
        ids: &RowIds,
        (out, base): (&wgpu::Buffer, usize),
    ) -> Result<(), GpuError> {
        let params = [ids.count, width / 4, base, ids.first, first_row];
        let buffers = [from, &ids.buffer, out];
        let size = grid(ids.count * width / 4, 64);
        recorder.call(&self.by_ids, &buffers, &params.map(|x| x as u32), size, 0)
    }

    /// The streams that `steps` steps read, from `first_step` on, to `out` `[steps N, D]`.
    pub fn by_steps(
        &self,
        recorder: &mut Recorder,
        (tables, width): (&Tables, usize),
        first_step: usize,
        steps: usize,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let count = steps * tables.rows;
        let params = [count, width / 4, 0, first_step, 0, tables.rows];
        let buffers = [&tables.streams, &tables.steps, out];
        let size = grid(count * width / 4, 64);
        recorder.call(&self.by_steps, &buffers, &params.map(|x| x as u32), size, 0)
    }
}
