//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::norm::rms_norm_in_place;

use super::super::probe::{Probe, heads, noise};
use super::*;

pub fn heads_and_full_rows_are_normed_and_values_stay(probe: &mut Probe) -> Result<(), GpuError> {
    let rows = 3;
    for (qk_norm, width) in [(QkNorm::Head, 8), (QkNorm::Full, 20), (QkNorm::Head, 68)] {
        let mut shape = heads(6, 2, width, None);
        shape.qk_norm = qk_norm;
        let parts = match qk_norm {
            QkNorm::Full => [6 * width, 2 * width],
            _ => [width; 2],
        };
        let gains = [noise(parts[0], 2), noise(parts[1], 3)];
        let qkv = noise(rows * shape.qkv_width(), 1);
        let mut expected = qkv.clone();
        for row in expected.chunks_mut(shape.qkv_width()) {
            let (queries, rest) = row.split_at_mut(6 * width);
            rms_norm_in_place(queries, &gains[0], 1e-4);
            rms_norm_in_place(&mut rest[..2 * width], &gains[1], 1e-4);
        }
        let [q, k] = [&gains[0], &gains[1]].map(|gain| probe.storage("gain", gain));
        let out = probe.storage("qkv", &qkv);
        probe.expect("q/k norm", &out, &expected, 1e-4, |recorder| {
            run(recorder, &out, rows, &shape, 1e-4, [&q, &k])
        })?;
    }
    Ok(())
}
