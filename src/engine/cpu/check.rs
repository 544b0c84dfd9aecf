//! Products of every dtype against the plain sum in f64, on the processor that is there.

use atelier_kernels::matmul::{MatrixBuilder, multiply, multiply_stored};
use atelier_kernels::sample::{self, distance, noise};
use atelier_kernels::team::Team;

use crate::engine::trial::KernelTrial;
use crate::model::DType;

/// Rows, inputs and outputs: odd ones, one of each, and more inputs than one pass takes. Inputs of
/// blocks are rounded up to whole ones.
const SHAPES: [[usize; 3]; 5] =
    [[1, 1, 1], [1, 576, 65], [5, 33, 63], [13, 176, 129], [25, 2563, 66]];

/// As much relative to the largest number of a product: f32 sums of some thousand products.
const MOST: f32 = 1e-5;

/// Every way that this dtype's products are made: packed once, on one thread and on all; packed on the
/// way; a row alone; with the transposed matrix.
pub fn matmul(dtype: DType) -> KernelTrial {
    let team = Team::default();
    let mut trial = KernelTrial::new(&format!("matmul of {}", dtype.name()));
    for [rows, ins, outs] in SHAPES {
        let ins = ins.next_multiple_of(dtype.block());
        let weights = sample::tensor(dtype, outs, ins, 2);
        let (x, bias) = (noise(rows * ins, 1), noise(outs, 3));
        let expected = sample::product(&x, &weights.to_f32(), &bias, ins);
        let mut compare = |make: &mut dyn FnMut(&mut [f32])| {
            let mut y = vec![f32::NAN; rows * outs];
            make(&mut y);
            trial.add(distance(&y, &expected), MOST);
        };
        let mut builder = MatrixBuilder::new(outs, ins);
        builder.fill(0, &weights);
        let matrix = builder.finish().expect("all of its rows came");
        compare(&mut |y| matrix.multiply(&x, &bias, y));
        compare(&mut |y| matrix.multiply_shared(&x, &bias, y));
        compare(&mut |y| multiply(&x, &weights, &bias, y, outs, 0));
        if rows == 1 {
            compare(&mut |y| matrix.multiply_one(&x, &bias, y, &team));
            compare(&mut |y| multiply_stored(&x, &weights, &bias, y, &team));
        }
        let x = noise(rows * outs, 4);
        let expected = sample::product_transposed(&x, &weights.to_f32(), ins);
        let mut y = vec![f32::NAN; rows * ins];
        matrix.multiply_transposed(&x, &mut y);
        trial.add(distance(&y, &expected), MOST);
    }
    trial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_is_right_in_every_way() {
        for dtype in DType::PLAIN.into_iter().chain(DType::BLOCKS) {
            let trial = matmul(dtype);
            assert!(trial.is_right, "{trial:?}");
            assert_eq!(trial.trials, 4 * SHAPES.len() + 4, "{trial:?}");
        }
    }
}
