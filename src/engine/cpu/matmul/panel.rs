//! Panels in memory.

use std::mem::MaybeUninit;

use super::element::{Element, place};
use super::isa::Isa;

/// A cache line, which a wide register's load must not straddle.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line([MaybeUninit<u8>; 64]);

/// Room for `bytes` bytes that nobody has written: whoever fills it first also has its pages.
pub fn room(bytes: usize) -> Vec<Line> {
    let count = bytes.div_ceil(64);
    let mut lines = Vec::with_capacity(count);
    // SAFETY: a `Line` needs no initial value, and there is room for so many.
    unsafe { lines.set_len(count) };
    lines
}

/// The lines as places for numbers.
pub fn places<E: Element>(lines: &mut [Line]) -> &mut [MaybeUninit<E>] {
    let count = size_of_val(lines) / size_of::<E>();
    // SAFETY: a `Line` has the size of whole numbers and more than their alignment, and neither it
    // nor what it is seen as needs an initial value.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), count) }
}

/// Inputs of one row that are taken at a time: a cache line of them, whose part of the panel stays
/// in the first-level cache.
const fn block<E: Element>() -> usize {
    64 / size_of::<E>()
}

/// `rows` [at most the panel's width, `ins`], bytes as stored, to a panel [`ins`][width] of the
/// same type; columns without a row become 0.
pub fn pack<E: Element>(
    isa: Isa,
    width: usize,
    rows: &[u8],
    ins: usize,
    panel: &mut [MaybeUninit<E>],
) {
    let lanes = isa.lanes();
    spread::<E, E>(rows, ins, width, panel, |n| n, |c| place::<E>(c, lanes));
}

/// The same to a panel of f32.
pub fn pack_wide<E: Element>(
    width: usize,
    rows: &[u8],
    ins: usize,
    panel: &mut [MaybeUninit<f32>],
) {
    spread::<E, f32>(rows, ins, width, panel, E::widen, |c| c);
}

#[inline(always)]
fn spread<E: Element, T: Element>(
    rows: &[u8],
    ins: usize,
    width: usize,
    panel: &mut [MaybeUninit<T>],
    convert: impl Fn(E) -> T,
    place: impl Fn(usize) -> usize,
) {
    let size = size_of::<E>();
    if rows.len() < width * ins * size {
        panel.fill(MaybeUninit::new(T::ZERO));
    }
    for from in (0..ins).step_by(block::<E>()) {
        let block = from..(from + block::<E>()).min(ins);
        let panel = &mut panel[from * width..][..block.len() * width];
        for (column, row) in rows.chunks_exact((ins * size).max(1)).enumerate() {
            let at = place(column);
            let row = row[block.start * size..block.end * size].chunks_exact(size);
            for (to, number) in panel.chunks_exact_mut(width).zip(row) {
                to[at] = MaybeUninit::new(convert(E::from_bytes(number)));
            }
        }
    }
}

/// Plain numbers as their bytes, which on every processor that this is compiled for are those of a
/// file.
pub fn bytes(numbers: &[f32]) -> &[u8] {
    const { assert!(cfg!(target_endian = "little"), "files are little-endian") };
    // SAFETY: every f32 is four bytes without padding.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}
