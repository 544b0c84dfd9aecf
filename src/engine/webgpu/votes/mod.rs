//! Reads kept rows by the options' rows: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;

pub struct VotesKernel(Kernel);

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

impl VotesKernel {
    pub fn new(device: &Device) -> Self {
        let source = include_str!("votes.wgsl");
        Self(Kernel::new(device, "votes", source, &[Read, Read, Write]))
    }

    /// `[rows, K + 1]` to `out` from number `base` on: the products, then the mean square or variance.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        from: &Ballot,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        let params = [
            from.rows,
            from.width / 4,
            from.prompts,
            from.count,
            usize::from(from.is_centred),
            base,
        ];
        let params = params.map(|x| x as u32);
        let buffers = [from.kept, from.options, out];
        recorder.call(&self.0, &buffers, &params, grid(from.rows, 1), 0)
    }
}
