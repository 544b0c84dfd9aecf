//! Small squares of a matrix, turned in registers: what laying out weights costs.

use super::element::Element;

/// Numbers of a square's side, 16 bytes of them.
pub const fn side<E: Element>() -> usize {
    16 / size_of::<E>()
}

/// Turns a square: number j of the row `rows(i)`, bytes as stored, becomes number i of row j of `to`,
/// whose rows are `to_stride` numbers apart.
///
/// # Safety
/// Every row is good for 16 bytes, `to` for all its rows.
#[inline(always)]
pub unsafe fn square<E: Element>(rows: impl Fn(usize) -> *const u8, to: *mut E, to_stride: usize) {
    // SAFETY: the caller's; SSE2 is there on every x86-64.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        match size_of::<E>() {
            2 => return x86::of_halves(rows, to.cast(), to_stride * 2),
            4 => return x86::of_singles(rows, to.cast(), to_stride * 4),
            _ => {}
        }
        for i in 0..side::<E>() {
            let row = std::slice::from_raw_parts(rows(i), 16);
            for (j, number) in row.chunks_exact(size_of::<E>()).enumerate() {
                *to.add(j * to_stride + i) = E::from_bytes(number);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// 8 x 8 numbers of two bytes; `to_stride` in bytes.
    #[inline(always)]
    pub unsafe fn of_halves(rows: impl Fn(usize) -> *const u8, to: *mut u8, to_stride: usize) {
        // SAFETY: the caller's.
        unsafe {
            let r: [__m128i; 8] = std::array::from_fn(|i| _mm_loadu_si128(rows(i).cast()));
            let pair = |i: usize| {
                let (a, b) = (r[2 * i], r[2 * i + 1]);
                [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)]
            };
            let pairs: [[__m128i; 2]; 4] = std::array::from_fn(pair);
            // Rows 0 to 3, and 4 to 7: four registers of two columns each.
            let four = |i: usize| {
                let [[a, c], [b, d]] = [pairs[2 * i], pairs[2 * i + 1]];
                [
                    _mm_unpacklo_epi32(a, b),
                    _mm_unpackhi_epi32(a, b),
                    _mm_unpacklo_epi32(c, d),
                    _mm_unpackhi_epi32(c, d),
                ]
            };
            let (first, last) = (four(0), four(1));
            for i in 0..4 {
                let lower = _mm_unpacklo_epi64(first[i], last[i]);
                let upper = _mm_unpackhi_epi64(first[i], last[i]);
                _mm_storeu_si128(to.add(2 * i * to_stride).cast(), lower);
                _mm_storeu_si128(to.add((2 * i + 1) * to_stride).cast(), upper);
            }
        }
    }

    /// 4 x 4 numbers of four bytes; `to_stride` in bytes.
    #[inline(always)]
    pub unsafe fn of_singles(rows: impl Fn(usize) -> *const u8, to: *mut u8, to_stride: usize) {
        // SAFETY: the caller's.
        unsafe {
            let r: [__m128i; 4] = std::array::from_fn(|i| _mm_loadu_si128(rows(i).cast()));
            let (a, b) = (_mm_unpacklo_epi32(r[0], r[1]), _mm_unpackhi_epi32(r[0], r[1]));
            let (c, d) = (_mm_unpacklo_epi32(r[2], r[3]), _mm_unpackhi_epi32(r[2], r[3]));
            let columns = [
                _mm_unpacklo_epi64(a, c),
                _mm_unpackhi_epi64(a, c),
                _mm_unpacklo_epi64(b, d),
                _mm_unpackhi_epi64(b, d),
            ];
            for (j, column) in columns.into_iter().enumerate() {
                _mm_storeu_si128(to.add(j * to_stride).cast(), column);
            }
        }
    }
}
