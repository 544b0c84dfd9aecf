//! Room for intermediates that is used again.

use std::cell::Cell;

/// The first `count` numbers of what is left, or none where nothing is.
pub fn take<'a>(left: &mut &'a mut [f32], count: usize) -> &'a mut [f32] {
    let (first, rest) = std::mem::take(left).split_at_mut_checked(count).unwrap_or_default();
    *left = rest;
    first
}

/// `count` numbers of `buffer`, which is made anew, and then of the system's empty pages, where it is
/// too small: what it holds is left over from before.
pub fn fit(buffer: &mut Vec<f32>, count: usize) -> &mut [f32] {
    if buffer.len() < count {
        // The old one goes first, so that both are never there at once.
        *buffer = Vec::new();
        *buffer = vec![0.0; count];
    }
    &mut buffer[..count]
}

thread_local! {
    static SCRATCH: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Room for intermediates that this thread used before: what it holds is left over from then.
pub fn with_scratch<const N: usize, T>(
    sizes: [usize; N],
    work: impl FnOnce([&mut [f32]; N]) -> T,
) -> T {
    // Taken out while in use: a thread that waits for others may begin another piece.
    let mut scratch = SCRATCH.take();
    let mut left = fit(&mut scratch, sizes.iter().sum());
    let done = work(sizes.map(|size| take(&mut left, size)));
    SCRATCH.set(scratch);
    done
}
