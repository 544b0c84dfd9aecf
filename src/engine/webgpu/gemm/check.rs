//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

/// The CPU's own product, in f64.
pub fn product(a: &[f32], w: &[f32], k: usize) -> Vec<f32> {
    let dot = |a: &[f32], w: &[f32]| {
        let terms = a.iter().zip(w).map(|(a, w)| f64::from(*a) * f64::from(*w));
        terms.sum::<f64>() as f32
    };
    a.chunks(k)
        .flat_map(|a| w.chunks(k).map(move |w| dot(a, w)))
        .collect()
}

pub fn the_tiles_equal_the_plain_sum_in_every_format(probe: &mut Probe) -> Result<(), GpuError> {
    let shapes = [
        (67, 130, 172),
        (1, 1, 4),
        (31, 33, 32),
        (32, 64, 64),
        (5, 512, 48),
    ];
    for &(m, n, k) in probe.some(&shapes, 1) {
        for format in Format::ALL {
            // Numbers that every format holds exactly.
            let a = noise(m * k, 1);
            let w: Vec<f32> = noise(n * k, 2)
                .iter()
                .map(|x| (x * 64.0).round() / 64.0)
                .collect();
            let matrix = Matrix::upload(probe.device, "w", &w, k, format)?;
            let gemm = Gemm::new(probe.device, format);
            let from = probe.storage("a", &a);
            let out = probe.zeros(m * n);
            probe.expect("gemm", &out, &product(&a, &w, k), 1e-4, |recorder| {
                gemm.run(recorder, &from, m, &matrix, &out)
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub fn the_naive_kernel_says_the_same(probe: &mut Probe) -> Result<(), GpuError> {
    let (m, n, k) = (13, 21, 40);
    let (a, w) = (noise(m * k, 3), noise(n * k, 4));
    let matrix = Matrix::upload(probe.device, "w", &w, k, Format::F32)?;
    let naive = Naive::new(probe.device);
    let (from, out) = (probe.storage("a", &a), probe.zeros(m * n));
    probe.expect("gemm", &out, &product(&a, &w, k), 1e-4, |recorder| {
        naive.run(recorder, &from, m, &matrix, &out)
    })
}

/// Which of the tables is which: 3 copies of 2 tokens, a parallel step's share, a kept row.
pub fn a_member_joins_its_stream_and_is_kept(probe: &mut Probe) -> Result<(), GpuError> {
    let (tokens, d, k) = (2, 4, 4);
    let m = 3 * tokens;
    let (a, w) = (noise(m * k, 5), noise(d * k, 6));
    let z = product(&a, &w, k);
    let before = noise(5 * tokens * d, 7);
    let table: [[u32; 8]; 3] = [
        [0, 3, 1, 1f32.to_bits(), 0, 1, 0, 0],
        [1, 4, 1, 0.5f32.to_bits(), 2, 3, 0, 0],
        [2, 1, 0, 0.5f32.to_bits(), 4, 5, 0, 0],
    ];
    let none = u32::MAX;
    let matrix = Matrix::upload(probe.device, "w", &w, k, Format::F32)?;
    let gemm = Gemm::new(probe.device, Format::F32);
    for is_mlp in [false, true] {
        let from = probe.storage("a", &a);
        let to = MemberTo {
            streams: &probe.storage("streams", &before),
            middle: &probe.zeros(m * d),
            kept: &probe.zeros(6 * d),
            copies: &probe.storage("copies", table.as_flattened()),
            tokens: &probe.storage("tokens", &[0, none, 1, 0]),
            rows_a_copy: tokens,
            first_copy: 0,
            is_mlp,
            after_attention: false,
            keep: true,
        };
        let mut streams = before.clone();
        let mut middle = vec![0.0; m * d];
        let mut kept = vec![0.0; 6 * d];
        for row in 0..m {
            let [
                slot_in,
                slot_out,
                first,
                scale,
                kept_attention,
                kept_mlp,
                ..,
            ] = table[row / tokens];
            let (token, scale) = (row % tokens, f32::from_bits(scale));
            for i in 0..d {
                let z = z[row * d + i];
                let at = |slot: u32| (slot as usize * tokens + token) * d + i;
                let base = if first == 1 {
                    at(slot_in)
                } else {
                    at(slot_out)
                };
                if !is_mlp {
                    middle[row * d + i] = before[at(slot_in)] + z;
                }
                streams[at(slot_out)] = before[base] + scale * z;
                if token == 1 {
                    let slot = if is_mlp { kept_mlp } else { kept_attention };
                    kept[slot as usize * d + i] = scale * z;
                }
            }
        }
        let run = |recorder: &mut Recorder| gemm.run_member(recorder, &from, m, &matrix, &to);
        let what = "gemm to member";
        probe.expect(what, to.kept, &kept, 1e-4, run)?;
        // What the same dispatch wrote elsewhere.
        probe.expect(what, to.streams, &streams, 1e-4, |_| Ok(()))?;
        probe.expect(what, to.middle, &middle, 1e-4, |_| Ok(()))?;
    }
    Ok(())
}
