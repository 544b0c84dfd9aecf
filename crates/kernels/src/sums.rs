//! Sums over a row, and its largest number, that a compiler can vectorise: one after the other, each
//! addition would wait for the last. A fixed order, so the same bits each time.

use multiversion::multiversion;

/// Partial results kept apart.
const LANES: usize = 16;

/// Halves the lanes until one is left.
#[inline(always)]
fn fold(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = join(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Sum of `a[i] * b[i]` over the shorter of the two.
#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for i in 0..LANES {
            lanes[i] += a[i] * b[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    fold(lanes, |a, b| a + b) + rest
}

/// [`dot`] with the widest registers that there are, for a caller that is not compiled for them.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn product(a: &[f32], b: &[f32]) -> f32 {
    dot(a, b)
}

/// Sum of all values.
#[inline(always)]
pub fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for i in 0..LANES {
            lanes[i] += chunk[i];
        }
    }
    fold(lanes, |a, b| a + b) + rest.iter().sum::<f32>()
}

/// Negative infinity of none.
#[inline(always)]
pub fn largest(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for i in 0..LANES {
            lanes[i] = larger(lanes[i], chunk[i]);
        }
    }
    rest.iter().copied().fold(fold(lanes, larger), larger)
}

/// Without stopping early, so that it vectorises.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn are_finite(numbers: &[f32]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    !numbers.iter().fold(false, |any, x| any | (x.to_bits() & EXPONENT == EXPONENT))
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_number_that_is_not_finite_is_seen_wherever_it_is() {
        let mut numbers = vec![f32::MAX; 37];
        assert!(super::are_finite(&numbers) && super::are_finite(&[]));
        for (at, bad) in [(0, f32::NAN), (17, f32::INFINITY), (36, f32::NEG_INFINITY)] {
            numbers[at] = bad;
            assert!(!super::are_finite(&numbers), "{at}");
            numbers[at] = 0.0;
        }
    }

    #[test]
    fn sums_of_odd_lengths_equal_plain_ones() {
        for length in [0, 1, 15, 16, 17, 100] {
            let a: Vec<f32> = (0..length).map(|i| (i as f32 * 0.7).sin()).collect();
            let b: Vec<f32> = (0..length).map(|i| (i as f32 * 1.3).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(a * b)).sum();
            assert!((f64::from(super::dot(&a, &b)) - plain).abs() < 1e-5);
            let plain: f64 = a.iter().map(|&a| f64::from(a)).sum();
            assert!((f64::from(super::sum(&a)) - plain).abs() < 1e-5);
            let most = a.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(super::largest(&a), most);
        }
    }
}
