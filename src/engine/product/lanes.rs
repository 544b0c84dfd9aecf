//! One SIMD register of f32, for each instruction set that the tile is compiled for.

/// A register of [`Lanes::COUNT`] numbers.
///
/// # Safety
/// Every method may only be called where the instruction set of the implementation is there; the
/// pointers must be good for `COUNT` numbers ([`Lanes::splat`]: for one).
pub trait Lanes: Copy {
    const COUNT: usize;

    unsafe fn zero() -> Self;
    unsafe fn load(from: *const f32) -> Self;
    /// One number in every lane.
    unsafe fn splat(from: *const f32) -> Self;
    /// `self + a * b`
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    unsafe fn store(self, to: *mut f32);
}

/// What every processor has: the compiler makes of it what the target's baseline allows.
#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
#[derive(Clone, Copy)]
pub struct Portable([f32; 4]);

#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
impl Lanes for Portable {
    const COUNT: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0.0; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller's.
        Self(unsafe { from.cast::<[f32; 4]>().read() })
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: the caller's.
        Self([unsafe { *from }; 4])
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + a.0[i] * b.0[i]))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe { to.cast::<[f32; 4]>().write(self.0) }
    }
}

/// The same five methods in one instruction set's intrinsics.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! lanes {
    ($(#[$meta:meta])* $name:ident [$register:ty; $count:literal],
     zero: $zero:expr,
     load: |$l:ident| $load:expr,
     splat: |$p:ident| $splat:expr,
     add_product: |$sum:ident, $a:ident, $b:ident| $add_product:expr,
     store: |$to:ident, $value:ident| $store:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $name($register);

        // Some of the intrinsics are safe in themselves.
        #[allow(unused_unsafe)]
        impl Lanes for $name {
            const COUNT: usize = $count;

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
            unsafe fn splat($p: *const f32) -> Self {
                Self(unsafe { $splat })
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                let ($sum, $a, $b) = (self.0, a.0, b.0);
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

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Lanes;

    lanes!(
        /// AVX2 with fused multiply-add.
        Avx2 [__m256; 8],
        zero: _mm256_setzero_ps(),
        load: |from| _mm256_loadu_ps(from),
        splat: |from| _mm256_set1_ps(*from),
        add_product: |sum, a, b| _mm256_fmadd_ps(a, b, sum),
        store: |to, value| _mm256_storeu_ps(to, value)
    );
    lanes!(
        /// AVX-512F.
        Avx512 [__m512; 16],
        zero: _mm512_setzero_ps(),
        load: |from| _mm512_loadu_ps(from),
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

    use super::Lanes;

    lanes!(
        /// NEON, which every 64-bit ARM has.
        Neon [float32x4_t; 4],
        zero: vdupq_n_f32(0.0),
        load: |from| vld1q_f32(from),
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

    use super::Lanes;

    lanes!(
        /// WebAssembly's 128-bit SIMD.
        Simd128 [v128; 4],
        zero: f32x4_splat(0.0),
        load: |from| v128_load(from.cast()),
        splat: |from| v128_load32_splat(from.cast()),
        add_product: |sum, a, b| f32x4_add(sum, f32x4_mul(a, b)),
        store: |to, value| v128_store(to.cast(), value)
    );
}
