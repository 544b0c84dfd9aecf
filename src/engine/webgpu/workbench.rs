//! A device without a model: its kernels tried one by one, its products and copies run for somebody
//! with a clock.

use atelier_kernels::sample::noise;

use super::device::{AdapterChoice, Device, STORAGE};
use super::error::GpuError;
use super::gemm::{self, Linear};
use super::matrix::GpuMatrix;
use super::readback::Staging;
use super::recorder::{Bindings, Recorder};
use super::self_test;
use crate::engine::trial::KernelTrial;
use crate::model::Tensor;

/// An opened adapter to measure.
pub struct Workbench {
    device: Device,
    bindings: Bindings,
}

/// Rows times a matrix, in the GPU's memory.
pub struct GpuProduct {
    matrix: GpuMatrix,
    rows: usize,
    x: wgpu::Buffer,    // [N, in]
    bias: wgpu::Buffer, // [out]
    y: wgpu::Buffer,    // [N, out]
}

impl Workbench {
    /// # Errors
    /// No such adapter, or one too small.
    pub async fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        let device = Device::open(choice).await?;
        Ok(Self { bindings: Bindings::new(&device), device })
    }

    /// How often [`Self::kernels`] asks whether it is to go on.
    pub const ROUNDS: usize = self_test::ROUNDS;

    /// Every kernel against the CPU, in every shape or in those that one start-up has time for.
    /// `goes_on` hears, before each, what was found so far and what comes next, and says whether to go on.
    pub async fn kernels(
        &self,
        is_thorough: bool,
        goes_on: impl AsyncFnMut(&[KernelTrial], &str) -> bool,
    ) -> Vec<KernelTrial> {
        self_test::each(&self.device, is_thorough, goes_on).await
    }

    /// Gives back all memory now: a browser frees what was only dropped when it likes.
    pub fn close(self) {
        self.device.device.destroy();
    }

    /// `rows` of noise, to be multiplied with `weights` `[out, in]`.
    ///
    /// # Errors
    /// The device has no room, or failed.
    pub fn product(&self, weights: &Tensor, rows: usize) -> Result<GpuProduct, GpuError> {
        self.bindings.forgive(&self.device);
        // Bind groups of the product before would keep its buffers.
        self.bindings.forget();
        let [outs, ins] = [weights.rows, weights.columns];
        let y = (rows * outs) as u64 * 4;
        let product = GpuProduct {
            matrix: GpuMatrix::of_rows(&self.device, weights, weights.dtype)?,
            rows,
            x: self.device.storage("x", &noise(rows * ins, 1)),
            bias: self.device.storage("bias", &vec![0f32; outs]),
            y: self.device.buffer("y", y, STORAGE),
        };
        self.device.check()?;
        Ok(product)
    }

    /// Computes the product `times` times and waits for the end.
    ///
    /// # Errors
    /// The device failed.
    pub async fn multiply(&self, product: &GpuProduct, times: usize) -> Result<(), GpuError> {
        let mut recorder = Recorder::new(&self.device, &self.bindings);
        let linear = Linear { matrix: &product.matrix, bias: &product.bias };
        for _ in 0..times {
            let GpuProduct { x, rows, y, .. } = product;
            gemm::run(&mut recorder, x, *rows, linear, y, 0)?;
        }
        self.ended(&mut recorder, &product.y).await
    }

    /// Makes two buffers of `bytes`, or of as many as the device gives at once.
    ///
    /// # Errors
    /// The device has no room, or failed.
    pub fn copies(&self, bytes: u64) -> Result<Copies<'_>, GpuError> {
        self.bindings.forgive(&self.device);
        let bytes = bytes.min(self.device.largest_buffer());
        let buffer = |label| self.device.buffer(label, bytes, STORAGE);
        let copies = Copies { bench: self, bytes, from: buffer("from"), to: buffer("to") };
        self.device.check()?;
        Ok(copies)
    }

    /// Waits until the device has done all of it: one number is read back.
    async fn ended(&self, recorder: &mut Recorder<'_>, of: &wgpu::Buffer) -> Result<(), GpuError> {
        let mut staging = Staging::default();
        let pending = staging.begin(recorder, of, vec![(1, "a product")])?;
        pending.arrival(&self.device).await?;
        staging.finish(&self.device, pending)?;
        Ok(())
    }
}

impl Drop for GpuProduct {
    /// As [`Workbench::close`]: the next product needs the room.
    fn drop(&mut self) {
        let parts = self.matrix.parts.iter().map(|part| &part.buffer);
        let buffers = parts.chain([&self.x, &self.bias, &self.y]);
        buffers.for_each(wgpu::Buffer::destroy);
    }
}

/// Two buffers to copy between.
pub struct Copies<'a> {
    bench: &'a Workbench,
    pub bytes: u64,
    from: wgpu::Buffer,
    to: wgpu::Buffer,
}

impl Copies<'_> {
    /// Copies `times` times and waits for the end.
    ///
    /// # Errors
    /// The device failed.
    pub async fn run(&self, times: usize) -> Result<(), GpuError> {
        let Workbench { device, bindings } = self.bench;
        let mut recorder = Recorder::new(device, bindings);
        recorder.submit_and(&mut |encoder| {
            for _ in 0..times {
                encoder.copy_buffer_to_buffer(&self.from, 0, &self.to, 0, self.bytes);
            }
        })?;
        self.bench.ended(&mut recorder, &self.to).await
    }
}

impl Drop for Copies<'_> {
    fn drop(&mut self) {
        self.from.destroy();
        self.to.destroy();
    }
}
