//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::norm::Norm;

use super::super::gemm::check::{STEPS_TOKENS, joins};
use super::super::probe::{Probe, noise};
use super::*;

/// Norms rows that lie side by side.
fn on_cpu(rows: &[f32], shape: NormShape, gain: &[f32], bias: &[f32]) -> Vec<f32> {
    let mut normed = vec![0.0; rows.len()];
    Norm::new(shape, gain.to_vec(), bias.to_vec()).run(rows, &mut normed);
    normed
}

/// A gain and a bias `[width]`; zeros for RMSNorm, which has none.
pub fn vectors(kind: NormKind, width: usize) -> [Vec<f32>; 2] {
    let bias = match kind {
        NormKind::Rms => vec![0.0; width],
        NormKind::Layer => noise(width, 3),
    };
    [noise(width, 2), bias]
}

/// LayerNorm comes first, because start-up may try one kind only, and this one has a bias.
const KINDS: [NormKind; 2] = [NormKind::Layer, NormKind::Rms];

pub fn rows_and_streams_are_normed_as_on_the_cpu(probe: &mut Probe) -> Result<(), GpuError> {
    let shapes = [(48, NormKind::Layer), (576, NormKind::Rms), (4, NormKind::Layer)];
    for &(width, kind) in probe.some(&shapes, 2) {
        let shape = NormShape { kind, eps: 1e-3 };
        let tokens = 3;
        // A mean far from 0, as LayerNorm's streams have.
        let x: Vec<f32> = noise(4 * tokens * width, 1).iter().map(|x| x + 3.0).collect();
        let [gain, bias] = vectors(kind, width);
        let norm = NormVectors {
            shape,
            width,
            gain: &probe.storage("gain", &gain),
            bias: &probe.storage("bias", &bias),
        };
        let all = on_cpu(&x, shape, &gain, &bias);
        let table = [[9u32; 8], [2, 0, 0, 0, 0, 0, 0, 0], [0; 8]];
        let tables = probe.tables(tokens, &x, &table, &[0; 6], 4);
        let (from, n) = (probe.storage("x", &x), 4 * tokens);
        let out = probe.zeros(n * width);
        probe.expect("norm", &out, &all, 1e-4, |recorder| {
            run(recorder, RowSource::Rows(&from), n, norm, &tables, &out)
        })?;

        let streams = RowSource::Streams { first_step: 1 };
        let out = probe.zeros(2 * tokens * width);
        let slot = |slot: usize| &all[slot * tokens * width..][..tokens * width];
        let expected = [slot(2), slot(0)].concat();
        probe.expect("norm", &out, &expected, 1e-4, |recorder| {
            run(recorder, streams, 2 * tokens, norm, &tables, &out)
        })?;
    }
    Ok(())
}

pub fn a_normed_branch_is_a_member(probe: &mut Probe) -> Result<(), GpuError> {
    let (width, rows) = (172, 3 * STEPS_TOKENS);
    for &kind in probe.some(&KINDS, 1) {
        let shape = NormShape { kind, eps: 1e-5 };
        let (x, [gain, bias]) = (noise(rows * width, 1), vectors(kind, width));
        let norm = NormVectors {
            shape,
            width,
            gain: &probe.storage("gain", &gain),
            bias: &probe.storage("bias", &bias),
        };
        let z = on_cpu(&x, shape, &gain, &bias);
        let from = probe.storage("x", &x);
        joins(probe, "norm to members", width, &z, &mut |recorder, to| {
            run_members(recorder, &from, rows, norm, to)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::device::tests::device;
    use super::*;
    use crate::engine::webgpu::probe::heads;
    use crate::engine::webgpu::qk_norm;
    use crate::model::shape::QkNorm;

    /// Zeros in their place would look like numbers.
    #[test]
    fn squares_past_f32_make_no_number() {
        let device = device();
        let width = 64;
        let zeros = vec![0.0; width];
        let large = vec![1e25; 2 * width];
        let refused = |probe: Probe| {
            let settled = pollster::block_on(probe.settle());
            let sentence = settled.expect_err("no number").to_string();
            assert!(sentence.contains("not finite"), "{sentence}");
        };
        for kind in KINDS {
            let mut probe = Probe::new(&device, true);
            let mut x = large.clone();
            // A row of equal numbers has no variance.
            x.iter_mut().step_by(2).for_each(|x| *x = -*x);
            let vectors = NormVectors {
                shape: NormShape { kind, eps: 1e-5 },
                width,
                gain: &probe.storage("gain", &vec![1.0; width]),
                bias: &probe.storage("bias", &zeros),
            };
            let tables = probe.tables(2, &x, &[[0; 8]], &[0; 2], 4);
            let (from, out) = (probe.storage("x", &x), probe.zeros(2 * width));
            let run = probe.expect("norm", &out, &large, 1.0, |recorder| {
                run(recorder, RowSource::Rows(&from), 2, vectors, &tables, &out)
            });
            run.expect("a dispatch");
            refused(probe);
        }
        let mut probe = Probe::new(&device, true);
        let mut shape = heads(1, 1, width, None);
        shape.qk_norm = QkNorm::Head;
        let gain = probe.storage("gain", &vec![1.0; width]);
        let out = probe.storage("qkv", &[large, zeros].concat());
        let run = probe.expect("q/k norm", &out, &vec![0.0; 3 * width], 1.0, |recorder| {
            qk_norm::run(recorder, &out, 1, &shape, 1e-5, [&gain, &gain])
        });
        run.expect("a dispatch");
        refused(probe);
    }
}
