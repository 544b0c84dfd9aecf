//! The instruction sets that a product is compiled for, and the choice among them.

use super::lanes::{self, Lanes};
use super::tile::{self, Tile};

/// An instruction set that this processor has; its existence is the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Narrow,
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
pub struct Strip {
    pub rows: usize,
    /// Of the first row.
    pub tile: Tile,
}

/// A strip in one instruction set: tiles of the most rows that its registers hold, and of fewer at
/// the end.
macro_rules! strip {
    ($name:ident $(, $feature:literal)?: $lanes:ty, $vectors:literal, $most:literal $($rows:literal)*) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $name(strip: Strip) {
            let Strip { mut rows, mut tile } = strip;
            // SAFETY: the caller's.
            unsafe {
                while rows >= $most {
                    tile::run::<$lanes, $most, $vectors>(tile);
                    rows -= $most;
                    tile.x = tile.x.add($most * tile.x_stride);
                    tile.y = tile.y.add($most * tile.y_stride);
                }
                match rows {
                    $($rows => tile::run::<$lanes, $rows, $vectors>(tile),)*
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
strip!(avx2, "avx2,fma": lanes::Avx2, 2, 6 1 2 3 4 5);
#[cfg(target_arch = "aarch64")]
strip!(neon, "neon": lanes::Neon, 4, 6 1 2 3 4 5);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
strip!(simd128: lanes::Simd128, 2, 4 1 2 3);
#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
strip!(portable: lanes::Portable, 2, 4 1 2 3);

impl Isa {
    /// All that this processor has, the best first.
    // What is pushed depends on the target.
    #[allow(clippy::vec_init_then_push)]
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                sets.push(Self(Set::Avx512));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
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

    /// Columns of a panel: registers side by side in a tile, times their lanes.
    pub fn width(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => 4 * lanes::Avx512::COUNT,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Narrow => lanes::Avx512::COUNT,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => 2 * lanes::Avx2::COUNT,
            #[cfg(target_arch = "aarch64")]
            Set::Neon => 4 * lanes::Neon::COUNT,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => 2 * lanes::Simd128::COUNT,
            #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
            Set::Portable => 2 * lanes::Portable::COUNT,
        }
    }

    /// The same for matrices of a few dozen columns, as attention has them.
    pub fn narrow(self) -> Self {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => Self(Set::Avx512Narrow),
            _ => self,
        }
    }

    #[cfg(test)]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 | Set::Avx512Narrow => "AVX-512",
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

    /// # Safety
    /// The strip's pointers are good for its shapes, the panel [`Self::width`] wide.
    pub unsafe fn run(self, strip: Strip) {
        // SAFETY: an `Isa` is made only where the processor has it; the rest is the caller's.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => avx512(strip),
                #[cfg(target_arch = "x86_64")]
                Set::Avx512Narrow => avx512_narrow(strip),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => avx2(strip),
                #[cfg(target_arch = "aarch64")]
                Set::Neon => neon(strip),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Set::Simd128 => simd128(strip),
                #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
                Set::Portable => portable(strip),
            }
        }
    }
}
