//! GGUF's blocks: 32 or 256 neighbouring numbers as small integers with shared scales. A block's numbers
//! are defined exactly (an f16 scale times an integer, plus or minus an offset), and these functions
//! compute them in f32. No activation is ever quantised, so results are those of the file's weights.

pub mod large;
pub mod small;

#[cfg(test)]
mod tests;

use half::f16;

use self::large::{q4_k, q5_k, q6_k};
use self::small::{q4_0, q4_1, q5_0, q5_1, q8_0};
use crate::DType;

/// Calls the macro `$each` with the function that a type of blocks is named for.
macro_rules! each_block {
    ($dtype:expr, $each:ident) => {
        match $dtype {
            DType::Q8_0 => $each!(q8_0),
            DType::Q4_0 => $each!(q4_0),
            DType::Q4_1 => $each!(q4_1),
            DType::Q5_0 => $each!(q5_0),
            DType::Q5_1 => $each!(q5_1),
            DType::Q4K => $each!(q4_k),
            DType::Q5K => $each!(q5_k),
            DType::Q6K => $each!(q6_k),
            DType::F32 | DType::F16 | DType::Bf16 => panic!("{} has no blocks", $dtype.name()),
        }
    };
}
pub(crate) use each_block;

/// The numbers of `bytes`, whole blocks of `dtype`, to `out`, which has as many places.
///
/// # Panics
/// If `dtype` has no blocks, or `out` has other places than the blocks have numbers.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512bw+f16c",
    "x86_64+avx2+fma+f16c",
    "aarch64+neon"
))]
pub fn widen(dtype: DType, bytes: &[u8], out: &mut [f32]) {
    assert_eq!(
        bytes.len() / dtype.block_bytes() * dtype.block(),
        out.len(),
        "a place for every number of {}",
        dtype.name()
    );
    // No function item is given to another function: that call goes through a shim, which is not always
    // inlined, and then is compiled for any processor.
    macro_rules! each {
        ($block:path) => {
            for (bytes, out) in bytes.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
                $block(bytes, out);
            }
        };
    }
    each_block!(dtype, each);
}

/// The first of these blocks whose scale or offset is no number, counted from 0.
pub fn first_not_finite(dtype: DType, bytes: &[u8]) -> Option<usize> {
    // Where in a block its f16 scales stand.
    let (first, count) = match dtype {
        DType::Q4_1 | DType::Q5_1 | DType::Q4K | DType::Q5K => (0, 2),
        DType::Q6K => (208, 1),
        _ => (0, 1),
    };
    let mut blocks = bytes.chunks_exact(dtype.block_bytes());
    blocks.position(|block| {
        let scales = block[first..][..2 * count].as_chunks::<2>().0;
        scales.iter().any(|scale| !f16::from_le_bytes(*scale).is_finite())
    })
}

/// The f16 that begins at byte `at`.
#[inline(always)]
fn scale(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}
