//! Panels of blocks: byte j of every column's block side by side, so that one step of a register
//! widens a number of each column. As many bytes as the file has, in another order:
//! [blocks along in][bytes of a block][panel width].
//!
//! The arithmetic is that of [`blocks::widen`](crate::blocks::widen), which is the slow twin,
//! operation by operation: the numbers have the same bits.

use std::mem::MaybeUninit;

use super::lanes::{F16_BITS, F16_SCALE};
use crate::DType;
use crate::blocks::each_block;

/// Inputs that are widened at a time: whole blocks, and few enough for the first- and second-level
/// caches.
pub fn depth(dtype: DType) -> usize {
    dtype.block().max(128)
}

/// `rows` [at most `width`, in] of blocks as they are stored, to a panel; columns without a row
/// become blocks of zeros.
///
/// # Panics
/// If the panel has not the bytes of `width` rows, or the rows are not whole blocks.
pub fn lay_out(
    dtype: DType,
    width: usize,
    rows: &[u8],
    a_row: usize,
    panel: &mut [MaybeUninit<u8>],
) {
    let size = dtype.block_bytes();
    assert_eq!(panel.len(), width * a_row, "a panel");
    assert!(a_row.is_multiple_of(size), "whole blocks");
    if rows.len() < panel.len() {
        panel.fill(MaybeUninit::new(0));
    }
    for (b, panel) in panel.chunks_exact_mut(size * width).enumerate() {
        for (column, row) in rows.chunks_exact(a_row).enumerate() {
            let block = &row[b * size..][..size];
            for (to, &byte) in panel.chunks_exact_mut(width).zip(block) {
                to[column] = MaybeUninit::new(byte);
            }
        }
    }
}

/// Whole blocks of all columns, [blocks][bytes of a block][width], to numbers
/// [blocks x numbers of a block][width].
///
/// # Panics
/// If `dtype` has no blocks, no instruction set has panels of this width, or `out` has other places
/// than the blocks have numbers.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512bw+avx512dq",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn widen(dtype: DType, width: usize, panel: &[u8], out: &mut [MaybeUninit<f32>]) {
    assert_eq!(
        panel.len() / dtype.block_bytes() * dtype.block(),
        out.len(),
        "a place for every number of {}",
        dtype.name()
    );
    match width {
        #[cfg(target_arch = "x86_64")]
        64 => of_width::<64>(dtype, panel, out),
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        16 => of_width::<16>(dtype, panel, out),
        8 => of_width::<8>(dtype, panel, out),
        _ => panic!("no panel is {width} columns wide"),
    }
}

#[inline(always)]
fn of_width<const W: usize>(dtype: DType, panel: &[u8], out: &mut [MaybeUninit<f32>]) {
    let (rows, out) = (panel.as_chunks::<W>().0, out.as_chunks_mut::<W>().0);
    // No function item is given to another function: that call goes through a shim, which is not always
    // inlined, and then is compiled for any processor.
    macro_rules! each {
        ($block:ident) => {
            for (bytes, out) in rows.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
                $block(bytes, out);
            }
        };
    }
    each_block!(dtype, each);
}

/// Numbers of one input, a column each.
type InputNumbers<const W: usize> = [MaybeUninit<f32>; W];

/// Writes one input's numbers.
#[inline(always)]
fn put<const W: usize>(out: &mut InputNumbers<W>, number: impl Fn(usize) -> f32) {
    for (column, out) in out.iter_mut().enumerate() {
        out.write(number(column));
    }
}

/// The f16 that begins in row `at`, of every column; finite, as was seen when the file was read.
#[inline(always)]
pub(super) fn scales<const W: usize>(block: &[[u8; W]], at: usize) -> [f32; W] {
    let mut scales = [0.0; W];
    for (column, scale) in scales.iter_mut().enumerate() {
        let word = u32::from(block[at][column]) << 16 | u32::from(block[at + 1][column]) << 24;
        let bits = (word.cast_signed() >> 3).cast_unsigned() & F16_BITS;
        *scale = f32::from_bits(bits) * F16_SCALE;
    }
    scales
}

/// `d q`
#[inline(always)]
fn q8_0<const W: usize>(block: &[[u8; W]; 34], out: &mut [InputNumbers<W>; 32]) {
    let d = scales(block, 0);
    for (out, q) in out.iter_mut().zip(&block[2..]) {
        put(out, |c| d[c] * f32::from(q[c].cast_signed()));
    }
}

/// `d (q - 8)`
#[inline(always)]
fn q4_0<const W: usize>(block: &[[u8; W]; 18], out: &mut [InputNumbers<W>; 32]) {
    let d = scales(block, 0);
    let (first, second) = out.split_at_mut(16);
    for ((low, high), q) in first.iter_mut().zip(second).zip(&block[2..]) {
        put(low, |c| d[c] * (f32::from(q[c] & 15) - 8.0));
        put(high, |c| d[c] * (f32::from(q[c] >> 4) - 8.0));
    }
}

/// `d q + m`
#[inline(always)]
fn q4_1<const W: usize>(block: &[[u8; W]; 20], out: &mut [InputNumbers<W>; 32]) {
    let (d, m) = (scales(block, 0), scales(block, 2));
    let (first, second) = out.split_at_mut(16);
    for ((low, high), q) in first.iter_mut().zip(second).zip(&block[4..]) {
        put(low, |c| d[c] * f32::from(q[c] & 15) + m[c]);
        put(high, |c| d[c] * f32::from(q[c] >> 4) + m[c]);
    }
}

/// `d (q - 16)`
#[inline(always)]
fn q5_0<const W: usize>(block: &[[u8; W]; 22], out: &mut [InputNumbers<W>; 32]) {
    let d = scales(block, 0);
    fives(block, 2, out, |c, q| d[c] * (q - 16.0));
}

/// `d q + m`
#[inline(always)]
fn q5_1<const W: usize>(block: &[[u8; W]; 24], out: &mut [InputNumbers<W>; 32]) {
    let (d, m) = (scales(block, 0), scales(block, 2));
    fives(block, 4, out, |c, q| d[c] * q + m[c]);
}

/// Numbers of five bits: four rows of fifth bits from `at` on, then sixteen of nibbles.
#[inline(always)]
fn fives<const W: usize>(
    block: &[[u8; W]],
    at: usize,
    out: &mut [InputNumbers<W>; 32],
    number: impl Fn(usize, f32) -> f32,
) {
    let (fifths, nibbles) = (&block[at..at + 4], &block[at + 4..at + 20]);
    let (first, second) = out.split_at_mut(16);
    for (i, ((low, high), q)) in first.iter_mut().zip(second).zip(nibbles).enumerate() {
        let (a, b) = (&fifths[i / 8], &fifths[2 + i / 8]);
        put(low, |c| number(c, f32::from(q[c] & 15 | (a[c] >> (i % 8) & 1) << 4)));
        put(high, |c| number(c, f32::from(q[c] >> 4 | (b[c] >> (i % 8) & 1) << 4)));
    }
}

/// `d s q - dmin o`
#[inline(always)]
fn q4_k<const W: usize>(block: &[[u8; W]; 144], out: &mut [InputNumbers<W>; 256]) {
    let (d, dmin) = (scales(block, 0), scales(block, 2));
    for n in 0..4 {
        let (s, o) = pair(block, &d, &dmin, 2 * n);
        let (t, p) = pair(block, &d, &dmin, 2 * n + 1);
        let (first, second) = out[64 * n..64 * n + 64].split_at_mut(32);
        let nibbles = &block[16 + 32 * n..][..32];
        for ((low, high), q) in first.iter_mut().zip(second).zip(nibbles) {
            put(low, |c| s[c] * f32::from(q[c] & 15) - o[c]);
            put(high, |c| t[c] * f32::from(q[c] >> 4) - p[c]);
        }
    }
}

/// `d s q - dmin o` with a fifth bit per quant.
#[inline(always)]
fn q5_k<const W: usize>(block: &[[u8; W]; 176], out: &mut [InputNumbers<W>; 256]) {
    let (d, dmin) = (scales(block, 0), scales(block, 2));
    for n in 0..4 {
        let (s, o) = pair(block, &d, &dmin, 2 * n);
        let (t, p) = pair(block, &d, &dmin, 2 * n + 1);
        let (first, second) = out[64 * n..64 * n + 64].split_at_mut(32);
        let (fifths, nibbles) = (&block[16..48], &block[48 + 32 * n..][..32]);
        for (((low, high), q), fifth) in first.iter_mut().zip(second).zip(nibbles).zip(fifths) {
            put(low, |c| s[c] * f32::from(q[c] & 15 | (fifth[c] >> (2 * n) & 1) << 4) - o[c]);
            put(high, |c| t[c] * f32::from(q[c] >> 4 | (fifth[c] >> (2 * n + 1) & 1) << 4) - p[c]);
        }
    }
}

/// Scale and offset of sub-block `n` of a K block, twelve rows of six-bit numbers from row 4 on; see
/// the slow twin for where they lie.
#[inline(always)]
pub(super) fn pair<const W: usize>(
    block: &[[u8; W]],
    d: &[f32; W],
    dmin: &[f32; W],
    n: usize,
) -> ([f32; W], [f32; W]) {
    let packed = &block[4..16];
    let (mut s, mut o) = ([0.0; W], [0.0; W]);
    for (c, (s, o)) in s.iter_mut().zip(&mut o).enumerate() {
        let p = |row: usize| packed[row][c];
        let (scale, offset) = if n < 4 {
            (p(n) & 63, p(n + 4) & 63)
        } else {
            (p(n + 4) & 15 | p(n - 4) >> 6 << 4, p(n + 4) >> 4 | p(n) >> 6 << 4)
        };
        (*s, *o) = (d[c] * f32::from(scale), dmin[c] * f32::from(offset));
    }
    (s, o)
}

/// `d s (q - 32)`
#[inline(always)]
fn q6_k<const W: usize>(block: &[[u8; W]; 210], out: &mut [InputNumbers<W>; 256]) {
    let d = scales(block, 208);
    for (n, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // Sixteen numbers share a scale; two such parts are a quarter of half a block.
        let (half, quarter, part) = (n / 8, n % 8 / 2, n % 2);
        let mut s = [0.0; W];
        for (c, s) in s.iter_mut().enumerate() {
            *s = d[c] * f32::from(block[192 + n][c].cast_signed());
        }
        let low = &block[64 * half + 32 * (quarter % 2) + 16 * part..][..16];
        let high = &block[128 + 32 * half + 16 * part..][..16];
        let (shift, pair) = (4 * (quarter / 2), 2 * quarter);
        for ((out, low), high) in out.iter_mut().zip(low).zip(high) {
            put(out, |c| {
                let q = low[c] >> shift & 15 | (high[c] >> pair & 3) << 4;
                s[c] * (f32::from(q) - 32.0)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Isa;
    use super::*;
    use crate::{blocks, sample};

    #[test]
    fn a_panel_is_widened_to_the_bits_of_its_slow_twin() {
        for dtype in DType::BLOCKS {
            let ins = 512;
            let a_row = ins / dtype.block() * dtype.block_bytes();
            let widths = Isa::available().into_iter().map(Isa::width);
            for (width, count) in widths.flat_map(|width| [(width, width), (width, 3)]) {
                let rows = sample::blocks(dtype, count * ins, 11, 1.0);
                let mut panel = vec![MaybeUninit::uninit(); width * a_row];
                lay_out(dtype, width, &rows, a_row, &mut panel);
                // SAFETY: `lay_out` writes all of a panel.
                let panel: Vec<u8> = panel.iter().map(|x| unsafe { x.assume_init() }).collect();
                let mut found = vec![MaybeUninit::uninit(); width * ins];
                widen(dtype, width, &panel, &mut found);
                let mut twin = vec![0.0; ins];
                for (column, row) in rows.chunks_exact(a_row).enumerate() {
                    blocks::widen(dtype, row, &mut twin);
                    for (i, twin) in twin.iter().enumerate() {
                        // SAFETY: `widen` writes all numbers.
                        let found = unsafe { found[i * width + column].assume_init() };
                        assert_eq!(found.to_bits(), twin.to_bits(), "{} {i}", dtype.name());
                    }
                }
            }
        }
    }
}
