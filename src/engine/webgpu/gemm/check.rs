//! Compares this kernel with its plain twin: natively a test, in a browser part of the self-test.

use atelier_kernels::sample;
pub use atelier_kernels::sample::{product, sixty_fourths};

use super::super::matrix::MatrixPart;
use super::super::probe::{Probe, noise};
use super::*;
use crate::model::Tensor;

pub fn every_route_equals_the_plain_sum_in_every_type(probe: &mut Probe) -> Result<(), GpuError> {
    let shapes = [
        (67, 130, 172),
        (3, 13, 172),
        (4, 70, 36),
        (16, 33, 64),
        (17, 9, 32),
        (1, 131, 260),
        (1, 1, 4),
        (31, 33, 32),
        (32, 64, 64),
        (5, 512, 48),
    ];
    for &(m, n, k) in probe.some(&shapes, 2) {
        for dtype in DType::PLAIN {
            let (a, w, bias) = (noise(m * k, 1), sixty_fourths(n * k, 2), noise(n, 3));
            let matrix = GpuMatrix::of_numbers(probe.device, &w, k, dtype)?;
            let linear = Linear { matrix: &matrix, bias: &probe.storage("bias", &bias) };
            let from = probe.storage("a", &a);
            // The outputs of another dispatch lie before these.
            let base = 7;
            let out = probe.zeros(base + m * n);
            let expected = [vec![0.0; base], product(&a, &w, &bias, k)].concat();
            probe.expect("gemm", &out, &expected, 1e-4, |recorder| {
                run(recorder, &from, m, linear, &out, base)
            })?;
        }
    }
    Ok(())
}

/// Makes all scales smaller than the smallest normal f16: a device that takes such for zeros is found out.
const SUBNORMAL: f32 = 1.0 / 4096.0;

/// Blocks as they lie in a file, taken apart by the kernel and by the CPU.
pub fn blocks_are_the_numbers_that_the_cpu_reads(probe: &mut Probe) -> Result<(), GpuError> {
    let (n, k) = (33, 512);
    // Each route.
    let rows = [20, 5, 1, 3];
    let blocks = probe.dtypes.iter().filter(|dtype| dtype.is_block());
    let rows = probe.some(&rows, 2);
    for (&dtype, &m) in blocks.flat_map(|dtype| rows.iter().map(move |m| (dtype, m))) {
        let tensor = sample::tensor(dtype, n, k, 4);
        let (a, w, bias) = (noise(m * k, 1), tensor.to_f32(), noise(n, 3));
        let matrix = GpuMatrix::of_rows(probe.device, &tensor, dtype)?;
        let linear = Linear { matrix: &matrix, bias: &probe.storage("bias", &bias) };
        let (from, out) = (probe.storage("a", &a), probe.zeros(m * n));
        let expected = product(&a, &w, &bias, k);
        probe.expect("gemm of blocks", &out, &expected, 1e-4, |recorder| {
            run(recorder, &from, m, linear, &out, 0)
        })?;
    }
    for dtype in probe.dtypes.iter().copied().filter(|dtype| dtype.is_block()) {
        let bytes = sample::blocks(dtype, n * k, 5, SUBNORMAL);
        let tensor = Tensor { bytes: bytes.into(), ..sample::tensor(dtype, n, k, 4) };
        let (a, w, bias) = (noise(k, 1), tensor.to_f32(), vec![0.0; n]);
        let matrix = GpuMatrix::of_rows(probe.device, &tensor, dtype)?;
        let linear = Linear { matrix: &matrix, bias: &probe.storage("bias", &bias) };
        let (from, out) = (probe.storage("a", &a), probe.zeros(n));
        let expected = product(&a, &w, &bias, k);
        probe.expect("gemm of blocks", &out, &expected, 1e-4, |recorder| {
            run(recorder, &from, 1, linear, &out, 0)
        })?;
    }
    Ok(())
}

/// A matrix past a binding lies in several buffers, each a dispatch of its own columns.
pub fn a_matrix_in_parts_is_one_product(probe: &mut Probe) -> Result<(), GpuError> {
    let (m, n, k, first) = (3, 50, 8, 18);
    let (a, w, bias) = (noise(m * k, 1), sixty_fourths(n * k, 2), noise(n, 3));
    let mut matrix = GpuMatrix::of_numbers(probe.device, &w[..first * k], k, DType::Bf16)?;
    let rest = GpuMatrix::of_numbers(probe.device, &w[first * k..], k, DType::Bf16)?;
    matrix.rows = n;
    matrix.parts.extend(
        rest.parts.into_iter().map(|part| MatrixPart { first: first + part.first, ..part }),
    );
    let linear = Linear { matrix: &matrix, bias: &probe.storage("bias", &bias) };
    let (from, out) = (probe.storage("a", &a), probe.zeros(m * n));
    let expected = product(&a, &w, &bias, k);
    probe.expect("gemm", &out, &expected, 1e-4, |recorder| run(recorder, &from, m, linear, &out, 0))
}

/// Which of the tables is which: 3 steps of 2 tokens, a parallel step's share, a kept row.
pub fn a_member_joins_its_stream_and_is_kept(probe: &mut Probe) -> Result<(), GpuError> {
    let (d, k) = (36, 4);
    let m = 3 * STEPS_TOKENS;
    let (a, w, bias) = (noise(m * k, 5), noise(d * k, 6), noise(d, 8));
    let z = product(&a, &w, &bias, k);
    let matrix = GpuMatrix::of_numbers(probe.device, &w, k, DType::F32)?;
    let linear = Linear { matrix: &matrix, bias: &probe.storage("bias", &bias) };
    let from = probe.storage("a", &a);
    joins(probe, "gemm to members", d, &z, &mut |recorder, to| {
        run_members(recorder, &from, m, linear, to)
    })
}

/// N of [`joins`].
pub const STEPS_TOKENS: usize = 2;

/// Tries a kernel that makes the members `z` `[3 steps N, D]`, with each combination of flags.
pub fn joins(
    probe: &mut Probe,
    kernel: &'static str,
    d: usize,
    z: &[f32],
    run: &mut dyn FnMut(&mut Recorder, &MemberSink) -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    let none = u32::MAX;
    let tokens = STEPS_TOKENS;
    let before = noise(6 * tokens * d, 7);
    let half = 0.5f32.to_bits();
    // A step of another call, then these.
    let table: [[u32; 8]; 4] = [
        [9; 8],
        [0, 3, 1, 1f32.to_bits(), 0, 1, 0, 0],
        [1, 4, 1, half, none, none, 0, 0],
        [2, 5, 0, half, 4, 5, 0, 0],
    ];
    for (is_mlp, joins_later, feeds_mlp) in
        [(false, false, true), (true, true, false), (true, false, false)]
    {
        let tables = probe.tables(tokens, &before, &table, &[0, none, 1, 0], 6 * d);
        let to = MemberSink {
            tables: &tables,
            middle: &probe.zeros(z.len()),
            first_step: 1,
            is_mlp,
            joins_later,
            feeds_mlp,
        };
        let mut streams = before.clone();
        let mut middle = vec![0.0; z.len()];
        let mut kept = vec![0.0; 6 * d];
        for (row, z) in z.chunks(d).enumerate() {
            let [slot_in, slot_out, first, share, kept_attention, kept_mlp, ..] =
                table[1 + row / tokens];
            let (token, share) = (row % tokens, f32::from_bits(share));
            let kept_at = if is_mlp { kept_mlp } else { kept_attention };
            for (i, z) in z.iter().enumerate() {
                let at = |slot: u32| (slot as usize * tokens + token) * d + i;
                let begins = first == 1 && !joins_later;
                let base = if begins { at(slot_in) } else { at(slot_out) };
                if feeds_mlp {
                    middle[row * d + i] = before[at(slot_in)] + z;
                }
                streams[at(slot_out)] = before[base] + share * z;
                if token == 1 && kept_at != none {
                    kept[kept_at as usize * d + i] = share * z;
                }
            }
        }
        probe.expect(kernel, &tables.kept, &kept, 1e-4, |recorder| run(recorder, &to))?;
        // That dispatch wrote the stream and the MLP's input too.
        probe.expect(kernel, &tables.streams, &streams, 1e-4, |_| Ok(()))?;
        probe.expect(kernel, to.middle, &middle, 1e-4, |_| Ok(()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::device::tests::device;
    use super::super::super::recorder::{Bindings, Tally};
    use super::*;

    /// A product cut for the watchdog's sake, by rows and by columns, is the same product.
    #[test]
    fn a_product_in_several_dispatches_is_the_same() {
        let device = device();
        for most in [1, 300_000, 3_000_000] {
            let mut probe = Probe::new(&device, true);
            probe.bindings.most_work = most;
            every_route_equals_the_plain_sum_in_every_type(&mut probe).expect("products");
            a_member_joins_its_stream_and_is_kept(&mut probe).expect("members");
            pollster::block_on(probe.settle()).expect("the same products");
        }
    }

    /// A submission of many of them would else take 32 times as long as it may.
    #[test]
    fn a_single_row_is_counted_as_a_whole_tile() {
        let device = device();
        let mut bindings = Bindings::new(&device);
        bindings.most_work = 2 * 32 * 32 * 8;
        let mut recorder = Recorder::new(&device, &bindings);
        let (n, k) = (4, 8);
        let matrix = GpuMatrix::of_numbers(&device, &sixty_fourths(n * k, 1), k, DType::F32);
        let linear = Linear {
            matrix: &matrix.expect("a matrix"),
            bias: &device.storage("bias", &noise(n, 2)),
        };
        let (a, out) = (device.storage("a", &noise(k, 3)), device.storage("out", &[0f32; 4]));
        for _ in 0..2 {
            run(&mut recorder, &a, 1, linear, &out, 0).expect("a product");
        }
        recorder.submit().expect("a submission");
        let Tally { submissions, work, .. } = recorder.tally;
        assert_eq!((submissions, work), (2, 2 * 2 * (n * k) as u64));
    }
}
