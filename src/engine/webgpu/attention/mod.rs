//! Prefill attention over packed sequences: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;
use super::template::unroll;
use crate::model::ModelConfig;

/// Numbers that every device's workgroup memory holds.
const WORKGROUP_NUMBERS: usize = (16 << 10) / 4;

/// Threads that share a query.
const LANES: usize = 4;

pub struct Attention {
    kernel: Kernel,
    /// Queries of one tile.
    queries: usize,
    heads: usize,
    width: usize,
    window: u32,
}

/// Where the tiles of queries lie, of every sequence of a pack: one `[u32; 4]` each.
pub struct Tiles {
    pub table: Vec<u32>,
    pub count: usize,
    /// Pairs of a query and a key that it sees, for one head.
    pub pairs: usize,
}

impl Attention {
    pub fn new(device: &Device, config: &ModelConfig) -> Result<Self, GpuError> {
        let width = config.head_width;
        let chunks = (width / 4).div_ceil(LANES);
        let padded = chunks * LANES;
        // The largest tiles that fit: many keys save barriers, many queries save reads of keys.
        let fits = |(queries, keys): &(usize, usize)| {
            (queries + keys) * padded * 4 + queries * keys <= WORKGROUP_NUMBERS
        };
        let sizes = [(16, 32), (16, 16), (16, 8), (8, 8), (4, 4)];
        let Some((queries, keys)) = sizes.into_iter().find(fits) else {
            return Err(GpuError::Limit {
                adapter: device.name.clone(),
                limit: "numbers of workgroup memory",
                found: WORKGROUP_NUMBERS as u64,
                needed: ((4 + 4) * padded * 4 + 4 * 4) as u64,
            });
        };
        let numbers = [
            ("{W4}", width / 4),
            ("{PADDED}", padded),
            ("{CHUNKS}", chunks),
            ("{QUERIES}", queries),
            ("{KEYS}", keys),
            ("{QUERY_TILE}", queries * padded),
            ("{KEY_TILE}", keys * padded),
            ("{SCORES}", queries * keys),
            ("{THREADS}", queries * LANES),
        ];
        let source = numbers.into_iter().fold(
            common(include_str!("attention.wgsl"), config),
            |source, (name, number)| source.replace(name, &number.to_string()),
        );
        Ok(Self {
            kernel: Kernel::new(device, "attention", &unroll(&source), &[Read, Read, Write]),
            queries,
            heads: config.heads,
            width,
            window: window(config),
        })
    }

    /// The tiles of sequences that lie at `spans` (first row, T).
    pub fn tiles(&self, spans: &[(usize, usize)]) -> Tiles {
        let tile = |&(start, length): &(usize, usize)| {
            (0..length)
                .step_by(self.queries)
                .flat_map(move |first| [start, length, first, 0].map(|x| x as u32))
        };
        let table: Vec<u32> = spans.iter().flat_map(tile).collect();
        let pairs = |&(_, length): &(usize, usize)| {
            let window = (self.window as usize).min(length);
            length * window - window * (window - 1) / 2
        };
        Tiles {
            count: table.len() / 4,
            table,
            pairs: spans.iter().map(pairs).sum(),
        }
    }

    /// `qkv` [copies N, (heads + 2 kv_heads) W], already turned, to `out` [copies N, heads W].
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        copies: usize,
        rows_a_copy: usize,
        tiles: &Tiles,
        table: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let params = [rows_a_copy as u32, self.window];
        let size = [tiles.count, self.heads, copies].map(|x| x as u32);
        let work = 4 * (copies * self.heads * self.width) as u64 * tiles.pairs as u64;
        recorder.call(&self.kernel, &[table, qkv, out], &params, size, work)
    }
}

fn window(config: &ModelConfig) -> u32 {
    let window = config.sliding_window.unwrap_or(usize::MAX);
    u32::try_from(window).unwrap_or(u32::MAX)
}

fn common(source: &str, config: &ModelConfig) -> String {
    let scale = 1.0 / (config.head_width as f32).sqrt();
    source
        .replace("{HEADS}", &config.heads.to_string())
        .replace("{KV_HEADS}", &config.kv_heads.to_string())
        .replace("{SCALE}", &format!("{scale:?}"))
}

/// A thread a head of a token: what tests and the bench compare with.
#[cfg(not(target_arch = "wasm32"))]
pub struct Naive {
    kernel: Kernel,
    heads: usize,
    window: u32,
}

#[cfg(not(target_arch = "wasm32"))]
impl Naive {
    pub fn new(device: &Device, config: &ModelConfig) -> Self {
        let source = common(include_str!("naive.wgsl"), config);
        let source = source.replace("{W}", &config.head_width.to_string());
        Self {
            kernel: Kernel::new(device, "naive attention", &source, &[Read, Read, Write]),
            heads: config.heads,
            window: window(config),
        }
    }

    /// As [`Attention::run`]; `starts` [N] is the first row of each token's sequence.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        copies: usize,
        rows_a_copy: usize,
        starts: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let rows = copies * rows_a_copy;
        let params = [rows as u32, rows_a_copy as u32, self.window];
        let size = [(rows * self.heads).div_ceil(64) as u32, 1, 1];
        recorder.call(&self.kernel, &[starts, qkv, out], &params, size, 0)
    }
}
