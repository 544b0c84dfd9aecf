//! Compares this kernel with its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn rows_come_by_their_ids(probe: &mut Probe) -> Result<(), GpuError> {
    let (n, width) = (3, 12);
    let streams = noise(3 * n * width, 1);
    let row = |row: usize| &streams[row * width..][..width];
    let from = probe.storage("streams", &streams);

    let ids = RowIds { buffer: probe.storage("ids", &[99u32, 2, 0, 2]), first: 1, count: 3 };
    let base = 5;
    let out = probe.zeros(base + 3 * width);
    let rows = [row(n + 2), row(n), row(n + 2)].concat();
    let expected = [vec![0.0; base], rows].concat();
    probe.expect("gather", &out, &expected, 0.0, |recorder| {
        run(recorder, (&from, width), n, &ids, (&out, base))
    })
}
