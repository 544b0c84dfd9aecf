//! The types of numbers that a panel can hold, and how each comes to registers of f32.

use half::{bf16, f16};

use super::isa::Isa;
use super::lanes::Lanes;

/// A stored number.
pub trait Element: Copy + Send + Sync + 'static {
    const ZERO: Self;
    /// Whether two registers of a panel's row are stored as pairs: their first numbers, their second, …
    fn is_paired(isa: Isa) -> bool;

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

    #[inline(always)]
    fn is_paired(_: Isa) -> bool {
        false
    }
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

/// A half in two bytes, whose registers come in pairs.
macro_rules! half {
    ($half:ty, |$isa:ident| $is_paired:expr, $lanes:ident, $load_pair:ident) => {
        impl Element for $half {
            const ZERO: Self = Self::ZERO;

            #[inline(always)]
            fn is_paired($isa: Isa) -> bool {
                $is_paired
            }
            #[inline(always)]
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes([bytes[0], bytes[1]])
            }
            #[inline(always)]
            unsafe fn load<$lanes: Lanes, const VECTORS: usize>(
                from: *const Self,
            ) -> [$lanes; VECTORS] {
                const { assert!(VECTORS.is_multiple_of(2), "registers come in pairs") };
                // SAFETY: the caller's.
                unsafe {
                    let mut loaded = [$lanes::zero(); VECTORS];
                    for (n, pair) in loaded.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                        *pair = $lanes::$load_pair(from.add(n * 2 * $lanes::COUNT));
                    }
                    loaded
                }
            }
        }
    };
}

half!(f16, |isa| isa.pairs_f16(), L, load_f16_pair);
// A bf16 is the upper half of an f32: of a register of pairs, a shift leaves the even numbers and a
// mask the odd ones, half the work of widening two half registers.
half!(bf16, |_isa| true, L, load_bf16_pair);

/// Which column stands at place `at` of a panel's row.
#[inline(always)]
pub fn column<E: Element>(at: usize, isa: Isa) -> usize {
    if !E::is_paired(isa) {
        return at;
    }
    let lanes = isa.lanes();
    let (pair, within) = (at / (2 * lanes), at % (2 * lanes));
    pair * 2 * lanes + within % 2 * lanes + within / 2
}

/// Does something with the type that a plain dtype stands for; blocks go another way.
macro_rules! with_element {
    ($dtype:expr, $element:ident => $work:expr) => {
        match $dtype {
            $crate::DType::F32 => {
                type $element = f32;
                $work
            }
            $crate::DType::F16 => {
                type $element = half::f16;
                $work
            }
            $crate::DType::Bf16 => {
                type $element = half::bf16;
                $work
            }
            blocks => unreachable!("{} has no elements of its own", blocks.name()),
        }
    };
}
pub(super) use with_element;
