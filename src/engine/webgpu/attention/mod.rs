//! Prefill attention over packed sequences: see the README beside this file.

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
        let work = 4 * (copies * tiles.pairs * self.heads * self.width) as u64;
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
pub struct Naive {
    kernel: Kernel,
    heads: usize,
    window: u32,
}

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

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, config, noise, worst};
    use super::*;

    /// The CPU's own, in f64, from rows [copies N, (heads + 2 kv) W].
    fn plain(qkv: &[f32], config: &ModelConfig, n: usize, spans: &[(usize, usize)]) -> Vec<f32> {
        let (h, kv, w) = (config.heads, config.kv_heads, config.head_width);
        let (row, window) = ((h + 2 * kv) * w, window(config) as usize);
        let mut out = vec![0f32; qkv.len() / row * h * w];
        for copy in 0..qkv.len() / row / n {
            for &(start, length) in spans {
                let base = copy * n + start;
                let at = |t: usize, head: usize| &qkv[(base + t) * row + head * w..][..w];
                for (t, head) in (0..length).flat_map(|t| (0..h).map(move |head| (t, head))) {
                    let keys = (t + 1).saturating_sub(window)..t + 1;
                    let score = |key: usize| {
                        let pairs = at(t, head).iter().zip(at(key, h + head / (h / kv)));
                        let dot: f64 = pairs.map(|(q, k)| f64::from(*q) * f64::from(*k)).sum();
                        (dot / (w as f64).sqrt()).exp()
                    };
                    let total: f64 = keys.clone().map(score).sum();
                    let out = &mut out[((base + t) * h + head) * w..][..w];
                    for key in keys {
                        let weight = (score(key) / total) as f32;
                        let values = at(key, h + kv + head / (h / kv));
                        out.iter_mut()
                            .zip(values)
                            .for_each(|(o, v)| *o += weight * v);
                    }
                }
            }
        }
        out
    }

    #[test]
    fn tiles_and_the_naive_kernel_equal_the_plain_sum() {
        let mut gpu = Gpu::new();
        // Heads, KV heads, W, window: W of no whole number of lanes, and tiles of every size.
        let shapes = [
            (6, 2, 8, "null"),
            (4, 4, 12, "1"),
            (6, 3, 64, "5"),
            (2, 1, 96, "null"),
            (2, 1, 128, "20"),
            (1, 1, 256, "null"),
        ];
        for (heads, kv_heads, width, window) in shapes {
            let config = config(heads, kv_heads, width, window);
            let spans = [(0, 1), (1, 37), (38, 16), (54, 3)];
            let (n, copies) = (57, 2);
            let row = (heads + 2 * kv_heads) * width;
            let qkv: Vec<f32> = noise(copies * n * row, 1).iter().map(|x| 2.0 * x).collect();
            let expected = plain(&qkv, &config, n, &spans);
            let from = gpu.device.storage("qkv", &qkv);
            let at = format!("{heads} {kv_heads} {width} {window}");

            let attention = Attention::new(&gpu.device, &config).expect("a kernel");
            let tiles = attention.tiles(&spans);
            let table = gpu.device.storage("tiles", &tiles.table);
            let out = gpu.zeros(expected.len());
            let found = gpu.run(&out, expected.len(), |recorder| {
                attention.run(recorder, &from, copies, n, &tiles, &table, &out)
            });
            assert!(worst(&found, &expected) < 1e-5, "{at}");

            let naive = Naive::new(&gpu.device, &config);
            let starts = spans.iter().flat_map(|&(start, t)| vec![start as u32; t]);
            let starts = gpu.device.storage("starts", &starts.collect::<Vec<u32>>());
            let out = gpu.zeros(expected.len());
            let found = gpu.run(&out, expected.len(), |recorder| {
                naive.run(recorder, &from, copies, n, &starts, &out)
            });
            assert!(worst(&found, &expected) < 1e-5, "{at}, naive");
        }
    }

    #[test]
    fn pairs_are_counted_through_the_window() {
        let gpu = Gpu::new();
        let attention = Attention::new(&gpu.device, &config(2, 1, 8, "3")).expect("a kernel");
        assert_eq!(
            attention.tiles(&[(0, 5), (5, 1)]).pairs,
            1 + 2 + 3 + 3 + 3 + 1
        );
    }
}
