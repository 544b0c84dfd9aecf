//! The instruction sets that a product is compiled for, and the choice among them.

use super::element::Element;
use super::lanes::{self, Lanes};
use super::tile::{self, RegisterTile};
use super::transposed::{self, TransposedStrip};

/// An instruction set that this processor has; its existence is the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(pub(super) Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
    Portable,
}

/// One panel against some rows.
#[derive(Clone, Copy)]
pub struct Strip<E> {
    pub rows: usize,
    /// The tile of the first row.
    pub tile: RegisterTile<E>,
}

/// A strip in one instruction set: tiles of the most rows that its registers hold, and of fewer at
/// the end.
macro_rules! strip {
    ($name:ident $(, $feature:literal)?: $lanes:ty, $vectors:literal, $most:literal $($rows:literal)*) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $name<E: Element, const STEPS: bool>(strip: Strip<E>) {
            let Strip { mut rows, mut tile } = strip;
            // SAFETY: the caller's.
            unsafe {
                while rows >= $most {
                    tile::run::<E, $lanes, STEPS, $most, $vectors>(tile);
                    rows -= $most;
                    // After the last row these may point far past the end; nobody reads there.
                    tile.x = tile.x.wrapping_add($most * tile.x_stride);
                    tile.y = tile.y.wrapping_add($most * tile.y_stride);
                }
                match rows {
                    $($rows => tile::run::<E, $lanes, STEPS, $rows, $vectors>(tile),)*
                    _ => {}
                }
            }
        }
    };
}

// Panel widths and rows as measured, see benches/README.md.
#[cfg(target_arch = "x86_64")]
strip!(avx512, "avx512f": lanes::Avx512, 4, 6 1 2 3 4 5);
#[cfg(target_arch = "x86_64")]
strip!(avx512_narrow, "avx512f": lanes::Avx512, 1, 8 1 2 3 4 5 6 7);
#[cfg(target_arch = "x86_64")]
strip!(avx2, "avx2,fma,f16c": lanes::Avx2, 2, 6 1 2 3 4 5);
#[cfg(target_arch = "aarch64")]
strip!(neon, "neon": lanes::Neon, 4, 6 1 2 3 4 5);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
strip!(simd128: lanes::Simd128, 2, 4 1 2 3);
#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
strip!(portable: lanes::Portable, 2, 4 1 2 3);

/// A strip of a product with the transposed matrix in one instruction set: `$inputs` inputs at a time
/// for the most rows that its registers hold, then the inputs and rows that are left.
macro_rules! transposed {
    ($name:ident $(, $feature:literal)?: $lanes:ty, $vectors:literal, $inputs:literal, $most:literal $($rows:literal)*) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $name<E: Element>(strip: TransposedStrip<E>) {
            let width = $vectors * <$lanes>::COUNT;
            let mut first = 0;
            while first < strip.rows {
                let rows = (strip.rows - first).min($most);
                let mut at = TransposedStrip {
                    x: strip.x.wrapping_add(first * strip.x_stride),
                    y: strip.y.wrapping_add(first * strip.y_stride),
                    ..strip
                };
                let mut left = strip.inputs;
                while left > 0 {
                    let inputs = if left >= $inputs { $inputs } else { 1 };
                    // SAFETY: the caller's.
                    unsafe {
                        match (rows, inputs == 1) {
                            ($most, false) => transposed::run::<E, $lanes, $most, $inputs, $vectors>(at),
                            ($most, true) => transposed::run::<E, $lanes, $most, 1, $vectors>(at),
                            $(($rows, false) => transposed::run::<E, $lanes, $rows, $inputs, $vectors>(at),
                            ($rows, true) => transposed::run::<E, $lanes, $rows, 1, $vectors>(at),)*
                            _ => {}
                        }
                    }
                    left -= inputs;
                    at.panel = at.panel.wrapping_add(inputs * width);
                    at.y = at.y.wrapping_add(inputs);
                }
                first += rows;
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
transposed!(avx512_transposed, "avx512f": lanes::Avx512, 4, 2, 8 1 2 3 4 5 6 7);
#[cfg(target_arch = "x86_64")]
transposed!(avx2_transposed, "avx2,fma,f16c": lanes::Avx2, 2, 2, 4 1 2 3);
#[cfg(target_arch = "aarch64")]
transposed!(neon_transposed, "neon": lanes::Neon, 4, 2, 8 1 2 3 4 5 6 7);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
transposed!(simd128_transposed: lanes::Simd128, 2, 2, 4 1 2 3);
#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
transposed!(portable_transposed: lanes::Portable, 2, 2, 4 1 2 3);

impl Isa {
    /// Lists the instruction sets that this CPU has, the best first.
    // The pushed sets depend on the target.
    #[allow(clippy::vec_init_then_push)]
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                sets.push(Self(Set::Avx512));
            }
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
            {
                sets.push(Self(Set::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            sets.push(Self(Set::Neon));
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        sets.push(Self(Set::Simd128));
        #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
        sets.push(Self(Set::Portable));
        sets
    }

    /// The best that this processor has.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// Numbers of a register.
    pub fn lanes(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => lanes::Avx512::COUNT,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => lanes::Avx2::COUNT,
            #[cfg(target_arch = "aarch64")]
            Set::Neon => lanes::Neon::COUNT,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => lanes::Simd128::COUNT,
            #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
            Set::Portable => lanes::Portable::COUNT,
        }
    }

    /// Whether f16 are stored in pairs; see [`Lanes::F16_IS_PAIRED`].
    pub fn pairs_f16(self) -> bool {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => lanes::Avx512::F16_IS_PAIRED,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => lanes::Avx2::F16_IS_PAIRED,
            #[cfg(target_arch = "aarch64")]
            Set::Neon => lanes::Neon::F16_IS_PAIRED,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => lanes::Simd128::F16_IS_PAIRED,
            #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
            Set::Portable => lanes::Portable::F16_IS_PAIRED,
        }
    }

    /// Columns of a panel: registers side by side in a tile, times their lanes.
    pub fn width(self) -> usize {
        let registers = match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => 4,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => 2,
            #[cfg(target_arch = "aarch64")]
            Set::Neon => 4,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => 2,
            #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
            Set::Portable => 2,
        };
        registers * self.lanes()
    }

    /// Columns of a panel of a matrix of a few dozen columns, as attention has them.
    pub fn narrow_width(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => self.lanes(),
            _ => self.width(),
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Set::Neon => "NEON",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => "simd128",
            #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
            Set::Portable => "portable",
        }
    }

    /// Computes a strip whose inputs are neighbours, or `x_step` apart if `STEPS`.
    ///
    /// # Safety
    /// The strip's pointers are good for its shapes, the panel [`Self::width`] wide.
    pub unsafe fn run<E: Element, const STEPS: bool>(self, strip: Strip<E>) {
        // SAFETY: an `Isa` is made only where the processor has it; the rest is the caller's.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => avx512::<E, STEPS>(strip),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => avx2::<E, STEPS>(strip),
                #[cfg(target_arch = "aarch64")]
                Set::Neon => neon::<E, STEPS>(strip),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Set::Simd128 => simd128::<E, STEPS>(strip),
                #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
                Set::Portable => portable::<E, STEPS>(strip),
            }
        }
    }

    /// Computes a strip as [`Self::run`] does, for a panel [`Self::narrow_width`] wide.
    ///
    /// # Safety
    /// As [`Self::run`].
    pub unsafe fn run_narrow<const STEPS: bool>(self, strip: Strip<f32>) {
        // SAFETY: as in `run`.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => avx512_narrow::<f32, STEPS>(strip),
                _ => self.run::<f32, STEPS>(strip),
            }
        }
    }

    /// A strip of a product with the transposed matrix, panels [`Self::width`] wide.
    ///
    /// # Safety
    /// As [`Self::run`].
    pub unsafe fn run_transposed<E: Element>(self, strip: TransposedStrip<E>) {
        // SAFETY: as in `run`.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => avx512_transposed(strip),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => avx2_transposed(strip),
                #[cfg(target_arch = "aarch64")]
                Set::Neon => neon_transposed(strip),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Set::Simd128 => simd128_transposed(strip),
                #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
                Set::Portable => portable_transposed(strip),
            }
        }
    }
}
