//! The buffers on the GPU that serve a whole pack: its streams, its kept rows, and the tables that
//! map rows to steps and sequences.

use std::collections::HashMap;

use super::arena::{Arena, Use};
use super::attention::{Span, Tiles};
use super::device::Device;
use super::recorder::Bindings;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::{Program, StreamStep};

/// In tables: nowhere.
const NONE: u32 = u32::MAX;

/// Words that a step takes in its table (see `member/step.wgsl`).
const STEP_WORDS: usize = 8;

pub struct Tables {
    /// N
    pub rows: usize,
    /// `[slots, N, D]`
    pub streams: wgpu::Buffer,
    /// `[kept rows, D]`
    pub kept: wgpu::Buffer,
    pub kept_rows: usize,
    /// `[steps of all calls]`, [`STEP_WORDS`] each.
    pub steps: wgpu::Buffer,
    /// `[N]` (angle row, sequence that ends here)
    pub tokens: wgpu::Buffer,
    /// `[angle rows, rope width / 2]` (cos, sin)
    pub angles: wgpu::Buffer,
    /// By the queries of a tile.
    pub tiles: HashMap<usize, Tiles>,
}

/// A pack's content on the CPU, before it is uploaded.
pub struct PackPlan<'a> {
    pub pack: &'a Pack,
    pub program: &'a Program,
    /// `[N, D]`, for slot 0.
    pub embedded: &'a [f32],
    /// D
    pub width: usize,
    pub kept_rows: usize,
    /// Dimensions of a head that turn.
    pub rope_width: usize,
    /// The sizes of tiles that the model's heads take.
    pub queries: &'a [usize],
}

impl Tables {
    /// Uploads them, and the embeddings to slot 0.
    pub fn upload(
        arena: &mut Arena,
        device: &Device,
        bindings: &Bindings,
        plan: &PackPlan,
    ) -> Self {
        let PackPlan { pack, program, .. } = *plan;
        let a_row = plan.width as u64 * 4;
        let streams = (program.slots * pack.rows) as u64 * a_row;
        let streams = arena.get(device, bindings, Use::Streams, streams);
        let embedded = bytemuck::cast_slice(plan.embedded);
        device.queue.write_buffer(&streams, 0, embedded);
        let kept = arena.get(device, bindings, Use::Kept, plan.kept_rows as u64 * a_row);
        let mut upload = |what: Use, content: &[u32]| arena.upload(device, bindings, what, content);
        let spans = pack.spans.iter().zip(&pack.past);
        let spans: Vec<Span> =
            spans.map(|(&(start, tokens), &past)| Span { start, tokens, past }).collect();
        let tiles = plan.queries.iter().map(|&queries| {
            let upload = |table: &[u32]| upload(Use::Tiles(queries), table);
            (queries, Tiles::new(queries, &spans, upload))
        });
        let tiles = tiles.collect();
        let all = program.calls.iter().flat_map(|call| &call.steps);
        Self {
            rows: pack.rows,
            streams,
            kept,
            kept_rows: plan.kept_rows,
            steps: upload(Use::Steps, &all.flat_map(words).collect::<Vec<_>>()),
            tokens: upload(Use::Tokens, &tokens(pack, plan.rope_width)),
            angles: upload(Use::Angles, &angles(pack)),
            tiles,
        }
    }
}

fn words(step: &StreamStep) -> [u32; STEP_WORDS] {
    let [attention, mlp] = step.kept.map_or([NONE; 2], |kept| kept.map(|at| at as u32));
    [
        step.slot_in as u32,
        step.slot_out as u32,
        u32::from(step.is_first),
        (1.0 / step.share as f32).to_bits(),
        attention,
        mlp,
        0,
        0,
    ]
}

/// The angles of long sequences follow those of the others.
fn tokens(pack: &Pack, rope_width: usize) -> Vec<u32> {
    let short_rows = pack.short.cos.len() / (rope_width / 2).max(1);
    let mut tokens = Vec::with_capacity(2 * pack.rows);
    for (sequence, &(_, length)) in pack.spans.iter().enumerate() {
        // Angles begin with those of the first position that the pack has.
        let first = match pack.is_long[sequence] {
            true => short_rows + pack.past[sequence] - pack.long.first,
            false => pack.past[sequence] - pack.short.first,
        };
        for t in 0..length {
            let ends = if t + 1 == length { sequence as u32 } else { NONE };
            tokens.extend([(first + t) as u32, ends]);
        }
    }
    tokens
}

fn angles(pack: &Pack) -> Vec<u32> {
    let cos = pack.short.cos.iter().chain(&pack.long.cos);
    let sin = pack.short.sin.iter().chain(&pack.long.sin);
    cos.zip(sin).flat_map(|(cos, sin)| [cos.to_bits(), sin.to_bits()]).collect()
}
