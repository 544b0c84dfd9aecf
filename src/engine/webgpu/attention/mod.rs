//! Attention over packed sequences, whole ones or ones that go on: see the README beside this file.

pub mod check;

use super::device::Device;
use super::kernel::prelude::*;
use super::template::unroll;
use super::watchdog;
use crate::model::shape::AttentionShape;
use crate::plan::HeadsOff;

/// Numbers that every device's workgroup memory holds.
const WORKGROUP_NUMBERS: usize = (16 << 10) / 4;

/// Threads that share a query.
const LANES: usize = 4;

/// How many queries and keys of a head of a given width lie in workgroup memory at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSize {
    pub queries: usize,
    keys: usize,
    /// Fours of a head, to a multiple of the lanes.
    padded: usize,
}

/// Where a sequence lies in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first row.
    pub start: usize,
    /// T: its tokens in the pack.
    pub tokens: usize,
    /// Its tokens before those, whose keys and values a cache holds.
    pub past: usize,
}

/// Where tiles of so many queries lie, of every sequence of a pack.
pub struct Tiles {
    spans: Vec<Span>,
    /// N
    pack_rows: usize,
    /// `[tiles]` (first row, T, first query, sequence)
    pub table: wgpu::Buffer,
}

/// Keys and values of a block run that a cache holds, those of the pack's own tokens among them.
#[derive(Clone, Copy)]
pub struct CachedKeys<'a> {
    /// `[cache rows, 2 KV W]`
    pub cache: &'a wgpu::Buffer,
    /// `[sequences]` (tokens before the pack's, first row of the cache)
    pub sequences: &'a wgpu::Buffer,
}

impl TileSize {
    /// The largest tiles that fit: many keys save barriers, many queries save reads of keys.
    ///
    /// # Errors
    /// Heads so wide that none do.
    pub fn of(device: &Device, head_width: usize) -> Result<Self, GpuError> {
        let padded = (head_width / 4).next_multiple_of(LANES);
        let sizes = [(16, 32), (16, 16), (16, 8), (8, 8), (4, 4)];
        let numbers = |queries: usize, keys: usize| (queries + keys) * padded * 4 + queries * keys;
        let found =
            sizes.into_iter().find(|&(queries, keys)| numbers(queries, keys) <= WORKGROUP_NUMBERS);
        match found {
            Some((queries, keys)) => Ok(Self { queries, keys, padded }),
            None => Err(GpuError::Limit {
                adapter: device.name.clone(),
                limit: "numbers of workgroup memory",
                found: WORKGROUP_NUMBERS as u64,
                needed: numbers(4, 4) as u64,
            }),
        }
    }
}

impl Tiles {
    /// Tiles of `queries` of sequences that lie at `spans`, in a table that `upload` makes.
    pub fn new(
        queries: usize,
        spans: &[Span],
        upload: impl FnOnce(&[u32]) -> wgpu::Buffer,
    ) -> Self {
        let tile = |(sequence, &Span { start, tokens, .. }): (usize, &Span)| {
            (0..tokens)
                .step_by(queries)
                .flat_map(move |first| [start, tokens, first, sequence].map(|x| x as u32))
        };
        let table: Vec<u32> = spans.iter().enumerate().flat_map(tile).collect();
        Self {
            table: upload(&table),
            pack_rows: spans.iter().map(|span| span.tokens).sum(),
            spans: spans.to_vec(),
        }
    }

    /// Pairs of a query and a key that it sees, for one head.
    pub fn pairs(&self, window: u32) -> u64 {
        let window = u64::from(window);
        let until = |length: usize| {
            let length = length as u64;
            let all = length.min(window);
            all * (all + 1) / 2 + (length - all) * window
        };
        let of = |span: &Span| until(span.past + span.tokens) - until(span.past);
        self.spans.iter().map(of).sum()
    }
}

/// Operations that the workgroup of every tile of sequences at `spans` makes for a head: of all its
/// queries with whole tiles of keys, whatever of them is seen.
pub fn costs(spans: &[Span], size: TileSize, window: u32) -> Vec<u64> {
    let TileSize { queries, keys, padded } = size;
    let window = usize::try_from(window).unwrap_or(usize::MAX);
    let tile = |&Span { tokens, past, .. }: &Span| {
        (0..tokens).step_by(queries).map(move |first| {
            let begin = (past + first).saturating_sub(window - 1);
            let seen = begin..past + tokens.min(first + queries);
            let pairs = queries * seen.len().next_multiple_of(keys);
            (pairs * 4 * padded * 4) as u64
        })
    };
    spans.iter().flat_map(tile).collect()
}

/// `qkv` `[steps N, (H + 2 KV) W]`, already turned, to `out` `[steps N, H W]`; over keys and values of
/// a cache, which holds those of one step, where there is one. Heads that are off leave zeros.
pub fn run(
    recorder: &mut Recorder,
    (qkv, cached): (&wgpu::Buffer, Option<CachedKeys>),
    steps: usize,
    (shape, off): (&AttentionShape, HeadsOff),
    tiles: &Tiles,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let size = TileSize::of(recorder.device, shape.head_width)?;
    let (label, keys_of, accesses): (_, _, &[Access]) = match cached {
        None => ("attention", include_str!("own.wgsl"), &[Read, Read, Write]),
        Some(_) => (
            "attention over a cache",
            include_str!("cached.wgsl"),
            &[Read, Read, Read, Read, Write],
        ),
    };
    let numbers = [shape.heads, shape.kv_heads, shape.head_width];
    let kernel = recorder
        .variant(label, &numbers, accesses, || source(shape, size, keys_of, accesses.len()));

    let mut buffers = vec![&tiles.table, qkv];
    buffers.extend(cached.iter().flat_map(|keys| [keys.sequences, keys.cache]));
    buffers.push(out);

    let window = window(shape);
    let costs = costs(&tiles.spans, size, window);
    let cuts = watchdog::attention(&costs, shape.heads, steps, recorder.most_work());
    recorder.tally.work += tiles.pairs(window) * (4 * shape.attended_width() * steps) as u64;

    for cut in cuts {
        let first = [cut.tiles.start, cut.heads.start, cut.steps.start];
        let [tile, head, step] = first.map(|x| x as u32);
        // The heads begin at a multiple of 16 bytes.
        let params = [tiles.pack_rows as u32, window, tile, head, step, 0, 0, 0];
        let params = [&params[..], &off.words()].concat();
        let size = [cut.tiles.len(), cut.heads.len(), cut.steps.len()];
        let size = size.map(|x| x as u32);
        recorder.call(&kernel, &buffers, &params, size, cut.cost)?;
    }
    Ok(())
}

/// WGSL of attention over the keys of `keys_of`, whose output is bound at `out`.
fn source(shape: &AttentionShape, size: TileSize, keys_of: &str, out: usize) -> String {
    let TileSize { queries, keys, padded } = size;
    let numbers = [
        ("{W4}", shape.head_width / 4),
        ("{PADDED}", padded),
        ("{CHUNKS}", padded / LANES),
        ("{QUERIES}", queries),
        ("{KEYS}", keys),
        ("{QUERY_TILE}", queries * padded),
        ("{KEY_TILE}", keys * padded),
        ("{SCORES}", queries * keys),
        ("{THREADS}", queries * LANES),
        ("{OUT}", out),
    ];
    let source = with_heads(&include_str!("attention.wgsl").replace("{KEYS_OF}", keys_of), shape);
    let source = numbers
        .into_iter()
        .fold(source, |source, (name, number)| source.replace(name, &number.to_string()));
    unroll(&source)
}

pub(super) fn window(shape: &AttentionShape) -> u32 {
    u32::try_from(shape.window.unwrap_or(usize::MAX)).unwrap_or(u32::MAX)
}

/// `source` with its heads and its scale written in.
pub(super) fn with_heads(source: &str, shape: &AttentionShape) -> String {
    let scale = 1.0 / (shape.head_width as f32).sqrt();
    source
        .replace("{HEADS}", &shape.heads.to_string())
        .replace("{KV_HEADS}", &shape.kv_heads.to_string())
        .replace("{SCALE}", &format!("{scale:?}"))
}
