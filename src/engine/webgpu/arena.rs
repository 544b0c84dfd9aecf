//! The buffers of a run, kept for the next: nothing is allocated once the largest run was made.

use std::collections::HashMap;

use super::device::{Device, STORAGE};
use super::readback::Staging;
use super::recorder::Shared;

/// What a buffer of the arena holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// [slots, N, D] residual streams
    Streams,
    /// [copies N, D] a block's normed input
    Normed,
    /// [copies N, (heads + 2 kv_heads) W]
    Qkv,
    /// [copies N, heads W]
    Attended,
    /// [copies N, D] the stream between a block's attention and its MLP
    Middle,
    /// [copies N, 2 F]
    GateUp,
    /// [copies N, F]
    Gated,
    /// [members, D] of the tokens read
    Kept,
    /// [P, K, D]
    Options,
    /// [rows, D] the streams that meet the output head
    Heads,
    /// [rows, V]
    Logits,
    /// What is read back.
    Out,
    /// The copy table.
    Copies,
    /// [N] (angle row, prompt read here)
    Tokens,
    /// [angle rows, W/2] (cos, sin)
    Angles,
    /// Attention's tiles.
    Tiles,
    /// [nodes, N, D] the streams after every step
    States,
    /// 0 .. N
    Rows,
    /// Token ids, then rows.
    Ids,
    /// Option ids, or the tokens that are scored.
    Wanted,
}

#[derive(Default)]
pub struct Arena {
    buffers: HashMap<Use, wgpu::Buffer>,
    pub staging: Staging,
}

impl Arena {
    /// The buffer of this use, of at least `bytes`.
    pub fn get(&mut self, device: &Device, shared: &Shared, what: Use, bytes: u64) -> wgpu::Buffer {
        if let Some(buffer) = self.buffers.get(&what)
            && buffer.size() >= bytes
        {
            return buffer.clone();
        }
        shared.forget();
        let roomy = bytes
            .next_multiple_of(4096)
            .min(device.largest_buffer().max(bytes));
        let buffer = device.buffer(&format!("{what:?}"), roomy, STORAGE);
        // The one it replaces is freed by the last submission that uses it.
        self.buffers.insert(what, buffer.clone());
        buffer
    }

    /// The same, with `content` uploaded.
    pub fn upload(
        &mut self,
        device: &Device,
        shared: &Shared,
        what: Use,
        content: &[u32],
    ) -> wgpu::Buffer {
        let buffer = self.get(device, shared, what, content.len() as u64 * 4);
        device
            .queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(content));
        buffer
    }

    pub fn bytes(&self) -> u64 {
        self.buffers.values().map(wgpu::Buffer::size).sum()
    }
}
