//! Blocks of 32 numbers: one scale `d`, and in the `_1` types an offset `m`.
//!
//! Two numbers share a byte: its low nibble belongs to the block's first half, the high one to its second.

use super::scale;

/// `d q`: d, then 32 signed bytes.
#[inline(always)]
pub fn q8_0(block: &[u8; 34], out: &mut [f32; 32]) {
    let d = scale(block, 0);
    for (out, &q) in out.iter_mut().zip(&block[2..]) {
        *out = d * f32::from(q.cast_signed());
    }
}

/// `d (q - 8)`: d, then 32 nibbles.
#[inline(always)]
pub fn q4_0(block: &[u8; 18], out: &mut [f32; 32]) {
    let d = scale(block, 0);
    let (first, second) = out.split_at_mut(16);
    for ((a, b), &q) in first.iter_mut().zip(second).zip(&block[2..]) {
        *a = d * (f32::from(q & 15) - 8.0);
        *b = d * (f32::from(q >> 4) - 8.0);
    }
}

/// `d q + m`: d, m, then 32 nibbles.
#[inline(always)]
pub fn q4_1(block: &[u8; 20], out: &mut [f32; 32]) {
    let (d, m) = (scale(block, 0), scale(block, 2));
    let (first, second) = out.split_at_mut(16);
    for ((a, b), &q) in first.iter_mut().zip(second).zip(&block[4..]) {
        *a = d * f32::from(q & 15) + m;
        *b = d * f32::from(q >> 4) + m;
    }
}

/// `d (q - 16)`: d, 32 fifth bits, then 32 nibbles.
#[inline(always)]
pub fn q5_0(block: &[u8; 22], out: &mut [f32; 32]) {
    let d = scale(block, 0);
    let (fifth, nibbles) = (bits(block, 2), &block[6..]);
    fives(fifth, nibbles, out, |q| d * (q - 16.0));
}

/// `d q + m`: d, m, 32 fifth bits, then 32 nibbles.
#[inline(always)]
pub fn q5_1(block: &[u8; 24], out: &mut [f32; 32]) {
    let (d, m) = (scale(block, 0), scale(block, 2));
    let (fifth, nibbles) = (bits(block, 4), &block[8..]);
    fives(fifth, nibbles, out, |q| d * q + m);
}

#[inline(always)]
fn bits(block: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

/// Numbers of five bits: bit i of `fifth` is number i's highest.
#[inline(always)]
fn fives(fifth: u32, nibbles: &[u8], out: &mut [f32; 32], number: impl Fn(f32) -> f32) {
    let (first, second) = out.split_at_mut(16);
    for (i, ((a, b), &q)) in first.iter_mut().zip(second).zip(nibbles).enumerate() {
        let low = u32::from(q & 15) | (fifth >> i & 1) << 4;
        let high = u32::from(q >> 4) | (fifth >> (i + 16) & 1) << 4;
        *a = number(low as f32);
        *b = number(high as f32);
    }
}
