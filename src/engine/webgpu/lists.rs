//! Lists of rows that kernels read, uploaded once each: a run asks for the same few again and again,
//! and what is recorded must not see a list change under it.

use std::collections::HashMap;

use super::device::{Device, STORAGE};
use super::gather::RowIds;

/// Words of a buffer, unless a list is longer.
const BUFFER_WORDS: usize = 1 << 14;

#[derive(Default)]
pub struct Lists {
    buffers: Vec<wgpu::Buffer>,
    /// The buffer being filled, and its words in use.
    at: (usize, usize),
    known: HashMap<Vec<u32>, (usize, usize)>,
}

impl Lists {
    /// Forgets all lists: a new run begins.
    pub fn clear(&mut self) {
        self.at = (0, 0);
        self.known.clear();
    }

    /// Where `list` lies.
    pub fn place(&mut self, device: &Device, list: &[u32]) -> RowIds {
        let (buffer, first) = match self.known.get(list) {
            Some(&place) => place,
            None => self.append(device, list),
        };
        RowIds { buffer: self.buffers[buffer].clone(), first, count: list.len() }
    }

    fn append(&mut self, device: &Device, list: &[u32]) -> (usize, usize) {
        let fits =
            |buffer: &wgpu::Buffer, used: usize| (used + list.len()) as u64 * 4 <= buffer.size();
        while let Some(buffer) = self.buffers.get(self.at.0)
            && !fits(buffer, self.at.1)
        {
            self.at = (self.at.0 + 1, 0);
        }
        if self.at.0 == self.buffers.len() {
            let words = list.len().max(BUFFER_WORDS);
            self.buffers.push(device.buffer("lists", words as u64 * 4, STORAGE));
        }
        let place = self.at;
        let bytes = bytemuck::cast_slice(list);
        let buffer = &self.buffers[place.0];
        device.queue.write_buffer(buffer, place.1 as u64 * 4, bytes);
        self.at.1 += list.len();
        self.known.insert(list.to_vec(), place);
        place
    }

    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(wgpu::Buffer::size).sum()
    }
}
