//! The read-out: the final norm, and the whole output head once a run asks for all logits.

use super::device::Device;
use super::gemm::Linear;
use super::gpu::Gpu;
use super::loading::held;
use super::matrix::GpuMatrix;
use crate::engine::EngineError;
use crate::model::DType;
use crate::model::weights::Weights;

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
    /// Uploads it slice by slice, as it is stored or in `dtype`.
    ///
    /// # Errors
    /// The weight files cannot be read; the device has no room for them.
    pub fn upload(gpu: &Gpu, weights: &Weights, dtype: Option<DType>) -> Result<Self, EngineError> {
        let device = &gpu.device;
        let stored = weights.head();
        let matrix = GpuMatrix::reserve(device, "head", &held(stored, dtype), stored.columns)?;
        device.check()?;
        for rows in stored.slices() {
            let slice = weights.rows(stored, rows.clone())?;
            matrix.fill(device, rows.start, &slice, || "the output head".to_owned())?;
            gpu.flush()?;
        }
        let bias = weights.head_bias.as_ref().map(|bias| weights.vector(bias));
        let bias = bias.transpose()?;
        weights.release();
        Ok(Self { matrix, bias: bias.map(|bias| device.storage("head bias", &bias)) })
    }

    pub fn linear<'a>(&'a self, gpu: &'a Gpu) -> Linear<'a> {
        Linear { matrix: &self.matrix, bias: self.bias.as_ref().unwrap_or(&gpu.zeros) }
    }

    pub fn bytes(&self) -> u64 {
        self.matrix.bytes() + self.bias.as_ref().map_or(0, wgpu::Buffer::size)
    }
}
