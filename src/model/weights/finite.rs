//! Is every number finite? Asked of whole checkpoints, so by their exponents' bits: no number is
//! widened, and a compiler makes wide compares of the loops.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use atelier_kernels::blocks;

use crate::model::DType;

/// Numbers looked at before the next question whether one was bad.
const STRIDE: usize = 4096;

/// Bytes below which looking again costs less than remembering.
const LARGE: u64 = 1 << 16;

/// Parts of files in which every number was finite when they were read before: the head's rows are
/// read again with every token that is written. A file that changes is refused before it is read again.
#[derive(Default)]
pub struct FiniteParts(RefCell<HashSet<(usize, Range<u64>)>>);

impl FiniteParts {
    /// Whether this range of bytes of file `file` was seen to be finite.
    pub fn has(&self, file: usize, range: &Range<u64>) -> bool {
        Self::is_large(range) && self.0.borrow().contains(&(file, range.clone()))
    }

    pub fn remember(&self, file: usize, range: Range<u64>) {
        if Self::is_large(&range) {
            self.0.borrow_mut().insert((file, range));
        }
    }

    fn is_large(range: &Range<u64>) -> bool {
        range.end - range.start >= LARGE
    }
}

/// The first number of `bytes` that is a NaN or an infinity, counted from 0; of blocks, the first of
/// the block whose scale is none.
pub fn first_not_finite(dtype: DType, bytes: &[u8]) -> Option<usize> {
    match dtype {
        DType::F32 => first::<4>(bytes, |b| u32::from_le_bytes(b) & 0x7f80_0000 == 0x7f80_0000),
        DType::F16 => first::<2>(bytes, |b| u16::from_le_bytes(b) & 0x7c00 == 0x7c00),
        DType::Bf16 => first::<2>(bytes, |b| u16::from_le_bytes(b) & 0x7f80 == 0x7f80),
        _ => blocks::first_not_finite(dtype, bytes).map(|block| block * dtype.block()),
    }
}

fn first<const N: usize>(bytes: &[u8], is_bad: impl Fn([u8; N]) -> bool) -> Option<usize> {
    let (numbers, _) = bytes.as_chunks::<N>();
    let chunks = numbers.chunks(STRIDE).enumerate();
    for (at, chunk) in chunks {
        let any = chunk.iter().fold(false, |any, b| any | is_bad(*b));
        if any {
            let within = chunk.iter().position(|b| is_bad(*b));
            return within.map(|within| at * STRIDE + within);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;

    /// Every bit pattern of the small types, and edges of the large one.
    #[test]
    fn the_bits_say_what_the_numbers_are() {
        for bits in 0..=u16::MAX {
            let bytes = bits.to_le_bytes();
            let half = !f16::from_bits(bits).is_finite();
            assert_eq!(first_not_finite(DType::F16, &bytes).is_some(), half);
            let brain = !bf16::from_bits(bits).is_finite();
            assert_eq!(first_not_finite(DType::Bf16, &bytes).is_some(), brain);
        }
        for number in [0.0, -0.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45] {
            assert_eq!(first_not_finite(DType::F32, &number.to_le_bytes()), None);
        }
        for number in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(first_not_finite(DType::F32, &number.to_le_bytes()), Some(0));
        }
    }

    #[test]
    fn the_first_is_found_wherever_it_is() {
        let mut numbers = vec![1.0f32; 3 * STRIDE + 5];
        for at in [0, 1, STRIDE - 1, STRIDE, 3 * STRIDE + 4] {
            numbers[at] = f32::NAN;
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            assert_eq!(first_not_finite(DType::F32, &bytes), Some(at));
            numbers[at] = 1.0;
        }
    }
}
