//! Rotary positions: see the README beside this file.

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;
use crate::model::ModelConfig;

pub struct Turn {
    kernel: Kernel,
    /// heads + kv_heads
    turned: usize,
    half: usize,
    stride: usize,
}

impl Turn {
    pub fn new(device: &Device, config: &ModelConfig) -> Self {
        let source = include_str!("rope.wgsl");
        Self {
            kernel: Kernel::new(device, "rope", source, &[Read, Read, Write]),
            turned: config.heads + config.kv_heads,
            half: config.head_width / 2,
            stride: (config.heads + 2 * config.kv_heads) * config.head_width,
        }
    }

    /// Queries and keys of `qkv` [rows, (heads + 2 kv_heads) W], rows being copies of N tokens.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        qkv: &wgpu::Buffer,
        rows: usize,
        rows_a_copy: usize,
        tokens: &wgpu::Buffer,
        angles: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let params = [rows, rows_a_copy, self.turned, self.half, self.stride].map(|x| x as u32);
        let size = grid(rows * self.turned * self.half, 64);
        recorder.call(&self.kernel, &[tokens, angles, qkv], &params, size, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, config, noise, worst};
    use super::*;

    #[test]
    fn pairs_turn_and_values_stay() {
        let mut gpu = Gpu::new();
        let config = config(6, 2, 8, "null");
        let (n, copies, half) = (3, 2, 4);
        let (row, turned) = ((6 + 2 * 2) * 8, 6 + 2);
        let qkv = noise(copies * n * row, 1);
        let angles = noise(5 * half * 2, 2);
        let at = [4u32, 0, 2];
        let table: Vec<u32> = at.iter().flat_map(|&at| [at, u32::MAX]).collect();
        let mut expected = qkv.clone();
        for (r, row) in expected.chunks_mut(row).enumerate() {
            for head in row.chunks_mut(8).take(turned) {
                let before = head.to_vec();
                for i in 0..half {
                    let angle = (at[r % n] as usize * half + i) * 2;
                    let (cos, sin) = (angles[angle], angles[angle + 1]);
                    head[i] = before[i] * cos - before[i + half] * sin;
                    head[i + half] = before[i + half] * cos + before[i] * sin;
                }
            }
        }
        let turn = Turn::new(&gpu.device, &config);
        let out = gpu.device.storage("qkv", &qkv);
        let (tokens, angles) = (
            gpu.device.storage("tokens", &table),
            gpu.device.storage("angles", &angles),
        );
        let found = gpu.run(&out, qkv.len(), |recorder| {
            turn.run(recorder, &out, copies * n, n, &tokens, &angles)
        });
        assert!(worst(&found, &expected) < 1e-6);
    }
}
