//! Blocks on the GPU: see the README beside this file.

use half::f16;

use crate::model::DType;

/// Bytes that `numbers` neighbours of blocks take on the GPU.
pub fn bytes_of(dtype: DType, numbers: u64) -> u64 {
    let blocks = numbers.div_ceil(dtype.block() as u64);
    blocks.saturating_mul(dtype.block_bytes().next_multiple_of(4) as u64)
}

/// Blocks as they are stored, each brought to whole words: a scale that stands alone becomes an f32.
pub fn in_words(dtype: DType, stored: &[u8]) -> Vec<u8> {
    let size = dtype.block_bytes();
    if size.is_multiple_of(4) {
        return stored.to_vec();
    }
    let blocks = stored.chunks_exact(size);
    let mut words = Vec::with_capacity(blocks.len() * size.next_multiple_of(4));
    let scale = if dtype == DType::Q6K { size - 2 } else { 0 };
    for block in blocks {
        let wide = f16::from_le_bytes([block[scale], block[scale + 1]]).to_f32();
        words.extend_from_slice(&block[..scale]);
        words.extend(wide.to_le_bytes());
        words.extend_from_slice(&block[scale + 2..]);
    }
    words
}

/// WGSL: `load(i)` of an `array<u32>` called `weights`.
pub fn source(dtype: DType) -> String {
    let common = include_str!("common.wgsl");
    let parts: &[&str] = match dtype {
        DType::Q8_0 => &[include_str!("q8_0.wgsl")],
        DType::Q4_0 => &[common, include_str!("q4_0.wgsl")],
        DType::Q4_1 => &[common, include_str!("q4_1.wgsl")],
        DType::Q5_0 => &[common, include_str!("q5.wgsl"), include_str!("q5_0.wgsl")],
        DType::Q5_1 => &[common, include_str!("q5.wgsl"), include_str!("q5_1.wgsl")],
        DType::Q4K => &[common, include_str!("pairs.wgsl"), include_str!("q4_k.wgsl")],
        DType::Q5K => &[common, include_str!("pairs.wgsl"), include_str!("q5_k.wgsl")],
        DType::Q6K => &[common, include_str!("q6_k.wgsl")],
        DType::F32 | DType::F16 | DType::Bf16 => unreachable!("{} has no blocks", dtype.name()),
    };
    parts.concat()
}
