//! Naive kernels beside ours: what the bench compares with, and the seconds that both take. Built
//! for tests, and for benches with the feature `yardstick`.

mod naive;

use std::time::{Duration, Instant};

use super::attention::check::whole;
use super::attention::{self, TileSize, Tiles};
use super::device::{AdapterChoice, Device};
use super::error::GpuError;
use super::gemm::{self, Linear};
use super::matrix::GpuMatrix;
use super::readback::Staging;
use super::recorder::{Bindings, Recorder};
use crate::model::shape::AttentionShape;
use crate::model::{DType, Tensor};
use crate::plan::HeadsOff;

/// A device with nothing on it.
pub struct Yardstick {
    device: Device,
    bindings: Bindings,
    staging: Staging,
}

impl Yardstick {
    /// # Errors
    /// No such adapter.
    pub fn open(adapter: &AdapterChoice) -> Result<Self, GpuError> {
        let device = pollster::block_on(Device::open(adapter))?;
        Ok(Self { bindings: Bindings::new(&device), staging: Staging::default(), device })
    }

    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// `[m, k] x [n, k]` transposed, as often as `rounds`: (tiled, naive) times, alternating. The
    /// first round of each is left out: drivers compile then.
    ///
    /// # Errors
    /// The device failed.
    pub fn gemm(
        &mut self,
        [m, n, k]: [usize; 3],
        dtype: DType,
        rounds: usize,
    ) -> Result<Vec<(Duration, Duration)>, GpuError> {
        let (a, bias, out) = self.operands([m, n, k]);
        let w = GpuMatrix::of_numbers(&self.device, &small_numbers(n * k), k, dtype)?;
        let linear = Linear { matrix: &w, bias: &bias };
        let plain = GpuMatrix::of_numbers(&self.device, &small_numbers(n * k), k, DType::F32)?;
        self.by_turns(
            rounds,
            &out,
            |recorder| gemm::run(recorder, &a, m, linear, &out, 0),
            |recorder| naive::gemm(recorder, &a, m, &plain, &out),
        )
    }

    /// `[m, k] x [n, k]` transposed with weights of two types: the times of both, alternating.
    ///
    /// # Errors
    /// The device failed.
    pub fn gemm_of(
        &mut self,
        [m, n, k]: [usize; 3],
        dtypes: [DType; 2],
        rounds: usize,
    ) -> Result<Vec<(Duration, Duration)>, GpuError> {
        let (a, bias, out) = self.operands([m, n, k]);
        let matrix = |dtype: DType| {
            // Whatever numbers these bytes are: none is an infinity, which would be slow on some.
            let bytes = vec![0x2c; dtype.bytes_of((n * k) as u64) as usize];
            let tensor = Tensor { dtype, rows: n, columns: k, bytes: bytes.into() };
            GpuMatrix::of_rows(&self.device, &tensor, dtype)
        };
        let matrices = [matrix(dtypes[0])?, matrix(dtypes[1])?];
        let [first, second] = matrices.each_ref().map(|matrix| Linear { matrix, bias: &bias });
        self.by_turns(
            rounds,
            &out,
            |recorder| gemm::run(recorder, &a, m, first, &out, 0),
            |recorder| gemm::run(recorder, &a, m, second, &out, 0),
        )
    }

    /// Input, bias and output of a product.
    fn operands(&self, [m, n, k]: [usize; 3]) -> (wgpu::Buffer, wgpu::Buffer, wgpu::Buffer) {
        let a = self.device.storage("a", &small_numbers(m * k));
        let bias = self.device.storage("bias", &vec![0f32; n]);
        (a, bias, self.device.storage("out", &vec![0f32; m * n]))
    }

    /// Attention over one sequence of `tokens`: (tiled, naive) times, alternating.
    ///
    /// # Errors
    /// The device failed.
    pub fn attention(
        &mut self,
        shape: &AttentionShape,
        tokens: usize,
        rounds: usize,
    ) -> Result<Vec<(Duration, Duration)>, GpuError> {
        let numbers: Vec<f32> =
            (0..tokens * shape.qkv_width()).map(|i| (i * 7 % 17) as f32 / 8.0 - 1.0).collect();
        let qkv = self.device.storage("qkv", &numbers);
        let out = vec![0f32; tokens * shape.attended_width()];
        let out = self.device.storage("out", &out);
        let queries = TileSize::of(&self.device, shape.head_width)?.queries;
        let upload = |table: &[u32]| self.device.storage("tiles", table);
        let tiles = Tiles::new(queries, &[whole((0, tokens))], upload);
        let starts = self.device.storage("starts", &vec![0u32; tokens]);
        self.by_turns(
            rounds,
            &out,
            |recorder| {
                attention::run(recorder, (&qkv, None), 1, (shape, HeadsOff::NONE), &tiles, &out)
            },
            |recorder| naive::attention(recorder, &qkv, (1, tokens), shape, &starts, &out),
        )
    }

    /// Times two kernels that write to `out`, by turns, without their first round.
    fn by_turns(
        &mut self,
        rounds: usize,
        out: &wgpu::Buffer,
        mut first: impl FnMut(&mut Recorder) -> Result<(), GpuError>,
        mut second: impl FnMut(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<Vec<(Duration, Duration)>, GpuError> {
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..=rounds {
            times.push((self.time(out, &mut first)?, self.time(out, &mut second)?));
        }
        Ok(times.split_off(1))
    }

    fn time(
        &mut self,
        out: &wgpu::Buffer,
        record: &mut dyn FnMut(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<Duration, GpuError> {
        let start = Instant::now();
        let mut recorder = Recorder::new(&self.device, &self.bindings);
        record(&mut recorder)?;
        let first = vec![(1, "a yardstick")];
        let pending = self.staging.begin(&mut recorder, out, first)?;
        pending.is_here(&self.device)?;
        self.staging.finish(&self.device, pending)?;
        Ok(start.elapsed())
    }
}

fn small_numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i % 17) as f32 - 8.0).collect()
}
