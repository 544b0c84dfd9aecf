//! Compares this kernel with its plain twin: natively a test, in a browser part of the self-test.

use atelier_kernels::sample::{self, product_transposed as plain};

use super::super::gemm::check::sixty_fourths;
use super::super::matrix::MatrixPart;
use super::super::probe::{Probe, noise};
use super::*;

pub fn every_route_equals_the_plain_sum_in_every_type(probe: &mut Probe) -> Result<(), GpuError> {
    let shapes = [
        (33, 130, 68),
        (3, 13, 172),
        (8, 70, 36),
        (1, 131, 260),
        (1, 1, 4),
        (32, 64, 64),
        (9, 33, 32),
        (5, 48, 512),
    ];
    for &(m, n, k) in probe.some(&shapes, 2) {
        for dtype in DType::PLAIN {
            let (a, w) = (noise(m * n, 1), sixty_fourths(n * k, 2));
            let matrix = GpuMatrix::of_numbers(probe.device, &w, k, dtype)?;
            let (from, out) = (probe.storage("a", &a), probe.zeros(m * k));
            let expected = plain(&a, &w, k);
            probe.expect("transposed gemm", &out, &expected, 1e-4, |recorder| {
                run(recorder, &from, m, &matrix, &out)
            })?;
        }
    }
    Ok(())
}

/// Blocks as they lie in a file.
pub fn blocks_are_the_numbers_that_the_cpu_reads(probe: &mut Probe) -> Result<(), GpuError> {
    let (n, k) = (37, 512);
    let rows = [20, 3];
    let blocks = probe.dtypes.iter().filter(|dtype| dtype.is_block());
    let rows = probe.some(&rows, 2);
    for (&dtype, &m) in blocks.flat_map(|dtype| rows.iter().map(move |m| (dtype, m))) {
        let tensor = sample::tensor(dtype, n, k, 4);
        let (a, w) = (noise(m * n, 1), tensor.to_f32());
        let matrix = GpuMatrix::of_rows(probe.device, &tensor, dtype)?;
        let (from, out) = (probe.storage("a", &a), probe.zeros(m * k));
        let expected = plain(&a, &w, k);
        probe.expect("transposed gemm of blocks", &out, &expected, 1e-4, |recorder| {
            run(recorder, &from, m, &matrix, &out)
        })?;
    }
    Ok(())
}

/// A matrix past a binding lies in several buffers, which are summed over.
pub fn a_matrix_in_parts_is_one_product(probe: &mut Probe) -> Result<(), GpuError> {
    let (n, k, first) = (50, 36, 18);
    for m in [3, 40] {
        let (a, w) = (noise(m * n, 1), sixty_fourths(n * k, 2));
        let mut matrix = GpuMatrix::of_numbers(probe.device, &w[..first * k], k, DType::Bf16)?;
        let rest = GpuMatrix::of_numbers(probe.device, &w[first * k..], k, DType::F32)?;
        matrix.rows = n;
        matrix.parts.extend(
            rest.parts.into_iter().map(|part| MatrixPart { first: first + part.first, ..part }),
        );
        let (from, out) = (probe.storage("a", &a), probe.zeros(m * k));
        let expected = plain(&a, &w, k);
        probe.expect("transposed gemm in parts", &out, &expected, 1e-4, |recorder| {
            run(recorder, &from, m, &matrix, &out)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::device::tests::device;
    use super::*;

    /// Cut for the watchdog's sake, by rows and columns, it is the same product.
    #[test]
    fn a_product_in_several_dispatches_is_the_same() {
        let device = device();
        for most in [1, 200_000] {
            let mut probe = Probe::new(&device, true);
            probe.bindings.most_work = most;
            a_matrix_in_parts_is_one_product(&mut probe).expect("sums");
            every_route_equals_the_plain_sum_in_every_type(&mut probe).expect("sums");
            pollster::block_on(probe.settle()).expect("the same numbers");
        }
    }
}
