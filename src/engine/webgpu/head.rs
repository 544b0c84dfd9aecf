//! The read-out: the final norm, and the whole output head where the device has room for it.

use super::device::Device;
use super::error::GpuError;
use super::gemm::Linear;
use super::gpu::Gpu;
use super::loading::held;
use super::matrix::GpuMatrix;
use crate::engine::EngineError;
use crate::model::weights::Weights;
use crate::model::{DType, Tensor};

pub struct FinalNorm {
    /// `[D]`
    pub gain: wgpu::Buffer,
    /// `[D]`; `None`: zeros.
    pub bias: Option<wgpu::Buffer>,
}

impl FinalNorm {
    /// # Errors
    /// The weight files cannot be read.
    pub fn upload(device: &Device, weights: &Weights) -> Result<Self, EngineError> {
        let vector = |vector| -> Result<wgpu::Buffer, EngineError> {
            Ok(device.storage("final norm", &weights.vector(vector)?))
        };
        Ok(Self {
            gain: vector(&weights.final_norm)?,
            bias: weights.final_norm_bias.as_ref().map(vector).transpose()?,
        })
    }
}

/// Every output row.
pub struct GpuHead {
    /// `[V, D]`
    matrix: GpuMatrix,
    /// `[V]`; `None`: zeros.
    bias: Option<wgpu::Buffer>,
}

impl GpuHead {
    /// Room for the rows, as they are stored or in `dtype`.
    ///
    /// # Errors
    /// A row is larger than a binding of this device; the weight files cannot be read.
    pub fn reserve(
        device: &Device,
        weights: &Weights,
        dtype: Option<DType>,
    ) -> Result<Self, EngineError> {
        let stored = weights.head();
        let bias = weights.head_bias.as_ref().map(|bias| weights.vector(bias)).transpose()?;
        Ok(Self {
            matrix: GpuMatrix::reserve(device, "head", &held(stored, dtype), stored.columns)?,
            bias: bias.map(|bias| device.storage("head bias", &bias)),
        })
    }

    /// Uploads rows `first_row..`.
    ///
    /// # Errors
    /// A number that the rows' type cannot hold; the device failed.
    pub fn fill(&self, gpu: &Gpu, first_row: usize, rows: &Tensor) -> Result<(), GpuError> {
        self.matrix.fill(&gpu.device, first_row, rows, || "the output head".to_owned())?;
        gpu.flush()
    }

    /// Gives the memory back now: a browser frees what is only dropped when it likes.
    pub fn destroy(&self) {
        let parts = self.matrix.parts.iter().map(|part| &part.buffer);
        parts.chain(&self.bias).for_each(wgpu::Buffer::destroy);
    }

    pub fn linear<'a>(&'a self, gpu: &'a Gpu) -> Linear<'a> {
        Linear { matrix: &self.matrix, bias: self.bias.as_ref().unwrap_or(&gpu.zeros) }
    }

    pub fn bytes(&self) -> u64 {
        self.matrix.bytes() + self.bias.as_ref().map_or(0, wgpu::Buffer::size)
    }
}
