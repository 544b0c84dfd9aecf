//! Numbers to try kernels on: the same for a seed, and as a file of any dtype has them.

use std::borrow::Cow;

use half::{bf16, f16};

use crate::{DType, Tensor};

/// Numbers in -1..1.
pub fn noise(n: usize, seed: u32) -> Vec<f32> {
    let mut noise = rand_mt::Mt::new(seed);
    let mut next = || noise.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0;
    (0..n).map(|_| next()).collect()
}

/// Numbers that every plain type holds exactly.
pub fn sixty_fourths(n: usize, seed: u32) -> Vec<f32> {
    let numbers = noise(n, seed);
    numbers.iter().map(|x| (x * 64.0).round() / 64.0).collect()
}

/// Blocks of any integers, with scales up to about `of` / 16.
pub fn blocks(dtype: DType, numbers: usize, seed: u32, of: f32) -> Vec<u8> {
    let size = dtype.block_bytes();
    let count = numbers / dtype.block();
    let any = noise(count * size, seed);
    let mut bytes: Vec<u8> = any.iter().map(|x| (x * 1e4) as i32 as u8).collect();
    let scales: &[usize] = match dtype {
        DType::Q6K => &[208],
        DType::Q8_0 | DType::Q4_0 | DType::Q5_0 => &[0],
        _ => &[0, 2],
    };
    for (block, x) in bytes.chunks_exact_mut(size).zip(&any) {
        for &at in scales {
            // The second of two is another number.
            let shift = if at == 2 { 0.02 } else { 0.0 };
            let scale = f16::from_f32(of * (x / 16.0 + shift));
            block[at..at + 2].copy_from_slice(&scale.to_le_bytes());
        }
    }
    bytes
}

/// `[rows, columns]` of any dtype; rows are whole blocks.
pub fn tensor(dtype: DType, rows: usize, columns: usize, seed: u32) -> Tensor<'static> {
    let n = rows * columns;
    let numbers = || sixty_fourths(n, seed).into_iter();
    let bytes: Vec<u8> = match dtype {
        DType::F32 => numbers().flat_map(f32::to_le_bytes).collect(),
        DType::F16 => numbers().flat_map(|x| f16::from_f32(x).to_le_bytes()).collect(),
        DType::Bf16 => numbers().flat_map(|x| bf16::from_f32(x).to_le_bytes()).collect(),
        _ => blocks(dtype, n, seed, 1.0),
    };
    Tensor { dtype, rows, columns, bytes: Cow::Owned(bytes) }
}

/// `[N, out]`: `x` `[N, in]` times `w` `[out, in]` transposed plus `bias` `[out]`, summed in f64.
pub fn product(x: &[f32], w: &[f32], bias: &[f32], ins: usize) -> Vec<f32> {
    let dot = |x: &[f32], w: &[f32]| -> f64 {
        let terms = x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
        terms.sum()
    };
    let row = |x| {
        let each = w.chunks(ins).zip(bias);
        each.map(move |(w, bias)| (dot(x, w) + f64::from(*bias)) as f32)
    };
    x.chunks(ins).flat_map(row).collect()
}

/// `[N, in]`: `x` `[N, out]` times `w` `[out, in]`, summed in f64.
pub fn product_transposed(x: &[f32], w: &[f32], ins: usize) -> Vec<f32> {
    let row = |x: &[f32]| -> Vec<f32> {
        let mut sums = vec![0.0; ins];
        for (&x, w) in x.iter().zip(w.chunks(ins)) {
            for (sum, &w) in sums.iter_mut().zip(w) {
                *sum += f64::from(x) * f64::from(w);
            }
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    };
    x.chunks(w.len() / ins).flat_map(row).collect()
}

/// The largest difference of two lists, relative to the largest number expected; infinite where they
/// have not the same length, and NaN where one number is none.
pub fn distance(found: &[f32], expected: &[f32]) -> f32 {
    if found.len() != expected.len() {
        return f32::INFINITY;
    }
    let largest = expected.iter().fold(1e-9f32, |max, x| max.max(x.abs()));
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    // A maximum that a NaN would be lost in proves nothing.
    off.fold(0.0, worse) / largest
}

/// The larger of two distances; one that is no number is worse than any.
pub fn worse(one: f32, other: f32) -> f32 {
    if other.is_nan() || other > one { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_far_off_and_so_is_what_is_missing() {
        assert_eq!(distance(&[1.0, 2.5], &[1.0, 2.0]), 0.25);
        assert!(distance(&[f32::NAN, 2.0], &[1.0, 2.0]).is_nan());
        assert!(distance(&[1.0, f32::NAN, 2.0], &[1.0, 2.0, 2.0]).is_nan());
        assert_eq!(distance(&[1.0], &[1.0, 2.0]), f32::INFINITY);
    }

    #[test]
    fn a_sample_of_every_dtype_is_finite_and_not_all_zero() {
        for dtype in DType::PLAIN.into_iter().chain(DType::BLOCKS) {
            let tensor = tensor(dtype, 3, 512, 1);
            assert_eq!(tensor.bytes.len() as u64, dtype.bytes_of(3 * 512));
            let numbers = tensor.to_f32();
            assert!(numbers.iter().all(|x| x.is_finite()), "{}", dtype.name());
            assert!(numbers.iter().any(|&x| x != 0.0), "{}", dtype.name());
        }
    }
}
