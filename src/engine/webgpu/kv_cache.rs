//! Keys and values of a plan's block runs on the GPU, in f32.

use std::cell::RefCell;
use std::rc::Rc;

use super::append::cache_width;
use super::arena::{Arena, Use};
use super::attention::CachedKeys;
use super::backend::WebGpuBackend;
use super::device::STORAGE;
use super::error::GpuError;
use super::gpu::Gpu;
use super::pass::GpuPass;
use crate::engine::EngineError;
use crate::engine::backend::{KvCache, Pass, Start};
use crate::engine::decoder::CACHE_STEP;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::StreamStep;

pub struct GpuCache<'a> {
    backend: &'a WebGpuBackend,
    room: Rc<RefCell<CacheRoom>>,
    bytes_a_token: u64,
}

/// Where the tokens of every sequence lie: the same rows in the cache of every block run.
struct CacheRoom {
    sequences: Vec<Region>,
    /// Keys and values of every block run, node by node of the plan's schedule.
    nodes: Vec<Vec<RunKeys>>,
}

/// Rows of one sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    first: usize,
    tokens: usize,
}

/// Keys and values of one block run.
struct RunKeys {
    /// 2 KV W
    width: usize,
    /// `[cache rows, 2 KV W]`
    numbers: wgpu::Buffer,
}

/// The cache that a pass continues, and the tables of its rows there.
pub struct GpuPassCache {
    room: Rc<RefCell<CacheRoom>>,
    /// `[N]` the row of the cache to which a row of the pack is copied
    places: wgpu::Buffer,
    /// `[sequences]` (tokens before the pack's, first row)
    sequences: wgpu::Buffer,
}

/// The cache that one block run continues.
pub struct GpuRunCache<'a> {
    /// `[N]` the row of the cache to which a row of the pack is copied
    pub places: &'a wgpu::Buffer,
    pub keys: CachedKeys<'a>,
}

impl<'a> GpuCache<'a> {
    pub fn new(backend: &'a WebGpuBackend, schedule: &Schedule, sequences: usize) -> Self {
        let width = |index: usize| cache_width(&backend.blocks[index].shape.attention);
        let nodes: Vec<Vec<RunKeys>> = schedule
            .nodes
            .iter()
            .map(|node| {
                let run = |index| RunKeys {
                    width: width(index),
                    numbers: backend.gpu.device.buffer("no keys yet", 0, STORAGE),
                };
                node.runs.iter().map(|of| run(of.index)).collect()
            })
            .collect();
        let numbers: usize = nodes.iter().flatten().map(|run| run.width).sum();
        Self {
            backend,
            bytes_a_token: (numbers * size_of::<f32>()) as u64,
            room: Rc::new(RefCell::new(CacheRoom {
                sequences: vec![Region::default(); sequences],
                nodes,
            })),
        }
        .counted()
    }

    fn counted(self) -> Self {
        let held = &self.backend.cached_bytes;
        held.set(held.get() + self.room.borrow().bytes());
        self
    }
}

impl<'a> KvCache<'a> for GpuCache<'a> {
    fn begin(
        &self,
        start: Start,
        sequences: Vec<usize>,
    ) -> Result<Box<dyn Pass + 'a>, EngineError> {
        // First, so that what goes wrong with the room is this pass's.
        let mut pass = GpuPass::open(self.backend, &start)?;
        let gpu = &self.backend.gpu;
        let (mut room, held) = (self.room.borrow_mut(), &self.backend.cached_bytes);
        let before = room.bytes();
        room.make(gpu, &start.pack, &sequences)?;
        held.set(held.get() - before + room.bytes());
        drop(room);
        pass.go_on_from(|arena| {
            GpuPassCache::upload(&self.room, gpu, arena, &start.pack, &sequences)
        });
        Ok(Box::new(pass))
    }

    fn bytes_a_token(&self) -> u64 {
        self.bytes_a_token
    }
}

impl CacheRoom {
    /// Room for a pack's tokens behind those of its sequences, which keep what they have.
    fn make(&mut self, gpu: &Gpu, pack: &Pack, of: &[usize]) -> Result<(), GpuError> {
        let mut wanted = self.sequences.clone();
        for ((&sequence, past), (_, tokens)) in of.iter().zip(&pack.past).zip(&pack.spans) {
            let room = &mut wanted[sequence].tokens;
            if *room < past + tokens {
                *room = (past + tokens).next_multiple_of(CACHE_STEP);
            }
        }
        let mut rows = 0;
        for region in &mut wanted {
            region.first = rows;
            rows += region.tokens;
        }
        if wanted == self.sequences {
            return Ok(());
        }
        let device = &gpu.device;
        let bytes = |run: &RunKeys, rows: usize| (rows * run.width * size_of::<f32>()) as u64;
        let widest = self.nodes.iter().flatten().map(|run| bytes(run, rows));
        let (needed, found) = (widest.max().unwrap_or(0), device.largest_buffer());
        if needed > found {
            return Err(GpuError::Limit {
                adapter: device.name.clone(),
                limit: "bytes of one binding, for the keys and values of one block",
                found,
                needed,
            });
        }
        // Bind groups would keep the buffers that are replaced.
        gpu.bindings.forget();
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut made = Vec::new();
        for run in self.nodes.iter().flatten() {
            let to = device.buffer("keys and values", bytes(run, rows), STORAGE);
            for (old, new) in self.sequences.iter().zip(&wanted) {
                let at = [old.first, new.first].map(|row| bytes(run, row));
                let copied = bytes(run, old.tokens);
                if copied > 0 {
                    encoder.copy_buffer_to_buffer(&run.numbers, at[0], &to, at[1], copied);
                }
            }
            made.push(to);
        }
        gpu.bindings.counter.submit(device, encoder, &mut |_| ());
        device.check()?;
        for (run, made) in self.nodes.iter_mut().flatten().zip(made) {
            // A browser frees what is only dropped when it likes.
            std::mem::replace(&mut run.numbers, made).destroy();
        }
        self.sequences = wanted;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let runs = self.nodes.iter().flatten();
        runs.map(|run| run.numbers.size()).sum()
    }
}

impl Drop for GpuCache<'_> {
    /// Frees the buffers now: bind groups that use them would else keep them as long as the model.
    fn drop(&mut self) {
        let room = self.room.borrow();
        let held = &self.backend.cached_bytes;
        held.set(held.get().saturating_sub(room.bytes()));
        self.backend.gpu.bindings.forget();
        for run in room.nodes.iter().flatten() {
            run.numbers.destroy();
        }
    }
}

impl GpuPassCache {
    fn upload(
        room: &Rc<RefCell<CacheRoom>>,
        gpu: &Gpu,
        arena: &mut Arena,
        pack: &Pack,
        of: &[usize],
    ) -> Self {
        let (mut places, mut sequences) = (Vec::new(), Vec::new());
        for ((&sequence, &past), &(_, tokens)) in of.iter().zip(&pack.past).zip(&pack.spans) {
            let first = room.borrow().sequences[sequence].first;
            places.extend((0..tokens).map(|t| (first + past + t) as u32));
            sequences.extend([past, first].map(|x| x as u32));
        }
        let mut upload =
            |what, words: &[u32]| arena.upload(&gpu.device, &gpu.bindings, what, words);
        Self {
            room: room.clone(),
            places: upload(Use::CacheRows, &places),
            sequences: upload(Use::CacheSequences, &sequences),
        }
    }

    /// Calls `read` with the cached keys and values of a step's block run.
    pub fn run<T>(&self, step: &StreamStep, read: impl FnOnce(GpuRunCache) -> T) -> T {
        let room = self.room.borrow();
        read(GpuRunCache {
            places: &self.places,
            keys: CachedKeys {
                cache: &room.nodes[step.node][step.run].numbers,
                sequences: &self.sequences,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::loading::tests::backend;
    use super::*;
    use crate::plan::Plan;

    fn pack(of: &[(usize, usize)]) -> Pack {
        let (past, lengths): (Vec<usize>, Vec<usize>) = of.iter().copied().unzip();
        Pack::going_on(&past, &lengths, None)
    }

    #[test]
    fn sequences_get_rows_of_their_own_and_more_as_they_grow() {
        let backend = backend("random-llama2", None);
        let plan = Plan::parse("0,1,0", &[0, 1, 2, 3, 4, 5]).expect("a plan");
        let cache = GpuCache::new(&backend, &Schedule::new(&[plan]), 3);
        let mut room = cache.room.borrow_mut();
        let regions = |room: &CacheRoom| -> Vec<(usize, usize)> {
            let sequences = room.sequences.iter();
            sequences.map(|of| (of.first, of.tokens)).collect()
        };
        let gpu = &backend.gpu;
        room.make(gpu, &pack(&[(0, 9), (0, 65)]), &[2, 0]).expect("room");
        assert_eq!(regions(&room), [(0, 128), (128, 0), (128, 64)]);
        let buffers = |room: &CacheRoom| -> Vec<wgpu::Buffer> {
            let runs = room.nodes.iter().flatten();
            runs.map(|run| run.numbers.clone()).collect()
        };
        let before = buffers(&room);
        assert_eq!(before.len(), 3, "a block that runs twice has two");
        room.make(gpu, &pack(&[(9, 55), (65, 1)]), &[2, 0]).expect("room");
        assert_eq!(before, buffers(&room), "there was room");
        room.make(gpu, &pack(&[(64, 1), (0, 1)]), &[2, 1]).expect("room");
        assert_eq!(regions(&room), [(0, 128), (128, 64), (192, 128)]);
        // A buffer that no binding takes is refused, and what is there stays.
        let held = regions(&room);
        let most = gpu.device.largest_buffer() as usize;
        let error = room.make(gpu, &pack(&[(most, 1)]), &[1]).expect_err("no room");
        assert!(error.to_string().contains("keys and values"), "{error}");
        assert_eq!(held, regions(&room));
    }
}
