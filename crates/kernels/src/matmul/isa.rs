//! The instruction sets that a product is compiled for, and the choice among them.

use std::sync::OnceLock;

use super::element::Element;
use super::lanes::{Lanes, Tiles};
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

/// Compiles a function for every instruction set, `$L` its registers in the body, and calls the one of `$isa`.
/// It is the one place that names the sets. Unsafe: what the body does is the caller's; the set is there, as an
/// `Isa` is made only where the processor has it.
macro_rules! per_isa {
    (@compiled $lanes:ident $([$feature:literal])?,
     $L:ident $(<$E:ident>)? ($($name:ident: $type:ty),*) -> $out:ty $body:block) => {{
        $(#[target_feature(enable = $feature)])?
        unsafe fn compiled$(<$E: $crate::matmul::element::Element>)?($($name: $type),*) -> $out {
            type $L = $crate::matmul::lanes::$lanes;
            $body
        }
        compiled($($name),*)
    }};
    ($isa:expr, $($function:tt)*) => {
        match $isa.0 {
            #[cfg(target_arch = "x86_64")]
            $crate::matmul::isa::Set::Avx512 => per_isa!(@compiled Avx512 ["avx512f"], $($function)*),
            #[cfg(target_arch = "x86_64")]
            $crate::matmul::isa::Set::Avx2 => per_isa!(@compiled Avx2 ["avx2,fma,f16c"], $($function)*),
            #[cfg(target_arch = "aarch64")]
            $crate::matmul::isa::Set::Neon => per_isa!(@compiled Neon ["neon"], $($function)*),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::matmul::isa::Set::Simd128 => per_isa!(@compiled Simd128, $($function)*),
            #[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
            $crate::matmul::isa::Set::Portable => per_isa!(@compiled Portable, $($function)*),
        }
    };
}
pub(super) use per_isa;

/// One panel against some rows.
#[derive(Clone, Copy)]
pub struct Strip<E> {
    pub rows: usize,
    /// The tile of the first row.
    pub tile: RegisterTile<E>,
}

/// A strip: tiles of the most rows that the registers hold, and one of fewer at the end.
///
/// # Safety
/// As [`tile::run`].
#[inline(always)]
unsafe fn tiles<E: Element, L: Lanes, const MOST: usize, const VECTORS: usize>(strip: Strip<E>) {
    let Strip { mut rows, mut tile } = strip;
    // SAFETY: the caller's.
    unsafe {
        while rows >= MOST {
            tile::run::<E, L, MOST, VECTORS>(tile);
            rows -= MOST;
            // After the last row these may point far past the end; nobody reads there.
            tile.x = tile.x.wrapping_add(MOST * tile.x_stride);
            tile.y = tile.y.wrapping_add(MOST * tile.y_stride);
        }
        match rows {
            1 => tile::run::<E, L, 1, VECTORS>(tile),
            2 => tile::run::<E, L, 2, VECTORS>(tile),
            3 => tile::run::<E, L, 3, VECTORS>(tile),
            4 if const { MOST > 4 } => tile::run::<E, L, 4, VECTORS>(tile),
            5 if const { MOST > 5 } => tile::run::<E, L, 5, VECTORS>(tile),
            6 if const { MOST > 6 } => tile::run::<E, L, 6, VECTORS>(tile),
            7 if const { MOST > 7 } => tile::run::<E, L, 7, VECTORS>(tile),
            _ => {}
        }
    }
}

/// A strip of a product with the transposed matrix, in tiles of 8, 4, 2 and 1 rows.
///
/// # Safety
/// As [`transposed::run`].
#[inline(always)]
unsafe fn transposed_tiles<E: Element, L: Lanes, const MOST: usize, const VECTORS: usize>(
    mut strip: TransposedStrip<E>,
) {
    // SAFETY: the caller's.
    unsafe {
        if const { MOST >= 8 } {
            transposed_rows::<E, L, 8, VECTORS>(&mut strip);
        }
        transposed_rows::<E, L, 4, VECTORS>(&mut strip);
        transposed_rows::<E, L, 2, VECTORS>(&mut strip);
        transposed_rows::<E, L, 1, VECTORS>(&mut strip);
    }
}

/// Tiles of ROWS rows as long as there are so many: two inputs at a time, then the last one.
///
/// # Safety
/// As [`transposed::run`].
#[inline(always)]
unsafe fn transposed_rows<E: Element, L: Lanes, const ROWS: usize, const VECTORS: usize>(
    strip: &mut TransposedStrip<E>,
) {
    let width = VECTORS * L::COUNT;
    while strip.rows >= ROWS {
        let mut at = *strip;
        // SAFETY: the caller's.
        unsafe {
            while at.inputs >= 2 {
                transposed::run::<E, L, ROWS, 2, VECTORS>(at);
                at.inputs -= 2;
                at.panel = at.panel.wrapping_add(2 * width);
                at.y = at.y.wrapping_add(2);
            }
            if at.inputs == 1 {
                transposed::run::<E, L, ROWS, 1, VECTORS>(at);
            }
        }
        strip.rows -= ROWS;
        strip.x = strip.x.wrapping_add(ROWS * strip.x_stride);
        strip.y = strip.y.wrapping_add(ROWS * strip.y_stride);
    }
}

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
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    fn tiles(self) -> Tiles {
        // SAFETY: a constant is read.
        unsafe { per_isa!(self, L() -> Tiles { L::TILES }) }
    }

    /// Numbers of a register.
    pub fn lanes(self) -> usize {
        // SAFETY: a constant is read.
        unsafe { per_isa!(self, L() -> usize { L::COUNT }) }
    }

    /// Whether f16 are stored in pairs; see [`Lanes::F16_IS_PAIRED`].
    pub fn pairs_f16(self) -> bool {
        // SAFETY: a constant is read.
        unsafe { per_isa!(self, L() -> bool { L::F16_IS_PAIRED }) }
    }

    /// Registers side by side in the widest tile.
    pub fn vectors(self) -> usize {
        self.tiles().vectors
    }

    /// Columns of a panel: registers side by side in a tile, times their lanes.
    pub fn width(self) -> usize {
        self.tiles().vectors * self.lanes()
    }

    /// Columns of a panel of a matrix of a few dozen columns, as attention has them.
    pub fn narrow_width(self) -> usize {
        self.tiles().narrow_vectors * self.lanes()
    }

    /// For people.
    pub fn name(self) -> &'static str {
        self.tiles().name
    }

    /// Computes a strip whose inputs are neighbours.
    ///
    /// # Safety
    /// The strip's pointers are good for its shapes, the panel [`Self::width`] wide.
    pub unsafe fn run<E: Element>(self, strip: Strip<E>) {
        // SAFETY: the caller's.
        unsafe {
            per_isa!(self, L<E>(strip: Strip<E>) -> () {
                // SAFETY: the caller's.
                unsafe { tiles::<E, L, { L::TILES.rows }, { L::TILES.vectors }>(strip) }
            })
        }
    }

    /// Computes a strip as [`Self::run`] does, for a panel [`Self::narrow_width`] wide.
    ///
    /// # Safety
    /// As [`Self::run`].
    pub unsafe fn run_narrow(self, strip: Strip<f32>) {
        // SAFETY: the caller's.
        unsafe {
            per_isa!(self, L(strip: Strip<f32>) -> () {
                // SAFETY: the caller's.
                unsafe { tiles::<f32, L, { L::TILES.narrow_rows }, { L::TILES.narrow_vectors }>(strip) }
            })
        }
    }

    /// A strip of a product with the transposed matrix, panels [`Self::width`] wide.
    ///
    /// # Safety
    /// As [`Self::run`].
    pub unsafe fn run_transposed<E: Element>(self, strip: TransposedStrip<E>) {
        // SAFETY: the caller's.
        unsafe {
            per_isa!(self, L<E>(strip: TransposedStrip<E>) -> () {
                // SAFETY: the caller's.
                unsafe { transposed_tiles::<E, L, { L::TILES.transposed_rows }, { L::TILES.vectors }>(strip) }
            })
        }
    }
}
