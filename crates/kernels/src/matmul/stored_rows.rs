//! Products of one row with weights as they are stored: a dot product a stored row, widened on the
//! way. To lay panels out first, as [`multiply`](super::multiply) does, pays where many rows use them.

use super::ahead::ask_ahead;
use super::lanes::{F16_BITS, F16_SCALE};
use crate::blocks::each_block;
use crate::blocks::large::{q4_k, q5_k, q6_k};
use crate::blocks::small::{q4_0, q4_1, q5_0, q5_1, q8_0};
use crate::team::Team;
use crate::{DType, Tensor};

/// Separate sums of a dot product: enough that no product waits for the one before.
const LANES: usize = 64;

/// Separate sums of a dot product with blocks, whose widened numbers take registers too.
const SHORT: usize = 32;

/// Stored rows that a thread takes at a time.
const ROWS: usize = 64;

/// Computes `y [out] = W [out, in] x [in] (+ bias [out])`; an empty `bias` is none.
///
/// # Panics
/// If the slices are not whole rows of these lengths.
pub fn multiply_stored(x: &[f32], weights: &Tensor, bias: &[f32], y: &mut [f32], team: &Team) {
    let (ins, outs, dtype) = (weights.columns, weights.rows, weights.dtype);
    let a_row = dtype.bytes_of(ins as u64) as usize;
    assert_eq!(x.len(), ins, "a row of input");
    assert_eq!(y.len(), outs, "a row of output");
    assert_eq!(weights.bytes.len(), outs * a_row, "whole rows of weights");
    assert!(bias.is_empty() || bias.len() == outs, "a bias for each output");
    let mut parts: Vec<_> = y.chunks_mut(ROWS).enumerate().collect();
    team.each_of(&mut parts, |(n, y)| {
        let first = *n * ROWS;
        match ins {
            0 => y.fill(0.0),
            _ => products(dtype, x, &weights.bytes[first * a_row..][..y.len() * a_row], y),
        }
        let bias = bias.get(first..).unwrap_or_default();
        y.iter_mut().zip(bias).for_each(|(y, bias)| *y += bias);
    });
}

/// Computes the products of `x` with stored rows, one after the other.
fn products(dtype: DType, x: &[f32], rows: &[u8], y: &mut [f32]) {
    match dtype.is_block() {
        true => block_products(dtype, x, rows, y),
        false => plain_products(dtype, x, rows, y),
    }
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512bw+f16c",
    "x86_64+avx2+fma+f16c",
    "aarch64+neon"
))]
fn block_products(dtype: DType, x: &[f32], rows: &[u8], y: &mut [f32]) {
    let a_row = rows.len() / y.len().max(1);
    // No function item is given to another function: that call goes through a shim, which is not always
    // inlined, and then is compiled for any processor.
    macro_rules! each {
        ($widen:path) => {
            for (y, row) in y.iter_mut().zip(rows.chunks_exact(a_row)) {
                let mut sums = [0f32; SHORT];
                for (block, x) in row.as_chunks().0.iter().zip(x.as_chunks().0) {
                    ask_ahead(block);
                    let mut numbers = *x;
                    $widen(block, &mut numbers);
                    let x = x.as_chunks::<SHORT>().0;
                    for (x, numbers) in x.iter().zip(numbers.as_chunks::<SHORT>().0) {
                        for i in 0..SHORT {
                            sums[i] += x[i] * numbers[i];
                        }
                    }
                }
                *y = sums.iter().sum();
            }
        };
    }
    each_block!(dtype, each);
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512bw",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn plain_products(dtype: DType, x: &[f32], rows: &[u8], y: &mut [f32]) {
    match dtype {
        DType::F32 => each::<4>(x, rows, y, f32::from_le_bytes),
        DType::Bf16 => each::<2>(x, rows, y, |bytes| {
            f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
        }),
        // Finite, as was seen when the file was read.
        DType::F16 => each::<2>(x, rows, y, |bytes| {
            let word = u32::from(u16::from_le_bytes(bytes)) << 16;
            let bits = (word.cast_signed() >> 3).cast_unsigned() & F16_BITS;
            f32::from_bits(bits) * F16_SCALE
        }),
        blocks => panic!("{} has no numbers of its own", blocks.name()),
    }
}

#[inline(always)]
fn each<const BYTES: usize>(
    x: &[f32],
    rows: &[u8],
    y: &mut [f32],
    number: impl Fn([u8; BYTES]) -> f32 + Copy,
) {
    for (y, row) in y.iter_mut().zip(rows.chunks_exact(x.len() * BYTES)) {
        *y = dot(x, row.as_chunks::<BYTES>().0, number);
    }
}

#[inline(always)]
fn dot<T: Copy>(x: &[f32], row: &[T], number: impl Fn(T) -> f32 + Copy) -> f32 {
    let ((x, x_rest), (row, row_rest)) = (x.as_chunks::<LANES>(), row.as_chunks::<LANES>());
    let mut sums = [0f32; LANES];
    for (x, row) in x.iter().zip(row) {
        ask_ahead(row);
        for i in 0..LANES {
            sums[i] += x[i] * number(row[i]);
        }
    }
    let rest = x_rest.iter().zip(row_rest).map(|(x, &w)| x * number(w));
    sums.iter().sum::<f32>() + rest.sum::<f32>()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::sample;
    use crate::testing::random;

    #[test]
    fn a_row_times_stored_rows_equals_the_plain_product() {
        let plain = DType::PLAIN.map(|dtype| (dtype, [(1, 1), (65, 7), (300, 131)]));
        let blocks = DType::BLOCKS.map(|dtype| (dtype, [(256, 1), (512, 7), (768, 131)]));
        for (dtype, shapes) in plain.into_iter().chain(blocks) {
            for (ins, outs) in shapes {
                let bytes = match dtype {
                    DType::F32 => {
                        random(ins * outs, 0.5, 2).iter().flat_map(|x| x.to_le_bytes()).collect()
                    }
                    DType::Bf16 => random(ins * outs, 0.5, 2)
                        .iter()
                        .flat_map(|&x| half::bf16::from_f32(x).to_le_bytes())
                        .collect(),
                    DType::F16 => random(ins * outs, 0.5, 2)
                        .iter()
                        .flat_map(|&x| half::f16::from_f32(x).to_le_bytes())
                        .collect(),
                    blocks => sample::blocks(blocks, outs * ins, 11, 1.0),
                };
                let weights = Tensor { dtype, rows: outs, columns: ins, bytes: Cow::Owned(bytes) };
                let (x, bias) = (random(ins, 0.5, 1), random(outs, 0.5, 3));
                let numbers = weights.to_f32();
                for bias in [&[][..], &bias] {
                    let mut found = vec![f32::NAN; outs];
                    multiply_stored(&x, &weights, bias, &mut found, &Team::default());
                    for (o, (found, row)) in found.iter().zip(numbers.chunks(ins)).enumerate() {
                        let products = row.iter().zip(&x);
                        let products = products.map(|(&w, &x)| f64::from(w) * f64::from(x));
                        let bias = bias.get(o).map_or(0.0, |&b| f64::from(b));
                        let expected = products.clone().sum::<f64>() + bias;
                        // Terms much larger than their sum round as they are.
                        let size = products.map(f64::abs).sum::<f64>().max(1.0);
                        let off = (f64::from(*found) - expected).abs();
                        assert!(off <= 1e-6 * size, "{}: {found}, {expected}", dtype.name());
                    }
                }
            }
        }
    }
}
