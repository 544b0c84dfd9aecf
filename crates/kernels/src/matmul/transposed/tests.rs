use std::borrow::Cow;

use super::super::{Isa, MatrixBuilder};
use crate::sample;
use crate::testing::random;
use crate::{DType, Tensor};

/// The slow plain twin, in f64, and as much as its terms could be off.
fn plain(x: &[f32], weights: &[f32], [outs, ins]: [usize; 2]) -> Vec<(f64, f64)> {
    let rows = x.chunks_exact(outs);
    rows.flat_map(|x| {
        (0..ins).map(|i| {
            let products = x.iter().zip(weights.chunks_exact(ins));
            let products = products.map(|(&x, w)| f64::from(x) * f64::from(w[i]));
            let size: f64 = products.clone().map(f64::abs).sum();
            (products.sum(), size)
        })
    })
    .collect()
}

/// `x W` where the rows of W come in slices that begin at `firsts`.
fn product(isa: Isa, x: &[f32], weights: &[Tensor], [outs, ins]: [usize; 2]) -> Vec<f32> {
    let mut builder = MatrixBuilder::for_isa(isa, outs, ins);
    let mut first = 0;
    for rows in weights {
        builder.fill(first, rows);
        first += rows.rows;
    }
    let matrix = builder.finish().expect("all rows");
    let mut y = vec![f32::NAN; x.len() / outs * ins];
    matrix.multiply_transposed(x, &mut y);
    y
}

#[test]
fn every_instruction_set_and_dtype_equals_the_plain_product() {
    for isa in Isa::available() {
        for dtype in DType::PLAIN.into_iter().chain(DType::BLOCKS) {
            for (rows, ins, outs) in [
                (1, 1, 1),
                (1, 64, 320),
                (2, 7, 65),
                (5, 576, 63),
                (7, 33, 129),
                (13, 176, 64),
                (30, 49, 17),
                (3, 70, 1027),
            ] {
                let ins = usize::next_multiple_of(ins, dtype.block());
                let weights = sample::tensor(dtype, outs, ins, 2);
                let x = random(rows * outs, 0.5, 1);
                let expected = plain(&x, &weights.to_f32(), [outs, ins]);
                let y = product(isa, &x, &[weights], [outs, ins]);
                for (y, (expected, size)) in y.iter().zip(expected) {
                    let off = (f64::from(*y) - expected).abs();
                    let shape = (isa.name(), dtype, rows, ins, outs);
                    assert!(off <= 1e-6 * size + 1e-9, "{shape:?}: {y}, {expected}");
                }
            }
        }
    }
}

#[test]
fn rows_of_several_types_are_one_matrix() {
    let [outs, ins, rows] = [64 + 128 + 9, 256, 6];
    let slice = |dtype, outs| sample::tensor(dtype, outs, ins, 3);
    let weights = [slice(DType::Q4K, 64), slice(DType::Bf16, 128), slice(DType::Q8_0, 9)];
    let numbers: Vec<f32> = weights.iter().flat_map(Tensor::to_f32).collect();
    let x = random(rows * outs, 0.5, 1);
    let y = product(Isa::best(), &x, &weights, [outs, ins]);
    for (y, (expected, size)) in y.iter().zip(plain(&x, &numbers, [outs, ins])) {
        assert!((f64::from(*y) - expected).abs() <= 1e-6 * size);
    }
}

#[test]
fn a_row_has_the_same_bits_alone_and_among_others() {
    let [outs, ins, rows] = [200, 100, 19];
    let numbers = random(outs * ins, 0.5, 2);
    let weights = Tensor {
        dtype: DType::F32,
        rows: outs,
        columns: ins,
        bytes: Cow::Owned(numbers.iter().flat_map(|x| x.to_le_bytes()).collect()),
    };
    let x = random(rows * outs, 0.5, 1);
    let all = product(Isa::best(), &x, std::slice::from_ref(&weights), [outs, ins]);
    for (x, y) in x.chunks_exact(outs).zip(all.chunks_exact(ins)) {
        let alone = product(Isa::best(), x, std::slice::from_ref(&weights), [outs, ins]);
        assert_eq!(alone, y);
    }
}
