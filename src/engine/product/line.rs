//! Panels in memory.

/// A cache line, which a wide register's load must not straddle.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line([f32; 16]);

/// Room for `count` numbers.
pub fn zeroed(count: usize) -> Vec<Line> {
    vec![Line([0.0; 16]); count.div_ceil(16)]
}

pub fn floats(lines: &[Line]) -> &[f32] {
    // SAFETY: a `Line` is 16 numbers without padding.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * 16) }
}

pub fn floats_mut(lines: &mut [Line]) -> &mut [f32] {
    // SAFETY: a `Line` is 16 numbers without padding.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * 16) }
}

/// `rows` [at most `width`, `ins`] to a panel [`ins`][`width`]; columns without a row become 0.
pub fn pack(rows: &[f32], ins: usize, width: usize, panel: &mut [f32]) {
    // A block of inputs at a time: its part of the panel stays in the first-level cache.
    const BLOCK: usize = 16;
    if rows.len() < width * ins {
        panel.fill(0.0);
    }
    for from in (0..ins).step_by(BLOCK) {
        let block = from..(from + BLOCK).min(ins);
        let panel = &mut panel[from * width..][..block.len() * width];
        for (column, row) in rows.chunks_exact(ins).enumerate() {
            for (to, &weight) in panel.chunks_exact_mut(width).zip(&row[block.clone()]) {
                to[column] = weight;
            }
        }
    }
}
