//! One pack of sequences on its way through a program: its tables on the GPU, and the recorder.

use super::WebGpuEngine;
use super::arena::{Arena, Use};
use super::attention::Tiles;
use super::error::GpuError;
use super::gather::Rows;
use super::readback::{Pending, Source};
use super::recorder::Recorder;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::Program;

/// In the token table: nothing is read at this token.
pub const NOT_READ: u32 = u32::MAX;

/// In the copy table: words a copy takes (see `gemm/member.wgsl`).
const COPY_WORDS: usize = 8;

pub struct Pass<'a> {
    pub engine: &'a WebGpuEngine,
    pub recorder: Recorder<'a>,
    pub arena: Arena,
    pub pack: Pack,
    pub held: Held,
}

/// Buffers and tables that stay as they are for a whole pack.
pub struct Held {
    pub streams: wgpu::Buffer,
    pub kept: wgpu::Buffer,
    pub copies: wgpu::Buffer,
    pub tokens: wgpu::Buffer,
    pub angles: wgpu::Buffer,
    pub tile_table: wgpu::Buffer,
    pub tiles: Tiles,
}

impl<'a> Pass<'a> {
    /// Uploads the tables and embeds the sequences into slot 0. `kept_rows` is what will be kept,
    /// and `kept_at` the place of a block run's attention and MLP members in it.
    pub fn open(
        engine: &'a WebGpuEngine,
        mut arena: Arena,
        sequences: &[Vec<u32>],
        program: &Program,
        kept_rows: usize,
        kept_at: &dyn Fn(usize, usize) -> [u32; 2],
    ) -> Result<Self, GpuError> {
        let (device, shared, config) = (&engine.device, &engine.shared, &engine.config);
        let pack = Pack::new(sequences, &engine.rope);
        let a_row = config.width as u64 * 4;

        let short_rows = pack.short.cos.len() / (config.head_width / 2);
        let (mut tokens, mut reads) = (Vec::with_capacity(2 * pack.rows), 0);
        for (sequence, &(_, length)) in pack.spans.iter().enumerate() {
            let first = if pack.is_long[sequence] {
                short_rows
            } else {
                0
            };
            for t in 0..length {
                let read = if t + 1 == length { reads } else { NOT_READ };
                tokens.extend([(first + t) as u32, read]);
            }
            reads += 1;
        }
        let cos = pack.short.cos.iter().chain(&pack.long.cos);
        let sin = pack.short.sin.iter().chain(&pack.long.sin);
        let angles: Vec<u32> = cos
            .zip(sin)
            .flat_map(|(cos, sin)| [cos.to_bits(), sin.to_bits()])
            .collect();
        let tiles = engine.kernels.attention.tiles(&pack.spans);
        let mut copies = Vec::new();
        for copy in program.calls.iter().flat_map(|piece| &piece.steps) {
            let [attention, mlp] = kept_at(copy.node, copy.run);
            let start = copies.len();
            copies.extend([
                copy.slot_in as u32,
                copy.slot_out as u32,
                u32::from(copy.is_first),
                (1.0 / copy.share as f32).to_bits(),
                attention,
                mlp,
            ]);
            copies.resize(start + COPY_WORDS, 0);
        }
        let ids: Vec<u32> = sequences.iter().flatten().copied().collect();

        let held = Held {
            streams: arena.get(
                device,
                shared,
                Use::Streams,
                (program.slots * pack.rows) as u64 * a_row,
            ),
            kept: arena.get(device, shared, Use::Kept, kept_rows as u64 * a_row),
            copies: arena.upload(device, shared, Use::Copies, &copies),
            tokens: arena.upload(device, shared, Use::Tokens, &tokens),
            angles: arena.upload(device, shared, Use::Angles, &angles),
            tile_table: arena.upload(device, shared, Use::Tiles, &tiles.table),
            tiles,
        };
        let ids = arena.upload(device, shared, Use::Ids, &ids);
        let mut recorder = Recorder::new(device, shared);
        let rows = Rows {
            ids: &ids,
            first_id: 0,
            count: pack.rows,
            out: &held.streams,
            first_out: 0,
        };
        engine
            .kernels
            .gather
            .weights(&mut recorder, &engine.embedding, &rows)?;
        // The buffer of ids is written again, with rows, before anything else is recorded.
        recorder.submit()?;
        Ok(Self {
            engine,
            recorder,
            arena,
            pack,
            held,
        })
    }

    /// A buffer of `numbers`.
    pub fn buffer(&mut self, what: Use, numbers: usize) -> wgpu::Buffer {
        let engine = self.engine;
        self.arena
            .get(&engine.device, &engine.shared, what, numbers as u64 * 4)
    }

    pub fn upload(&mut self, what: Use, content: &[u32]) -> wgpu::Buffer {
        let engine = self.engine;
        self.arena
            .upload(&engine.device, &engine.shared, what, content)
    }

    /// `rows` of the stream in `slot`, rows of the pack.
    pub fn take(&mut self, slot: usize, rows: &Rows) -> Result<(), GpuError> {
        let (width, offset) = (self.engine.config.width, slot * self.pack.rows);
        let gather = &self.engine.kernels.gather;
        gather.numbers(&mut self.recorder, &self.held.streams, width, offset, rows)
    }

    /// Logits `[count, V]` of rows of `slot`'s stream, through the final norm, to rows
    /// `first_out..` of `out`.
    pub fn logits(
        &mut self,
        slot: usize,
        ids: &wgpu::Buffer,
        first_id: usize,
        count: usize,
        (out, first_out): (&wgpu::Buffer, usize),
    ) -> Result<(), GpuError> {
        let engine = self.engine;
        let width = engine.config.width;
        let heads = self.buffer(Use::Heads, count * width);
        let normed = self.buffer(Use::Normed, count * width);
        let rows = Rows {
            ids,
            first_id,
            count,
            out: &heads,
            first_out: 0,
        };
        self.take(slot, &rows)?;
        let kernels = &engine.kernels;
        let from = super::norm::From::Rows(&heads);
        let (weight, copies) = (&engine.final_norm, &self.held.copies);
        kernels
            .norm
            .run(&mut self.recorder, from, count, weight, copies, &normed)?;
        kernels.gemm.run_to(
            &mut self.recorder,
            &normed,
            count,
            engine.output(),
            out,
            first_out,
        )
    }

    /// Submits what is recorded and asks for the beginnings of `sources`.
    pub fn read(&mut self, sources: &[Source]) -> Result<Pending, GpuError> {
        self.arena.staging.begin(&mut self.recorder, sources)
    }
}
