//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

fn plain(row: &[f32], weight: &[f32], eps: f32) -> Vec<f32> {
    let square: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
    let r = 1.0 / (square / row.len() as f64 + f64::from(eps)).sqrt();
    let each = row.iter().zip(weight);
    each.map(|(x, w)| (f64::from(*x) * r) as f32 * w).collect()
}

pub fn rows_and_streams_are_normed_as_on_the_cpu(probe: &mut Probe) -> Result<(), GpuError> {
    for width in [4, 48, 172, 576] {
        let (eps, tokens) = (1e-3, 3);
        let (x, weight) = (noise(4 * tokens * width, 1), noise(width, 2));
        let norm = Norm::new(probe.device, width, eps);
        let table = [[9u32; 8], [2, 0, 0, 0, 0, 0, 0, 0], [0; 8]];
        let copies = probe.storage("copies", table.as_flattened());
        let (from, w) = (probe.storage("x", &x), probe.storage("weight", &weight));
        let all: Vec<f32> = x
            .chunks(width)
            .flat_map(|row| plain(row, &weight, eps))
            .collect();
        let n = 4 * tokens;
        let out = probe.zeros(n * width);
        probe.expect("norm", &out, &all, 1e-4, |recorder| {
            norm.run(recorder, From::Rows(&from), n, &w, &copies, &out)
        })?;

        let streams = From::Streams {
            streams: &from,
            rows_a_copy: tokens,
            first_copy: 1,
        };
        let out = probe.zeros(2 * tokens * width);
        let slot = |slot: usize| &all[slot * tokens * width..][..tokens * width];
        probe.expect(
            "norm",
            &out,
            &[slot(2), slot(0)].concat(),
            1e-4,
            |recorder| norm.run(recorder, streams, 2 * tokens, &w, &copies, &out),
        )?;
    }
    Ok(())
}
