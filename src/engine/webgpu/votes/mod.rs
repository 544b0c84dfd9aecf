//! Reads kept rows by the options' rows: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::watchdog;

/// Rows to read, and by what.
pub struct Ballot<'a> {
    /// `[rows, D]`, row c being prompt `c % prompts`'s.
    pub kept: &'a wgpu::Buffer,
    pub rows: usize,
    /// D
    pub width: usize,
    /// `[P, K, D]`
    pub options: &'a wgpu::Buffer,
    pub prompts: usize,
    /// K
    pub count: usize,
    pub is_centred: bool,
}

/// `[rows, K + 1]` to `out` from number `base` on: the products, then the mean square or variance.
pub fn run(
    recorder: &mut Recorder,
    from: &Ballot,
    out: &wgpu::Buffer,
    base: usize,
) -> Result<(), GpuError> {
    let text = include_str!("votes.wgsl");
    let kernel = recorder.kernel("votes", &[Read, Read, Write], text);
    let a_row = 2 * (from.count as u64 + 1) * from.width as u64;
    for rows in watchdog::rows(from.rows, a_row, recorder.most_work()) {
        let params = [
            rows.end,
            from.width / 4,
            from.prompts,
            from.count,
            usize::from(from.is_centred),
            base,
            rows.start,
        ];
        let params = params.map(|x| x as u32);
        let buffers = [from.kept, from.options, out];
        let (size, cost) = (grid(rows.len(), 1), a_row * rows.len() as u64);
        recorder.call(&kernel, &buffers, &params, size, cost)?;
    }
    Ok(())
}
