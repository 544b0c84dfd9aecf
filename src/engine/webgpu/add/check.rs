//! Compares this kernel with its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn the_first_rows_of_each_are_added(probe: &mut Probe) -> Result<(), GpuError> {
    let width = 20;
    let (a, b) = (noise(6 * width, 1), noise(6 * width, 2));
    let mut expected = vec![0.0; 7 * width];
    for i in 0..5 * width {
        let row = i / width;
        let of_a = if row < 4 { a[i] } else { 0.0 };
        let of_b = if row < 2 { b[width + i] } else { 0.0 };
        expected[2 * width + i] = of_a + of_b;
    }
    let (a, b) = (probe.storage("a", &a), probe.storage("b", &b));
    let out = probe.zeros(expected.len());
    probe.expect("add", &out, &expected, 1e-6, |recorder| {
        let rows = |buffer, first, rows| RowsFrom { buffer, first, rows };
        let (a, b) = (rows(&a, 0, 4), rows(&b, 1, 2));
        run(recorder, a, b, width, rows(&out, 2, 5))
    })
}
