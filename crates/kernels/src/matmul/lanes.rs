//! One SIMD register of f32, for each instruction set that the tile is compiled for.

use half::{bf16, f16};

/// A register of [`Lanes::COUNT`] numbers.
///
/// # Safety
/// Every method may only be called where the instruction set of the implementation is there; the
/// pointers must be good for `COUNT` numbers ([`Lanes::splat`]: for one; `load_…_pair`: for twice as
/// many).
pub trait Lanes: Copy {
    const COUNT: usize;
    const TILES: Tiles;
    /// Whether [`Lanes::load_f16_pair`] separates even and odd numbers; else the first half and the second.
    const F16_IS_PAIRED: bool;

    unsafe fn zero() -> Self;
    unsafe fn load(from: *const f32) -> Self;
    /// Two registers of `2 COUNT` finite numbers, widened.
    unsafe fn load_f16_pair(from: *const f16) -> [Self; 2];
    /// The even ones of `2 COUNT` numbers, and the odd ones, widened.
    unsafe fn load_bf16_pair(from: *const bf16) -> [Self; 2];
    /// One number in every lane.
    unsafe fn splat(from: *const f32) -> Self;
    /// `self + a * b`
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    unsafe fn store(self, to: *mut f32);
    /// The numbers of all lanes added up, always in the same order.
    #[inline(always)]
    unsafe fn total(self) -> f32 {
        let mut lanes = [0f32; MOST_COUNT];
        // SAFETY: the caller's; no register has more.
        unsafe { self.store(lanes.as_mut_ptr()) };
        let mut count = Self::COUNT;
        while count > 1 {
            count /= 2;
            for i in 0..count {
                lanes[i] += lanes[i + count];
            }
        }
        lanes[0]
    }
}

/// The tiles of an instruction set: as many sums as its registers hold. As measured, see benches/README.md.
#[derive(Clone, Copy)]
pub struct Tiles {
    /// The set's name, for people.
    pub name: &'static str,
    /// Rows of the largest tile.
    pub rows: usize,
    /// Registers side by side in it: a panel's width.
    pub vectors: usize,
    /// Rows of the largest tile of a narrow panel.
    pub narrow_rows: usize,
    pub narrow_vectors: usize,
    /// Rows of the largest tile of a product with the transposed matrix: 4 or 8.
    pub transposed_rows: usize,
}

impl Tiles {
    /// Makes the tiles of a set whose narrow panels are as wide as others.
    const fn new(name: &'static str, [rows, vectors]: [usize; 2], transposed_rows: usize) -> Self {
        Self { name, rows, vectors, narrow_rows: rows, narrow_vectors: vectors, transposed_rows }
    }
}

/// Numbers in the widest register.
const MOST_COUNT: usize = 16;

/// The factor between an f16's exponent, read as an f32's, and what it stands for. So shifts, a mask
/// and a product widen every finite f16, the smallest among them, on processors without an
/// instruction for it: see [`F16_BITS`].
pub const F16_SCALE: f32 = f32::from_bits((127 + 112) << 23);

/// Mask of sign, exponent and mantissa: the bits of an f16 that make an f32, once it lies in the upper
/// half of a word and is shifted three places down with its sign.
pub const F16_BITS: u32 = 0x8fff_e000;

/// Implements [`Lanes`] with one instruction set's intrinsics.
macro_rules! lanes {
    ($(#[$meta:meta])* $name:ident [$register:ty; $count:literal],
     tiles: $tiles:expr,
     zero: $zero:expr,
     load: |$l:ident| $load:expr,
     load_f16_pair: |$h:ident| $load_f16_pair:expr, paired: $paired:literal,
     load_bf16_pair: |$b:ident| $load_bf16_pair:expr,
     splat: |$p:ident| $splat:expr,
     add_product: |$sum:ident, $a:ident, $b2:ident| $add_product:expr,
     store: |$to:ident, $value:ident| $store:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $name($register);

        // Some of the intrinsics are safe in themselves.
        #[allow(unused_unsafe)]
        impl Lanes for $name {
            const COUNT: usize = $count;
            const TILES: Tiles = $tiles;
            const F16_IS_PAIRED: bool = $paired;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller's, here and below.
                Self(unsafe { $zero })
            }
            #[inline(always)]
            unsafe fn load($l: *const f32) -> Self {
                Self(unsafe { $load })
            }
            #[inline(always)]
            unsafe fn load_f16_pair($h: *const f16) -> [Self; 2] {
                let (one, other) = unsafe { $load_f16_pair };
                [Self(one), Self(other)]
            }
            #[inline(always)]
            unsafe fn load_bf16_pair($b: *const bf16) -> [Self; 2] {
                let (even, odd) = unsafe { $load_bf16_pair };
                [Self(even), Self(odd)]
            }
            #[inline(always)]
            unsafe fn splat($p: *const f32) -> Self {
                Self(unsafe { $splat })
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                let ($sum, $a, $b2) = (self.0, a.0, b.0);
                Self(unsafe { $add_product })
            }
            #[inline(always)]
            unsafe fn store(self, $to: *mut f32) {
                let $value = self.0;
                unsafe { $store }
            }
        }
    };
}

#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
pub use portable::Portable;

#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
mod portable {
    use super::{F16_BITS, F16_SCALE, Lanes, Tiles, bf16, f16};

    lanes!(
        /// A register of any CPU: the compiler uses the instructions that the target's baseline allows.
        Portable [[f32; 4]; 4],
        tiles: Tiles::new("portable", [4, 2], 4),
        zero: [0.0; 4],
        load: |from| from.cast::<[f32; 4]>().read(),
        load_f16_pair: |from| {
            let pairs = from.cast::<[[f16; 2]; 4]>().read();
            let widened = |n: usize| {
                pairs.map(|pair| {
                    let word = u32::from(pair[n].to_bits()) << 16;
                    f32::from_bits((word.cast_signed() >> 3).cast_unsigned() & F16_BITS) * F16_SCALE
                })
            };
            (widened(0), widened(1))
        }, paired: true,
        load_bf16_pair: |from| {
            let pairs = from.cast::<[[bf16; 2]; 4]>().read();
            let widened =
                |n: usize| pairs.map(|pair| f32::from_bits(u32::from(pair[n].to_bits()) << 16));
            (widened(0), widened(1))
        },
        splat: |from| [*from; 4],
        add_product: |sum, a, b| std::array::from_fn(|i| sum[i] + a[i] * b[i]),
        store: |to, value| to.cast::<[f32; 4]>().write(value)
    );
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Lanes, Tiles, bf16, f16};

    lanes!(
        /// AVX2 with fused multiply-add and half-precision loads.
        Avx2 [__m256; 8],
        tiles: Tiles::new("AVX2", [6, 2], 4),
        zero: _mm256_setzero_ps(),
        load: |from| _mm256_loadu_ps(from),
        load_f16_pair: |from| (
            _mm256_cvtph_ps(_mm_loadu_si128(from.cast())),
            _mm256_cvtph_ps(_mm_loadu_si128(from.add(8).cast())),
        ), paired: false,
        load_bf16_pair: |from| {
            let pairs = _mm256_loadu_si256(from.cast());
            (
                _mm256_castsi256_ps(_mm256_slli_epi32::<16>(pairs)),
                _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(!0xffff))),
            )
        },
        splat: |from| _mm256_set1_ps(*from),
        add_product: |sum, a, b| _mm256_fmadd_ps(a, b, sum),
        store: |to, value| _mm256_storeu_ps(to, value)
    );
    lanes!(
        /// AVX-512F.
        Avx512 [__m512; 16],
        tiles: Tiles { narrow_rows: 8, narrow_vectors: 1, ..Tiles::new("AVX-512", [6, 4], 8) },
        zero: _mm512_setzero_ps(),
        load: |from| _mm512_loadu_ps(from),
        load_f16_pair: |from| (
            _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())),
            _mm512_cvtph_ps(_mm256_loadu_si256(from.add(16).cast())),
        ), paired: false,
        load_bf16_pair: |from| {
            let pairs = _mm512_loadu_si512(from.cast());
            (
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(pairs)),
                _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(!0xffff))),
            )
        },
        splat: |from| _mm512_set1_ps(*from),
        add_product: |sum, a, b| _mm512_fmadd_ps(a, b, sum),
        store: |to, value| _mm512_storeu_ps(to, value)
    );
}

#[cfg(target_arch = "aarch64")]
pub use arm::Neon;

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::*;

    use super::{F16_BITS, F16_SCALE, Lanes, Tiles, bf16, f16};

    lanes!(
        /// NEON, which every 64-bit ARM has.
        Neon [float32x4_t; 4],
        tiles: Tiles::new("NEON", [6, 4], 8),
        zero: vdupq_n_f32(0.0),
        load: |from| vld1q_f32(from),
        load_f16_pair: |from| {
            let pairs = vreinterpretq_s32_u16(vld1q_u16(from.cast()));
            let widened = |words: int32x4_t| {
                let shifted = vreinterpretq_u32_s32(vshrq_n_s32::<3>(words));
                let bits = vandq_u32(shifted, vdupq_n_u32(F16_BITS));
                vmulq_n_f32(vreinterpretq_f32_u32(bits), F16_SCALE)
            };
            (widened(vshlq_n_s32::<16>(pairs)), widened(pairs))
        }, paired: true,
        load_bf16_pair: |from| {
            let pairs = vreinterpretq_u32_u16(vld1q_u16(from.cast()));
            (
                vreinterpretq_f32_u32(vshlq_n_u32::<16>(pairs)),
                vreinterpretq_f32_u32(vandq_u32(pairs, vdupq_n_u32(!0xffff))),
            )
        },
        splat: |from| vld1q_dup_f32(from),
        add_product: |sum, a, b| vfmaq_f32(sum, a, b),
        store: |to, value| vst1q_f32(to, value)
    );
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use wasm::Simd128;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use std::arch::wasm32::*;

    use super::{F16_BITS, F16_SCALE, Lanes, Tiles, bf16, f16};

    lanes!(
        /// WebAssembly's 128-bit SIMD.
        Simd128 [v128; 4],
        tiles: Tiles::new("simd128", [4, 2], 4),
        zero: f32x4_splat(0.0),
        load: |from| v128_load(from.cast()),
        load_f16_pair: |from| {
            let pairs = v128_load(from.cast());
            let widened = |words: v128| {
                let bits = v128_and(i32x4_shr(words, 3), u32x4_splat(F16_BITS));
                f32x4_mul(bits, f32x4_splat(F16_SCALE))
            };
            (widened(u32x4_shl(pairs, 16)), widened(pairs))
        }, paired: true,
        load_bf16_pair: |from| {
            let pairs = v128_load(from.cast());
            (u32x4_shl(pairs, 16), v128_and(pairs, u32x4_splat(!0xffff)))
        },
        splat: |from| v128_load32_splat(from.cast()),
        add_product: |sum, a, b| f32x4_add(sum, f32x4_mul(a, b)),
        store: |to, value| v128_store(to.cast(), value)
    );
}
