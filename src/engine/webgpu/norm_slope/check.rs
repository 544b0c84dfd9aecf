//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::norm::{Norm, rms_pull, rms_push};

use super::super::probe::{Probe, heads, noise};
use super::*;
use crate::model::shape::NormShape;

/// (t_in, place, t_out, is one token)
const PAIRS: [[u32; 4]; 4] = [[2, 0, 3, 0], [1, 1, 1, 1], [0, 0, 3, 0], [1, 2, 2, 0]];

pub fn rows_and_heads_are_the_cpus_slopes(probe: &mut Probe) -> Result<(), GpuError> {
    let table = probe.storage("pairs", PAIRS.as_flattened());
    let shapes = [(48, NormKind::Layer), (576, NormKind::Rms), (4, NormKind::Layer)];
    for &(width, kind) in probe.some(&shapes, 2) {
        let shape = NormShape { kind, eps: 1e-3 };
        let x: Vec<f32> = noise(3 * width, 1).iter().map(|x| x + 1.5).collect();
        let (gain, z) = (noise(width, 2), noise(3 * width, 3));
        let norm = NormVectors {
            shape,
            width,
            gain: &probe.storage("gain", &gain),
            bias: &probe.zeros(width),
        };
        let on_cpu = Norm::new(shape, gain.clone(), Vec::new());
        let at = probe.storage("x", &x);
        for (back, by) in [(false, 0), (true, 0), (false, 1), (true, 1)] {
            // Not from the first pair on.
            let pairs = GpuPairs { table: table.clone(), first: 1, rows: 3 };
            let source = match by {
                0 => KeptRows::Inputs(&at),
                _ => KeptRows::Places(&at),
            };
            let rows = PAIRS[1..].iter().zip(z.chunks(width));
            let expected = rows.flat_map(|(pair, z)| {
                let (x, mut z) = (&x[pair[by] as usize * width..][..width], z.to_vec());
                if back {
                    on_cpu.pull(x, &mut z)
                } else {
                    on_cpu.push(x, &mut z)
                }
                z
            });
            let expected: Vec<f32> = expected.collect();
            let out = probe.storage("z", &z);
            probe.expect("norm slope", &out, &expected, 1e-4, |recorder| {
                run(recorder, source, norm, &pairs, &out, back)
            })?;
        }
    }
    for (qk_norm, width, back) in [
        (QkNorm::Head, 8, true),
        (QkNorm::Full, 20, false),
        (QkNorm::Head, 20, false),
        (QkNorm::Full, 8, true),
    ] {
        let mut shape = heads(6, 2, width, None);
        shape.qk_norm = qk_norm;
        let (row, queries, keys) = (shape.qkv_width(), 6 * width, 2 * width);
        let lengths = match qk_norm {
            QkNorm::Full => [queries, keys],
            _ => [width; 2],
        };
        let gains = [noise(lengths[0], 4), noise(lengths[1], 5)];
        let (x, z) = (noise(3 * row, 6), noise(4 * row, 7));
        let mut expected = z.clone();
        for (pair, z) in PAIRS.iter().zip(expected.chunks_mut(row)) {
            let x = &x[pair[0] as usize * row..][..row];
            for (span, gain) in [(0..queries), (queries..queries + keys)].into_iter().zip(&gains) {
                let (x, z) = (&x[span.clone()], &mut z[span]);
                if back { rms_pull(x, gain, 1e-4, z) } else { rms_push(x, gain, 1e-4, z) }
            }
        }
        let pairs = GpuPairs { table: table.clone(), first: 0, rows: 4 };
        let gains = gains.map(|gain| probe.storage("gain", &gain));
        let (x, out) = (probe.storage("x", &x), probe.storage("z", &z));
        probe.expect("q/k norm slope", &out, &expected, 1e-4, |recorder| {
            let gains = [&gains[0], &gains[1]];
            run_heads(recorder, &x, &shape, 1e-4, gains, &pairs, &out, back)
        })?;
    }
    Ok(())
}
