//! Rotary positions: dimension i of a head's first R turns with i + R/2, the rest stay.

use multiversion::multiversion;

use super::attention::Heads;

/// cos and sin of every angle, `[T, rope width / 2]` each.
#[derive(Clone, Debug, Default)]
pub struct Angles {
    /// The position that the first ones are of.
    pub first: usize,
    pub cos: Vec<f32>,
    pub sin: Vec<f32>,
}

/// Turns a head `x` \[W\] as at position `t`, every number times `scale`, where the angles are
/// [T, `half`]: the first `2 half` dimensions, or none.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn rotate(x: &[f32], angles: &Angles, half: usize, t: usize, scale: f32, out: &mut [f32]) {
    let (cos, sin) = at(angles, half, t);
    let ((x, rest), (out, out_rest)) = (x.split_at(2 * half), out.split_at_mut(2 * half));
    let ((x, y), (out_x, out_y)) = (x.split_at(half), out.split_at_mut(half));
    for i in 0..half {
        out_x[i] = (x[i] * cos[i] - y[i] * sin[i]) * scale;
        out_y[i] = (y[i] * cos[i] + x[i] * sin[i]) * scale;
    }
    for (out, x) in out_rest.iter_mut().zip(rest) {
        *out = x * scale;
    }
}

/// In training: turns, in place, the queries and keys of `qkv` [N, (H + 2 KV) W], for packed sequences
/// of which `starts` holds the first rows, and the end; or turns them back with `inverse`, which is
/// also the gradient.
pub fn rotate_in_place(
    qkv: &mut [f32],
    heads: Heads,
    starts: &[usize],
    angles: &Angles,
    inverse: bool,
) {
    let stride = heads.qkv_width();
    let turned = (heads.heads + heads.kv_heads) * heads.width;
    for sequence in starts.windows(2) {
        let span = sequence[0] * stride..sequence[1] * stride;
        for (t, row) in qkv[span].chunks_exact_mut(stride).enumerate() {
            turn_heads(&mut row[..turned], heads.width, heads.rope_half, angles, t, inverse);
        }
    }
}

/// Turns, in place, the heads \[`width`\] that lie side by side in `row` as at position `t`; or by the
/// transposed turn, which is the gradient, and turns back where the angles' scale is 1.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn turn_heads(
    row: &mut [f32],
    width: usize,
    half: usize,
    angles: &Angles,
    t: usize,
    transposed: bool,
) {
    let (cos, sin) = at(angles, half, t);
    let sign = if transposed { -1.0 } else { 1.0 };
    for head in row.chunks_exact_mut(width) {
        let (a, b) = head[..2 * half].split_at_mut(half);
        for i in 0..half {
            let (x, y, sin) = (a[i], b[i], sin[i] * sign);
            a[i] = x * cos[i] - y * sin;
            b[i] = y * cos[i] + x * sin;
        }
    }
}

/// cos and sin at position `t`, [`half`] each.
#[inline(always)]
fn at(angles: &Angles, half: usize, t: usize) -> (&[f32], &[f32]) {
    let row = t - angles.first;
    let span = row * half..(row + 1) * half;
    (&angles.cos[span.clone()], &angles.sin[span])
}

#[cfg(test)]
pub(super) mod tests {
    use std::ops::Range;

    use super::*;
    use crate::testing::{close, random};

    /// The slow plain twin: complex numbers, in f64.
    fn plain(x: &[f32], rope_width: usize, theta: f64, t: usize, scale: f64) -> Vec<f64> {
        let half = rope_width / 2;
        let mut out: Vec<f64> = x.iter().map(|&x| f64::from(x) * scale).collect();
        for i in 0..half {
            let angle = t as f64 * theta.powf(-2.0 * i as f64 / rope_width as f64);
            let (a, b) = (out[i], out[i + half]);
            out[i] = a * angle.cos() - b * angle.sin();
            out[i + half] = b * angle.cos() + a * angle.sin();
        }
        out
    }

    /// Angles of some positions, where `width` dimensions turn and theta is 10,000.
    pub fn angles(width: usize, positions: Range<usize>) -> Angles {
        let frequency = |i: usize| 1e4f64.powf(-2.0 * i as f64 / width as f64);
        let each = |f: fn(f64) -> f64| {
            let row = |t: usize| (0..width / 2).map(move |i| f(t as f64 * frequency(i)) as f32);
            positions.clone().flat_map(row).collect()
        };
        Angles { first: positions.start, cos: each(f64::cos), sin: each(f64::sin) }
    }

    #[test]
    fn whole_and_partial_heads_equal_their_twin() {
        for (width, rope_width) in [(16, 16), (20, 6), (7, 2), (8, 0)] {
            let (x, angles) = (random(width, 2.0, 1), angles(rope_width, 0..40));
            for t in [0, 1, 39] {
                let mut ours = vec![f32::NAN; width];
                rotate(&x, &angles, rope_width / 2, t, 0.25, &mut ours);
                close(&ours, &plain(&x, rope_width, 1e4, t, 0.25), 1e-6);
            }
        }
    }

    #[test]
    fn turning_in_place_is_the_same_and_can_be_undone() {
        let (width, half) = (12, 4);
        let heads = Heads { heads: 2, kv_heads: 1, width, window: usize::MAX, rope_half: half };
        let (stride, angles) = (heads.qkv_width(), angles(2 * half, 0..40));
        let starts = [0, 5, 6, 14];
        let rows = random(14 * stride, 1.0, 2);
        let mut turned = rows.clone();
        rotate_in_place(&mut turned, heads, &starts, &angles, false);
        for sequence in starts.windows(2) {
            for row in sequence[0]..sequence[1] {
                let (x, ours) = (&rows[row * stride..], &turned[row * stride..]);
                for head in 0..3 {
                    let span = head * width..(head + 1) * width;
                    let expected = plain(&x[span.clone()], 2 * half, 1e4, row - sequence[0], 1.0);
                    close(&ours[span], &expected, 1e-6);
                }
                assert_eq!(x[36..stride], ours[36..stride]);
            }
        }
        rotate_in_place(&mut turned, heads, &starts, &angles, true);
        let expected: Vec<f64> = rows.iter().map(|&x| f64::from(x)).collect();
        close(&turned, &expected, 1e-6);
    }
}
