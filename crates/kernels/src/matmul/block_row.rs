//! One row times a panel of blocks, as a token that is written has it: the quants of a block are added
//! up before their scale is applied, and nothing is widened in memory on the way.
//!
//! The numbers are those of [`block_panel::widen`](super::block_panel::widen) and the plain product,
//! rounded in another order.

use super::ahead::ask_ahead;
use super::block_panel::{pair, scales};
use crate::DType;
use crate::blocks::each_block;

/// `y [width] += x [in] M [in, width]` of a panel as [`lay_out`](super::block_panel::lay_out) writes it.
///
/// # Panics
/// If `dtype` has no blocks, no instruction set has panels of this width, or the slices are of other
/// lengths.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512bw+avx512dq+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn multiply(dtype: DType, panel: &[u8], x: &[f32], y: &mut [f32]) {
    let width = y.len();
    assert_eq!(
        panel.len(),
        x.len() / dtype.block() * dtype.block_bytes() * width,
        "the blocks of every input"
    );
    let is_fused = cfg!(target_arch = "aarch64")
        || multiversion::target::target_cfg_f!(target_feature = "fma");
    match is_fused {
        true => any_width::<true>(dtype, panel, x, y),
        false => any_width::<false>(dtype, panel, x, y),
    }
}

#[inline(always)]
fn any_width<const FUSED: bool>(dtype: DType, panel: &[u8], x: &[f32], y: &mut [f32]) {
    // At most sixteen columns at a time, whose sums stay in registers.
    match y.len() {
        #[cfg(target_arch = "x86_64")]
        64 => of_width::<FUSED, 64, 16>(dtype, panel, x, y),
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        16 => of_width::<FUSED, 16, 16>(dtype, panel, x, y),
        8 => of_width::<FUSED, 8, 8>(dtype, panel, x, y),
        width => panic!("no panel is {width} columns wide"),
    }
}

#[inline(always)]
fn of_width<const FUSED: bool, const W: usize, const G: usize>(
    dtype: DType,
    panel: &[u8],
    x: &[f32],
    y: &mut [f32],
) {
    let Some((y, [])) = y.split_first_chunk_mut::<W>() else {
        return;
    };
    let rows = panel.as_chunks::<W>().0;
    // No function item is given to another function: that call goes through a shim, which is not always
    // inlined, and then is compiled for any processor.
    macro_rules! each {
        ($block:ident) => {
            for (bytes, x) in rows.as_chunks().0.iter().zip(x.as_chunks().0) {
                $block::<FUSED, W, G>(bytes, x, y);
            }
        };
    }
    each_block!(dtype, each);
}

/// Asks for the lines behind these rows.
#[inline(always)]
fn ask<const W: usize>(rows: &[[u8; W]]) {
    for row in rows.iter().step_by((64 / W).max(1)) {
        ask_ahead(row);
    }
}

/// `sum + a b`, rounded once where the processor does that in one step.
#[inline(always)]
fn add<const FUSED: bool>(sum: f32, a: f32, b: f32) -> f32 {
    if FUSED { a.mul_add(b, sum) } else { sum + a * b }
}

/// `x q` added up, of the columns from `first` on: `q(i, byte, column)` is row i's quant.
#[inline(always)]
fn fold<const FUSED: bool, const W: usize, const G: usize>(
    rows: &[[u8; W]],
    x: &[f32],
    first: usize,
    q: impl Fn(usize, u8, usize) -> f32,
) -> [f32; G] {
    let mut sums = [0.0; G];
    for (i, (row, &x)) in rows.iter().zip(x).enumerate() {
        for (c, sum) in sums.iter_mut().enumerate() {
            *sum = add::<FUSED>(*sum, x, q(i, row[first + c], first + c));
        }
    }
    sums
}

/// The columns from `first` on: `number(y, column, sum)` is what y becomes.
#[inline(always)]
fn join<const W: usize, const G: usize>(
    y: &mut [f32; W],
    first: usize,
    sums: [f32; G],
    number: impl Fn(f32, usize, f32) -> f32,
) {
    let columns = y[first..first + G].iter_mut().zip(sums);
    for (at, (y, sum)) in (first..).zip(columns) {
        *y = number(*y, at, sum);
    }
}

/// Sums a block's inputs: the block's offset is multiplied by this sum.
#[inline(always)]
fn sum(x: &[f32]) -> f32 {
    x.iter().sum()
}

/// `d q`
#[inline(always)]
fn q8_0<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 34],
    x: &[f32; 32],
    y: &mut [f32; W],
) {
    ask(block);
    let d = scales(block, 0);
    for first in (0..W).step_by(G) {
        // Two chains: a sum waits for the one before it.
        let q = |_, byte: u8, _| f32::from(byte.cast_signed());
        let a: [f32; G] = fold::<FUSED, W, G>(&block[2..18], &x[..16], first, q);
        let b: [f32; G] = fold::<FUSED, W, G>(&block[18..], &x[16..], first, q);
        let both = std::array::from_fn(|c| a[c] + b[c]);
        join::<W, G>(y, first, both, |y, at, sum| add::<FUSED>(y, d[at], sum));
    }
}

/// `d (q - 8)`
#[inline(always)]
fn q4_0<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 18],
    x: &[f32; 32],
    y: &mut [f32; W],
) {
    ask(block);
    let (d, shift) = (scales(block, 0), 8.0 * sum(x));
    for first in (0..W).step_by(G) {
        let both = nibbles::<FUSED, W, G>(&block[2..], x, first);
        join::<W, G>(y, first, both, |y, at, sum| add::<FUSED>(y, d[at], sum - shift));
    }
}

/// `d q + m`
#[inline(always)]
fn q4_1<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 20],
    x: &[f32; 32],
    y: &mut [f32; W],
) {
    ask(block);
    let (d, m, all) = (scales(block, 0), scales(block, 2), sum(x));
    for first in (0..W).step_by(G) {
        let both = nibbles::<FUSED, W, G>(&block[4..], x, first);
        join::<W, G>(y, first, both, |y, at, sum| {
            add::<FUSED>(add::<FUSED>(y, d[at], sum), m[at], all)
        });
    }
}

/// Sixteen rows of nibbles: the first half of `x` meets the lower ones.
#[inline(always)]
fn nibbles<const FUSED: bool, const W: usize, const G: usize>(
    rows: &[[u8; W]],
    x: &[f32],
    first: usize,
) -> [f32; G] {
    let (x, y) = x.split_at(rows.len());
    let (mut low, mut high) = ([0.0; G], [0.0; G]);
    for ((row, &x), &y) in rows.iter().zip(x).zip(y) {
        for c in 0..G {
            let byte = row[first + c];
            low[c] = add::<FUSED>(low[c], x, f32::from(byte & 15));
            high[c] = add::<FUSED>(high[c], y, f32::from(byte >> 4));
        }
    }
    std::array::from_fn(|c| low[c] + high[c])
}

/// `d (q - 16)`
#[inline(always)]
fn q5_0<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 22],
    x: &[f32; 32],
    y: &mut [f32; W],
) {
    ask(block);
    let (d, shift) = (scales(block, 0), 16.0 * sum(x));
    for first in (0..W).step_by(G) {
        let both = fives::<FUSED, W, G>(&block[2..], x, first);
        join::<W, G>(y, first, both, |y, at, sum| add::<FUSED>(y, d[at], sum - shift));
    }
}

/// `d q + m`
#[inline(always)]
fn q5_1<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 24],
    x: &[f32; 32],
    y: &mut [f32; W],
) {
    ask(block);
    let (d, m, all) = (scales(block, 0), scales(block, 2), sum(x));
    for first in (0..W).step_by(G) {
        let both = fives::<FUSED, W, G>(&block[4..], x, first);
        join::<W, G>(y, first, both, |y, at, sum| {
            add::<FUSED>(add::<FUSED>(y, d[at], sum), m[at], all)
        });
    }
}

/// Four rows of fifth bits, then sixteen of nibbles.
#[inline(always)]
fn fives<const FUSED: bool, const W: usize, const G: usize>(
    rows: &[[u8; W]],
    x: &[f32],
    first: usize,
) -> [f32; G] {
    let (fifths, rows) = rows.split_at(4);
    let low = |i: usize, byte: u8, c: usize| {
        f32::from(byte & 15 | (fifths[i / 8][c] >> (i % 8) & 1) << 4)
    };
    let high = |i: usize, byte: u8, c: usize| {
        f32::from(byte >> 4 | (fifths[2 + i / 8][c] >> (i % 8) & 1) << 4)
    };
    let low: [f32; G] = fold::<FUSED, W, G>(rows, &x[..16], first, low);
    let high: [f32; G] = fold::<FUSED, W, G>(rows, &x[16..], first, high);
    std::array::from_fn(|c| low[c] + high[c])
}

/// `d s q - dmin o`
#[inline(always)]
fn q4_k<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 144],
    x: &[f32; 256],
    y: &mut [f32; W],
) {
    let q = |_, nibble: u8, _, _| nibble;
    fours::<FUSED, W, G>(block, &block[16..], x, y, q);
}

/// `d s q - dmin o` with a fifth bit per quant.
#[inline(always)]
fn q5_k<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 176],
    x: &[f32; 256],
    y: &mut [f32; W],
) {
    let fifths = &block[16..48];
    let q = |i: usize, nibble: u8, bit: usize, c: usize| nibble | (fifths[i][c] >> bit & 1) << 4;
    fours::<FUSED, W, G>(block, &block[48..], x, y, q);
}

/// Four pairs of sub-blocks of 32 numbers, whose lower four bits share bytes; `q(i, nibble, sub-block,
/// column)` is the whole quant.
#[inline(always)]
fn fours<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]],
    rows: &[[u8; W]],
    x: &[f32; 256],
    y: &mut [f32; W],
    q: impl Fn(usize, u8, usize, usize) -> u8 + Copy,
) {
    let (d, dmin) = (scales(block, 0), scales(block, 2));
    // Asked for a few at a time: all at once they would wait for each other.
    let steps = 4 * (W / G);
    for n in 0..4 {
        let (s, o) = pair(block, &d, &dmin, 2 * n);
        let (t, p) = pair(block, &d, &dmin, 2 * n + 1);
        let (low, high) = x[64 * n..64 * n + 64].split_at(32);
        let (low_sum, high_sum) = (sum(low), sum(high));
        let rows = &rows[32 * n..][..32];
        for first in (0..W).step_by(G) {
            let step = n * (W / G) + first / G;
            ask(&block[step * block.len() / steps..(step + 1) * block.len() / steps]);
            let of_low = move |i, byte: u8, c| f32::from(q(i, byte & 15, 2 * n, c));
            let of_high = move |i, byte: u8, c| f32::from(q(i, byte >> 4, 2 * n + 1, c));
            let a: [f32; G] = fold::<FUSED, W, G>(rows, low, first, of_low);
            let b: [f32; G] = fold::<FUSED, W, G>(rows, high, first, of_high);
            for c in 0..G {
                let at = first + c;
                let quants = add::<FUSED>(s[at] * a[c], t[at], b[c]);
                let offsets = add::<FUSED>(o[at] * low_sum, p[at], high_sum);
                y[at] += quants - offsets;
            }
        }
    }
}

/// `d s (q - 32)`
#[inline(always)]
fn q6_k<const FUSED: bool, const W: usize, const G: usize>(
    block: &[[u8; W]; 210],
    x: &[f32; 256],
    y: &mut [f32; W],
) {
    let d = scales(block, 208);
    for (n, x) in x.as_chunks::<16>().0.iter().enumerate() {
        ask(&block[n * block.len() / 16..(n + 1) * block.len() / 16]);
        // As in `block_panel`: sixteen numbers share a scale; two such parts are a quarter of half a
        // block.
        let (half, quarter, part) = (n / 8, n % 8 / 2, n % 2);
        let low = &block[64 * half + 32 * (quarter % 2) + 16 * part..][..16];
        let high = &block[128 + 32 * half + 16 * part..][..16];
        let (shift, two) = (4 * (quarter / 2), 2 * quarter);
        let all = 32.0 * sum(x);
        for first in (0..W).step_by(G) {
            let q = |i: usize, byte: u8, c: usize| {
                f32::from(byte >> shift & 15 | (high[i][c] >> two & 3) << 4)
            };
            let sums: [f32; G] = fold::<FUSED, W, G>(low, x, first, q);
            join::<W, G>(y, first, sums, |y, at, sum| {
                let scale = d[at] * f32::from(block[192 + n][at].cast_signed());
                add::<FUSED>(y, scale, sum - all)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::super::Isa;
    use super::super::block_panel::lay_out;
    use super::*;
    use crate::testing::random;
    use crate::{blocks, sample};

    #[test]
    fn a_row_times_a_panel_of_blocks_equals_the_widened_product() {
        for dtype in DType::BLOCKS {
            let ins = 512;
            let a_row = ins / dtype.block() * dtype.block_bytes();
            let x = random(ins, 1.0, 3);
            let widths = Isa::available().into_iter().map(Isa::width);
            for (width, count) in widths.flat_map(|width| [(width, width), (width, 3)]) {
                let rows = sample::blocks(dtype, count * ins, 11, 1.0);
                let mut panel = vec![MaybeUninit::uninit(); width * a_row];
                lay_out(dtype, width, &rows, a_row, &mut panel);
                // SAFETY: `lay_out` writes all of a panel.
                let panel: Vec<u8> = panel.iter().map(|x| unsafe { x.assume_init() }).collect();
                let mut found = vec![1.0; width];
                multiply(dtype, &panel, &x, &mut found);
                let mut twin = vec![0.0; ins];
                for (column, row) in rows.chunks_exact(a_row).enumerate() {
                    blocks::widen(dtype, row, &mut twin);
                    let terms = || x.iter().zip(&twin).map(|(x, w)| f64::from(*x) * f64::from(*w));
                    let (expected, size) =
                        (1.0 + terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                    let off = (f64::from(found[column]) - expected).abs();
                    assert!(off <= 1e-6 * size, "{} {column}: {off:.1e} of {size}", dtype.name());
                }
                assert!(found[count..].iter().all(|&x| x == 1.0), "columns without a row");
            }
        }
    }
}
