//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn rows_come_by_ids_and_by_steps(probe: &mut Probe) -> Result<(), GpuError> {
    let (n, width) = (3, 12);
    let streams = noise(3 * n * width, 1);
    let table = [[9u32; 8], [2, 0, 0, 0, 0, 0, 0, 0], [0; 8]];
    let tables = probe.tables(n, &streams, &table, &[0; 6], 4);
    let gather = &probe.kernels.gather;
    let row = |row: usize| &streams[row * width..][..width];

    let ids = RowIds { buffer: probe.storage("ids", &[99u32, 2, 0, 2]), first: 1, count: 3 };
    let base = 5;
    let out = probe.zeros(base + 3 * width);
    let rows = [row(n + 2), row(n), row(n + 2)].concat();
    let expected = [vec![0.0; base], rows].concat();
    probe.expect("gather by ids", &out, &expected, 0.0, |recorder| {
        gather.by_ids(recorder, (&tables, width), 1, &ids, &out, base)
    })?;

    let out = probe.zeros(2 * n * width);
    let slot = |slot: usize| &streams[slot * n * width..][..n * width];
    let expected = [slot(2), slot(0)].concat();
    probe.expect("gather by steps", &out, &expected, 0.0, |recorder| {
        gather.by_steps(recorder, (&tables, width), 1, 2, &out)
    })
}
