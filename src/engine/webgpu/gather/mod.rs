//! Copies rows by their ids: see the README beside this file.

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

#[cfg(test)]
mod tests {
    use super::super::matrix::Piece;
    use super::super::testing::{Gpu, noise};
    use super::*;

    #[test]
    fn rows_come_from_every_piece_of_a_table() {
        let mut gpu = Gpu::new();
        let (rows, width) = (10, 12);
        for format in Format::ALL {
            let numbers: Vec<f32> = noise(rows * width, 1)
                .iter()
                .map(|x| (x * 64.0).round())
                .collect();
            let part = |first: usize, count: usize| {
                let numbers = &numbers[first * width..(first + count) * width];
                let part =
                    Matrix::upload(&gpu.device, "part", numbers, width, format).expect("a part");
                let buffer = part.pieces[0].buffer.clone();
                Piece {
                    first,
                    rows: count,
                    buffer,
                }
            };
            let table = Matrix {
                rows,
                columns: width,
                pieces: vec![part(0, 4), part(4, 6)],
            };
            let gather = Gather::new(&gpu.device, format);
            let ids = [99u32, 9, 0, 3, 4, 4];
            let out = gpu.zeros(6 * width);
            let wanted = Rows {
                ids: &gpu.device.storage("ids", &ids),
                first_id: 1,
                count: 5,
                out: &out,
                first_out: 1,
            };
            let found = gpu.run(&out, 6 * width, |recorder| {
                gather.weights(recorder, &table, &wanted)
            });
            let rows = ids[1..]
                .iter()
                .flat_map(|&id| &numbers[id as usize * width..][..width]);
            let expected: Vec<f32> = [0.0; 12].iter().chain(rows).copied().collect();
            assert_eq!(found, expected, "{}", format.name());
        }
    }

    #[test]
    fn rows_of_a_stream_are_shifted_to_its_slot() {
        let mut gpu = Gpu::new();
        let numbers = noise(6 * 4, 2);
        let gather = Gather::new(&gpu.device, Format::F32);
        let (table, out) = (gpu.device.storage("streams", &numbers), gpu.zeros(2 * 4));
        let rows = Rows {
            ids: &gpu.device.storage("ids", &[2u32, 0]),
            first_id: 0,
            count: 2,
            out: &out,
            first_out: 0,
        };
        let found = gpu.run(&out, 8, |recorder| {
            gather.numbers(recorder, &table, 4, 3, &rows)
        });
        assert_eq!(found, [&numbers[20..24], &numbers[12..16]].concat());
    }
}
