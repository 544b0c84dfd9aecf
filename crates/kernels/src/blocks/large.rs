//! Blocks of 256 numbers (the K types): sub-blocks of 32 or 16 with scales of their own, which are
//! themselves small integers times one f16.

use super::scale;

/// `d s q - dmin o`: d, dmin, eight six-bit pairs (s, o), then 256 nibbles.
#[inline(always)]
pub fn q4_k(block: &[u8; 144], out: &mut [f32; 256]) {
    let pairs = Pairs::of(block);
    let nibbles = block[16..].as_chunks::<32>().0;
    for (n, (out, nibbles)) in out.as_chunks_mut::<64>().0.iter_mut().zip(nibbles).enumerate() {
        let ((a, c), (b, e)) = (pairs.get(2 * n), pairs.get(2 * n + 1));
        let (first, second) = out.split_at_mut(32);
        for ((low, high), &q) in first.iter_mut().zip(second).zip(nibbles) {
            *low = a * f32::from(q & 15) - c;
            *high = b * f32::from(q >> 4) - e;
        }
    }
}

/// `d s q - dmin o` with five bits per number: as [`q4_k`], with 32 bytes of fifth bits before the
/// nibbles, in each of them one bit per sub-block.
#[inline(always)]
pub fn q5_k(block: &[u8; 176], out: &mut [f32; 256]) {
    let pairs = Pairs::of(block);
    let (fifths, nibbles) = (&block[16..48], block[48..].as_chunks::<32>().0);
    for (n, (out, nibbles)) in out.as_chunks_mut::<64>().0.iter_mut().zip(nibbles).enumerate() {
        let ((a, c), (b, e)) = (pairs.get(2 * n), pairs.get(2 * n + 1));
        let (first, second) = out.split_at_mut(32);
        // Whole quants first, in bytes: of them a register holds the most.
        let mut quants = [[0; 32]; 2];
        for i in 0..32 {
            quants[0][i] = nibbles[i] & 15 | (fifths[i] >> (2 * n)) << 4 & 16;
            quants[1][i] = nibbles[i] >> 4 | (fifths[i] >> (2 * n + 1)) << 4 & 16;
        }
        for i in 0..32 {
            first[i] = a * f32::from(quants[0][i]) - c;
            second[i] = b * f32::from(quants[1][i]) - e;
        }
    }
}

/// `d s (q - 32)`: 256 low nibbles, 256 pairs of high bits, sixteen signed scales s, then d.
#[inline(always)]
pub fn q6_k(block: &[u8; 210], out: &mut [f32; 256]) {
    let d = scale(block, 208);
    for (n, out) in out.as_chunks_mut::<128>().0.iter_mut().enumerate() {
        let (first, second) = block[64 * n..][..64].split_at(32);
        let high = &block[128 + 32 * n..][..32];
        let scales = &block[192 + 8 * n..][..8];
        // The quarters take their nibbles from the two halves, low nibbles first. Shifts are constants, so that in
        // WebAssembly too the loops become whole registers.
        quarter::<0, 0>(d, first, high, &scales[..2], &mut out[..32]);
        quarter::<0, 2>(d, second, high, &scales[2..4], &mut out[32..64]);
        quarter::<4, 4>(d, first, high, &scales[4..6], &mut out[64..96]);
        quarter::<4, 6>(d, second, high, &scales[6..], &mut out[96..]);
    }
}

/// Two parts of sixteen numbers, each with a scale of its own.
#[inline(always)]
fn quarter<const NIBBLE: u32, const PAIR: u32>(
    d: f32,
    low: &[u8],
    high: &[u8],
    scales: &[u8],
    out: &mut [f32],
) {
    for (part, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let s = d * f32::from(scales[part].cast_signed());
        let bits = low[16 * part..].iter().zip(&high[16 * part..]);
        for (out, (&low, &high)) in out.iter_mut().zip(bits) {
            let q = low >> NIBBLE & 15 | (high >> PAIR & 3) << 4;
            *out = s * (f32::from(q) - 32.0);
        }
    }
}

/// The eight scales and offsets of a Q4_K or Q5_K block, times its two f16.
struct Pairs<'a> {
    d: f32,
    dmin: f32,
    packed: &'a [u8], // [12]
}

impl<'a> Pairs<'a> {
    #[inline(always)]
    fn of(block: &'a [u8]) -> Self {
        Self { d: scale(block, 0), dmin: scale(block, 2), packed: &block[4..16] }
    }

    /// Sub-block `n`'s. The first four pairs are the low six bits of bytes n and n + 4; the last four
    /// have their low four bits in byte n + 4 and their high two atop the first eight bytes.
    #[inline(always)]
    fn get(&self, n: usize) -> (f32, f32) {
        let p = self.packed;
        let (s, o) = if n < 4 {
            (p[n] & 63, p[n + 4] & 63)
        } else {
            (p[n + 4] & 15 | p[n - 4] >> 6 << 4, p[n + 4] >> 4 | p[n] >> 6 << 4)
        };
        (self.d * f32::from(s), self.dmin * f32::from(o))
    }
}
