//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::matrix::Piece;
use super::super::probe::{Probe, noise};
use super::*;

pub fn rows_come_from_every_piece_of_a_table(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, width) = (10, 12);
    for format in Format::ALL {
        let numbers: Vec<f32> = noise(rows * width, 1)
            .iter()
            .map(|x| (x * 64.0).round())
            .collect();
        let part = |first: usize, count: usize| -> Result<Piece, GpuError> {
            let numbers = &numbers[first * width..(first + count) * width];
            let part = Matrix::upload(probe.device, "part", numbers, width, format)?;
            let buffer = part.pieces[0].buffer.clone();
            Ok(Piece {
                first,
                rows: count,
                buffer,
            })
        };
        let table = Matrix {
            rows,
            columns: width,
            format,
            pieces: vec![part(0, 4)?, part(4, 6)?],
        };
        let gather = Gather::new(probe.device, format);
        let ids = [99u32, 9, 0, 3, 4, 4];
        let out = probe.zeros(6 * width);
        let wanted = Rows {
            ids: &probe.storage("ids", &ids),
            first_id: 1,
            count: 5,
            out: &out,
            first_out: 1,
        };
        let rows = ids[1..]
            .iter()
            .flat_map(|&id| &numbers[id as usize * width..][..width]);
        let expected: Vec<f32> = [0.0; 12].iter().chain(rows).copied().collect();
        probe.expect("gather", &out, &expected, 0.0, |recorder| {
            gather.weights(recorder, &table, &wanted)
        })?;
    }
    Ok(())
}

pub fn rows_of_a_stream_are_shifted_to_its_slot(probe: &mut Probe) -> Result<(), GpuError> {
    let numbers = noise(6 * 4, 2);
    let gather = Gather::new(probe.device, Format::F32);
    let (table, out) = (probe.storage("streams", &numbers), probe.zeros(2 * 4));
    let rows = Rows {
        ids: &probe.storage("ids", &[2u32, 0]),
        first_id: 0,
        count: 2,
        out: &out,
        first_out: 0,
    };
    let expected = [&numbers[20..24], &numbers[12..16]].concat();
    probe.expect("gather", &out, &expected, 0.0, |recorder| {
        gather.numbers(recorder, &table, 4, 3, &rows)
    })
}
