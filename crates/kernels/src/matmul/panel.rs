//! Panels in memory.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use super::element::{Element, column};
use super::isa::Isa;
use super::transpose::{side, square};
use crate::{DType, blocks};

/// A cache line, which a wide register's load must not straddle.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct CacheLine([MaybeUninit<u8>; 64]);

/// A type as which a `CacheLine` may be read: its alignment divides 64, and it needs no drop.
pub trait Plain: Copy + Send + Sync + 'static {}
impl Plain for u8 {}
impl<E: Element> Plain for E {}

/// Makes room for `bytes` bytes, uninitialised: the thread that writes first also gets the pages.
pub fn room(bytes: usize) -> Vec<CacheLine> {
    let count = bytes.div_ceil(64);
    let mut lines = Vec::with_capacity(count);
    // SAFETY: a `CacheLine` needs no initial value, and there is room for so many.
    unsafe { lines.set_len(count) };
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&mut lines);
    lines
}

/// Weights are read once a token, in order: with small pages a third of that time goes into looking up
/// where they lie. A wish: systems that have no large pages to give leave it unheard.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(lines: &mut [CacheLine]) {
    const PAGE: usize = 2 << 20;
    let all = lines.as_mut_ptr_range();
    let start = all.start.addr().next_multiple_of(PAGE);
    let end = all.end.addr() / PAGE * PAGE;
    if start < end {
        let from = all.start.with_addr(start).cast();
        // SAFETY: these bytes are ours, and what is in them stays.
        unsafe { libc::madvise(from, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// The lines as places for numbers.
pub fn places<E: Plain>(lines: &mut [CacheLine]) -> &mut [MaybeUninit<E>] {
    let count = size_of_val(lines) / size_of::<E>();
    // SAFETY: a `CacheLine` has the size of whole numbers and more than their alignment, and neither it
    // nor what it is seen as needs an initial value.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), count) }
}

/// The widest panel's columns.
const MOST_WIDTH: usize = 64;

/// Inputs of one row that are taken at a time: a cache line of them, whose part of the panel stays
/// in the first-level cache.
const fn block<E: Element>() -> usize {
    64 / size_of::<E>()
}

/// `rows` [at most the panel's width, `ins`], bytes as stored, to a panel [`ins`][width] of the
/// same type; columns without a row become 0.
///
/// # Panics
/// If the panel is not of that size.
pub fn pack<E: Element>(
    isa: Isa,
    width: usize,
    rows: &[u8],
    ins: usize,
    panel: &mut [MaybeUninit<E>],
) {
    let size = size_of::<E>();
    assert_eq!(panel.len(), width * ins, "a panel");
    // Which row each place of the panel's rows is of.
    let mut order = [0; MOST_WIDTH];
    for (at, row) in order[..width].iter_mut().enumerate() {
        *row = column::<E>(at, isa);
    }
    let count = rows.len() / (ins * size).max(1);
    if count < width {
        panel.fill(MaybeUninit::new(E::ZERO));
    }
    for from in (0..ins).step_by(block::<E>()) {
        let end = (from + block::<E>()).min(ins);
        let mut first = from;
        if count == width {
            // Whole squares, while there are.
            let side = side::<E>();
            while first + side <= end {
                for (at, order) in order[..width].chunks_exact(side).enumerate() {
                    // SAFETY: there are `width` whole rows of `ins` numbers, of which `side` from
                    // `first` on are 16 bytes; the slice holds `side` rows of the square.
                    unsafe {
                        let row = |i: usize| {
                            rows.as_ptr().add((order.get_unchecked(i) * ins + first) * size)
                        };
                        let to = &mut panel[first * width + at * side..];
                        let to = &mut to[..(side - 1) * width + side];
                        square(row, to.as_mut_ptr().cast::<E>(), width);
                    }
                }
                first += side;
            }
        }
        if first == end {
            continue;
        }
        let panel = &mut panel[first * width..end * width];
        for (at, &row) in order[..width].iter().enumerate().filter(|at| *at.1 < count) {
            let row = &rows[(row * ins + first) * size..(row * ins + end) * size];
            for (to, number) in panel.chunks_exact_mut(width).zip(row.chunks_exact(size)) {
                to[at] = MaybeUninit::new(E::from_bytes(number));
            }
        }
    }
}

/// Inputs of all rows that are widened at a time: whole blocks of every type, and no more of them
/// than the second-level cache holds.
const WIDENED: usize = 256;

thread_local! {
    /// [panel width, WIDENED]
    static NUMBERS: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// `rows` [at most the panel's width, `ins`] of blocks, widened to an f32 panel [`ins`][width];
/// columns without a row become 0.
///
/// # Panics
/// If the panel is not of that size, or the rows are not whole blocks.
pub fn pack_blocks(
    isa: Isa,
    dtype: DType,
    width: usize,
    rows: &[u8],
    ins: usize,
    panel: &mut [MaybeUninit<f32>],
) {
    assert_eq!(panel.len(), width * ins, "a panel");
    assert!(ins.is_multiple_of(dtype.block()), "whole blocks");
    let a_row = ins / dtype.block() * dtype.block_bytes();
    let count = rows.len() / a_row.max(1);
    NUMBERS.with_borrow_mut(|numbers| {
        numbers.resize(width * WIDENED, 0.0);
        for from in (0..ins).step_by(WIDENED) {
            let depth = WIDENED.min(ins - from);
            let start = from / dtype.block() * dtype.block_bytes();
            let length = depth / dtype.block() * dtype.block_bytes();
            let numbers = &mut numbers[..count * depth];
            for (row, to) in numbers.chunks_exact_mut(depth).enumerate() {
                blocks::widen(dtype, &rows[row * a_row + start..][..length], to);
            }
            let panel = &mut panel[from * width..][..depth * width];
            pack::<f32>(isa, width, bytes(numbers), depth, panel);
        }
    });
}

/// Plain numbers as their bytes, which on every processor that this is compiled for are those of a
/// file.
pub fn bytes(numbers: &[f32]) -> &[u8] {
    const { assert!(cfg!(target_endian = "little"), "files are little-endian") };
    // SAFETY: every f32 is four bytes without padding.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}
