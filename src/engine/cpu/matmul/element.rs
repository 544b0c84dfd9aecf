//! The types of numbers that a panel can hold, and how each comes to registers of f32.

use half::{bf16, f16};

use super::lanes::Lanes;

/// A stored number.
pub trait Element: Copy + Send + Sync + 'static {
    const ZERO: Self;
    /// Two registers of a panel's row are stored as pairs: first numbers, second numbers, ….
    const IS_PAIRED: bool;

    /// From its little-endian bytes, at the beginning of `bytes`.
    fn from_bytes(bytes: &[u8]) -> Self;

    /// One input's row of a panel, [VECTORS COUNT] numbers.
    ///
    /// # Safety
    /// The instruction set of `L` is there, and `from` is good for the row.
    unsafe fn load<L: Lanes, const VECTORS: usize>(from: *const Self) -> [L; VECTORS];
}

impl Element for f32 {
    const ZERO: Self = 0.0;
    const IS_PAIRED: bool = false;

    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }
    #[inline(always)]
    unsafe fn load<L: Lanes, const VECTORS: usize>(from: *const Self) -> [L; VECTORS] {
        // SAFETY: the caller's.
        std::array::from_fn(|v| unsafe { L::load(from.add(v * L::COUNT)) })
    }
}

impl Element for f16 {
    const ZERO: Self = Self::ZERO;
    const IS_PAIRED: bool = false;

    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_le_bytes([bytes[0], bytes[1]])
    }
    #[inline(always)]
    unsafe fn load<L: Lanes, const VECTORS: usize>(from: *const Self) -> [L; VECTORS] {
        // SAFETY: the caller's.
        std::array::from_fn(|v| unsafe { L::load_f16(from.add(v * L::COUNT)) })
    }
}

impl Element for bf16 {
    const ZERO: Self = Self::ZERO;
    // A bf16 is the upper half of an f32: of a register of pairs, a shift leaves the first numbers
    // and a mask the second, half the work of widening two half registers.
    const IS_PAIRED: bool = true;

    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_le_bytes([bytes[0], bytes[1]])
    }
    #[inline(always)]
    unsafe fn load<L: Lanes, const VECTORS: usize>(from: *const Self) -> [L; VECTORS] {
        const { assert!(VECTORS.is_multiple_of(2), "registers come in pairs") };
        // SAFETY: the caller's.
        unsafe {
            let mut loaded = [L::zero(); VECTORS];
            for (pair, loaded) in loaded.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *loaded = L::load_bf16_pair(from.add(pair * 2 * L::COUNT));
            }
            loaded
        }
    }
}

/// Where in a panel's row column `column` stands, for registers of `lanes` numbers.
#[inline(always)]
pub fn place<E: Element>(column: usize, lanes: usize) -> usize {
    if !E::IS_PAIRED {
        return column;
    }
    let (pair, within) = (column / (2 * lanes), column % (2 * lanes));
    pair * 2 * lanes + 2 * (within % lanes) + within / lanes
}

/// Which column stands at place `at` of a panel's row.
#[inline(always)]
pub fn column<E: Element>(at: usize, lanes: usize) -> usize {
    if !E::IS_PAIRED {
        return at;
    }
    let (pair, within) = (at / (2 * lanes), at % (2 * lanes));
    pair * 2 * lanes + within % 2 * lanes + within / 2
}
