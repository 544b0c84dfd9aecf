//! Adds a member to the residual stream: see the README beside this file.

use super::tables::Tables;

/// The struct `Step` of the step table.
pub const STEP: &str = include_str!("step.wgsl");

/// The last lines of a kernel that makes members: bindings 4 to 8, and `place` and `join`.
pub const SOURCE: &str = concat!(include_str!("step.wgsl"), include_str!("member.wgsl"));

/// Which members a dispatch makes.
#[derive(Clone, Copy)]
pub struct MemberSink<'a> {
    pub tables: &'a Tables,
    /// `[steps N, D]`: where [`Self::feeds_mlp`] has the MLP's input written.
    pub middle: &'a wgpu::Buffer,
    /// The call's first step, among all steps of the program.
    pub first_step: usize,
    pub is_mlp: bool,
    /// The attention of the same block has joined the stream already.
    pub joins_later: bool,
    /// The MLP of the same block reads the stream with this member added.
    pub feeds_mlp: bool,
}

impl<'a> MemberSink<'a> {
    /// Bindings 4 to 8.
    pub fn buffers(&self) -> [&'a wgpu::Buffer; 5] {
        let Tables { streams, kept, steps, tokens, .. } = self.tables;
        [streams, self.middle, kept, steps, tokens]
    }

    pub fn flags(&self) -> u32 {
        u32::from(self.is_mlp) | u32::from(self.joins_later) << 1 | u32::from(self.feeds_mlp) << 2
    }
}
