//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::norm::check::plain;
use super::super::probe::{Probe, heads, noise};
use super::*;
use crate::model::shape::{NormKind, NormShape};

pub fn heads_and_full_rows_are_normed_and_values_stay(probe: &mut Probe) -> Result<(), GpuError> {
    let rows = 3;
    for (qk_norm, width) in [(QkNorm::Head, 8), (QkNorm::Full, 20), (QkNorm::Head, 68)] {
        let mut shape = heads(6, 2, width, None);
        shape.qk_norm = qk_norm;
        let rms = NormShape { kind: NormKind::Rms, eps: 1e-4 };
        let parts = match qk_norm {
            QkNorm::Full => [6 * width, 2 * width],
            _ => [width; 2],
        };
        let gains = [noise(parts[0], 2), noise(parts[1], 3)];
        let qkv = noise(rows * shape.qkv_width(), 1);
        let zeros = vec![0.0; 6 * width];
        let normed = |part: &[f32], gain: &[f32]| plain(part, rms, gain, &zeros);
        let mut expected = Vec::new();
        for row in qkv.chunks(shape.qkv_width()) {
            let (queries, rest) = row.split_at(6 * width);
            let (keys, values) = rest.split_at(2 * width);
            let parts = queries.chunks(parts[0]).map(|part| normed(part, &gains[0]));
            expected.extend(parts.flatten());
            let parts = keys.chunks(gains[1].len()).map(|part| normed(part, &gains[1]));
            expected.extend(parts.flatten());
            expected.extend_from_slice(values);
        }
        let [q, k] = [&gains[0], &gains[1]].map(|gain| probe.storage("gain", gain));
        let out = probe.storage("qkv", &qkv);
        probe.expect("q/k norm", &out, &expected, 1e-4, |recorder| {
            run(recorder, &out, rows, &shape, rms.eps, [&q, &k])
        })?;
    }
    Ok(())
}
