//! Seconds that a kernel and its naive twin take: what `cargo bench -p atelier-benches` prints.

use std::time::{Duration, Instant};

use super::attention::{self, Attention};
use super::device::{AdapterChoice, Device};
use super::error::GpuError;
use super::gemm::{self, Gemm};
use super::matrix::{Format, Matrix};
use super::readback::{Source, Staging};
use super::recorder::{Recorder, Shared};
use crate::model::ModelConfig;

/// A device with nothing on it.
pub struct Yardstick {
    device: Device,
    shared: Shared,
    staging: Staging,
}

impl Yardstick {
    pub fn open(adapter: &AdapterChoice) -> Result<Self, GpuError> {
        let device = pollster::block_on(Device::open(adapter))?;
        Ok(Self {
            shared: Shared::new(&device),
            staging: Staging::default(),
            device,
        })
    }

    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// `[m, k] x [n, k]` transposed, as often as `rounds`: (tiled, naive) times, alternating. The
    /// first round of each is left out: drivers compile then.
    pub fn gemm(
        &mut self,
        m: usize,
        n: usize,
        k: usize,
        format: Format,
        rounds: usize,
    ) -> Result<Vec<(Duration, Duration)>, GpuError> {
        let numbers =
            |count: usize| -> Vec<f32> { (0..count).map(|i| (i % 17) as f32 - 8.0).collect() };
        let a = self.device.storage("a", &numbers(m * k));
        let out = self.device.storage("out", &vec![0f32; m * n]);
        let w = Matrix::upload(&self.device, "w", &numbers(n * k), k, format)?;
        let plain = Matrix::upload(&self.device, "w", &numbers(n * k), k, Format::F32)?;
        let (tiled, naive) = (
            Gemm::new(&self.device, format),
            gemm::Naive::new(&self.device),
        );
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..=rounds {
            times.push((
                self.time(&out, &mut |recorder| tiled.run(recorder, &a, m, &w, &out))?,
                self.time(&out, &mut |recorder| {
                    naive.run(recorder, &a, m, &plain, &out)
                })?,
            ));
        }
        Ok(times.split_off(1))
    }

    /// Attention over one sequence of `tokens`: (tiled, naive) times, alternating.
    pub fn attention(
        &mut self,
        config: &ModelConfig,
        tokens: usize,
        rounds: usize,
    ) -> Result<Vec<(Duration, Duration)>, GpuError> {
        let row = (config.heads + 2 * config.kv_heads) * config.head_width;
        let numbers: Vec<f32> = (0..tokens * row)
            .map(|i| (i * 7 % 17) as f32 / 8.0 - 1.0)
            .collect();
        let qkv = self.device.storage("qkv", &numbers);
        let out = self.device.storage(
            "out",
            &vec![0f32; tokens * config.heads * config.head_width],
        );
        let tiled = Attention::new(&self.device, config)?;
        let naive = attention::Naive::new(&self.device, config);
        let tiles = tiled.tiles(&[(0, tokens)]);
        let table = self.device.storage("tiles", &tiles.table);
        let starts = self.device.storage("starts", &vec![0u32; tokens]);
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..=rounds {
            times.push((
                self.time(&out, &mut |recorder| {
                    tiled.run(recorder, &qkv, 1, tokens, &tiles, &table, &out)
                })?,
                self.time(&out, &mut |recorder| {
                    naive.run(recorder, &qkv, 1, tokens, &starts, &out)
                })?,
            ));
        }
        Ok(times.split_off(1))
    }

    fn time(
        &mut self,
        out: &wgpu::Buffer,
        record: &mut dyn FnMut(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<Duration, GpuError> {
        let start = Instant::now();
        let mut recorder = Recorder::new(&self.device, &self.shared);
        record(&mut recorder)?;
        let first = Source {
            buffer: out,
            words: 1,
            what: "a yardstick",
        };
        let pending = self.staging.begin(&mut recorder, &[first])?;
        pending.is_here(&self.device)?;
        self.staging.finish(&self.device, pending)?;
        Ok(start.elapsed())
    }
}
