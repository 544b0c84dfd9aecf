//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, config, noise};
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

/// Heads, KV heads, W, window: W of no whole number of lanes, and tiles of every size.
const SHAPES: [(usize, usize, usize, &str); 6] = [
    (4, 4, 12, "1"),
    (6, 3, 64, "5"),
    (6, 2, 8, "null"),
    (2, 1, 96, "null"),
    (2, 1, 128, "20"),
    (1, 1, 256, "null"),
];
const SPANS: [(usize, usize); 4] = [(0, 1), (1, 37), (38, 16), (54, 3)];
const TOKENS: usize = 57;
const COPIES: usize = 2;

fn qkv(config: &ModelConfig) -> Vec<f32> {
    let row = (config.heads + 2 * config.kv_heads) * config.head_width;
    let numbers = noise(COPIES * TOKENS * row, 1);
    numbers.iter().map(|x| 2.0 * x).collect()
}

pub fn tiles_equal_the_plain_sum(probe: &mut Probe) -> Result<(), GpuError> {
    for &(heads, kv_heads, width, window) in probe.some(&SHAPES, 2) {
        let config = config(heads, kv_heads, width, window)?;
        let qkv = qkv(&config);
        let expected = plain(&qkv, &config, TOKENS, &SPANS);
        let from = probe.storage("qkv", &qkv);
        let attention = Attention::new(probe.device, &config)?;
        let tiles = attention.tiles(&SPANS);
        let table = probe.storage("tiles", &tiles.table);
        let out = probe.zeros(expected.len());
        let run = |recorder: &mut Recorder| {
            attention.run(recorder, &from, COPIES, TOKENS, &tiles, &table, &out)
        };
        probe.expect("attention", &out, &expected, 1e-4, run)?;
    }
    Ok(())
}

#[cfg(test)]
pub fn the_naive_kernel_says_the_same(probe: &mut Probe) -> Result<(), GpuError> {
    for (heads, kv_heads, width, window) in SHAPES {
        let config = config(heads, kv_heads, width, window)?;
        let qkv = qkv(&config);
        let expected = plain(&qkv, &config, TOKENS, &SPANS);
        let from = probe.storage("qkv", &qkv);
        let naive = Naive::new(probe.device, &config);
        let starts = SPANS.iter().flat_map(|&(start, t)| vec![start as u32; t]);
        let starts = probe.storage("starts", &starts.collect::<Vec<u32>>());
        let out = probe.zeros(expected.len());
        let run =
            |recorder: &mut Recorder| naive.run(recorder, &from, COPIES, TOKENS, &starts, &out);
        probe.expect("naive attention", &out, &expected, 1e-4, run)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_through_the_window() {
        let device = super::super::super::device::tests::device();
        let config = config(2, 1, 8, "3").expect("a config");
        let attention = Attention::new(&device, &config).expect("a kernel");
        assert_eq!(
            attention.tiles(&[(0, 5), (5, 1)]).pairs,
            1 + 2 + 3 + 3 + 3 + 1
        );
    }
}
