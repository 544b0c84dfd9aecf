//! The buffers of a run, kept for the next: nothing is allocated once the largest run was made.

use std::collections::HashMap;

use super::device::{Device, STORAGE};
use super::lists::Lists;
use super::readback::Staging;
use super::recorder::Bindings;
use super::tangent::TangentUse;

/// The content of a buffer of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// `[slots, N, D]` residual streams
    Streams,
    /// `[steps N, D]` what a branch reads; `[rows, D]` what the output head reads
    Normed,
    /// `[steps N, (H + 2 KV) W]`
    Qkv,
    /// `[steps N, H W]`
    Attended,
    /// `[steps N, D]` the stream between a block's attention and its MLP
    Middle,
    /// `[steps N, 2 F]` or `[steps N, F]`
    Up,
    /// `[steps N, F]`
    Activated,
    /// `[steps N, D]` a branch before the norm that stands after it
    Branch,
    /// `[kept rows, D]`
    Kept,
    /// `[P, K, D]`
    Options,
    /// `[rows, D]` the streams that meet the output head
    HeadRows,
    /// `[rows, V]`
    Logits,
    /// `[H' T, H W]` values, each in its own head's columns
    Values,
    /// `[H' T, D]` those through the output matrix
    Through,
    /// The outputs that are read back, one behind the other.
    Out,
    /// The step table.
    Steps,
    /// `[N]` (angle row, sequence that ends here)
    Tokens,
    /// `[angle rows, rope width / 2]` (cos, sin)
    Angles,
    /// Attention's tiles of so many queries.
    Tiles(usize),
    /// `[N]` the row of a cache that a row of the pack goes to
    CacheRows,
    /// `[sequences]` (tokens before the pack's, first row of the cache)
    CacheSequences,
    /// A buffer of derivatives.
    Tangent(TangentUse),
}

#[derive(Default)]
pub struct Arena {
    buffers: HashMap<Use, wgpu::Buffer>,
    pub staging: Staging,
    pub lists: Lists,
}

impl Arena {
    /// The buffer of this use, of at least `bytes`.
    pub fn get(
        &mut self,
        device: &Device,
        bindings: &Bindings,
        what: Use,
        bytes: u64,
    ) -> wgpu::Buffer {
        if let Some(buffer) = self.buffers.get(&what)
            && buffer.size() >= bytes
        {
            return buffer.clone();
        }
        bindings.forget();
        let roomy = bytes.next_multiple_of(4096).min(device.largest_buffer().max(bytes));
        let buffer = device.buffer(&format!("{what:?}"), roomy, STORAGE);
        // The one it replaces is freed by the last submission that uses it.
        self.buffers.insert(what, buffer.clone());
        buffer
    }

    /// Returns the buffer of this use with `content` uploaded. Work that is recorded and not yet submitted
    /// would read the new content too.
    pub fn upload<T: bytemuck::NoUninit>(
        &mut self,
        device: &Device,
        bindings: &Bindings,
        what: Use,
        content: &[T],
    ) -> wgpu::Buffer {
        let buffer = self.get(device, bindings, what, size_of_val(content) as u64);
        device.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(content));
        buffer
    }

    /// Gives the memory back now: a browser frees what is only dropped when it likes.
    pub fn destroy(self) {
        self.buffers.values().for_each(wgpu::Buffer::destroy);
    }

    pub fn bytes(&self) -> u64 {
        self.buffers.values().map(wgpu::Buffer::size).sum::<u64>() + self.lists.bytes()
    }
}
