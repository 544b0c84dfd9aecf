//! Which engine runs a model.

use std::rc::Rc;

use super::backend::Loader;
use super::memory::Memory;
#[cfg(feature = "webgpu")]
use super::webgpu::{self, AdapterChoice};
use super::{EngineError, Loading, cpu};
#[cfg(feature = "webgpu")]
use crate::model::DType;
use crate::model::weights::Weights;

/// An engine, and where it is to run.
#[derive(Clone, Debug, Default)]
pub enum EngineChoice {
    /// This processor, weights as the checkpoint stores them.
    #[default]
    Cpu,
    /// candle's tensors on this processor: what tests hold the other engines against.
    #[cfg(any(test, feature = "reference"))]
    Reference,
    /// candle's tensors on the first NVIDIA GPU.
    #[cfg(feature = "cuda")]
    Cuda,
    #[cfg(feature = "webgpu")]
    WebGpu {
        adapter: AdapterChoice,
        /// `None`: every matrix as the checkpoint stores it, which loses nothing.
        dtype: Option<DType>,
    },
}

impl EngineChoice {
    /// Returns the memory that a model takes in this engine.
    pub fn memory(&self, weights: &Weights) -> Memory {
        match self {
            #[cfg(feature = "webgpu")]
            Self::WebGpu { dtype, .. } => Memory::on_device(weights, *dtype),
            #[cfg(feature = "cuda")]
            Self::Cuda => Memory::on_device(weights, None),
            _ => Memory::on_processor(weights),
        }
    }

    /// Makes room for a model in the engine chosen.
    ///
    /// # Errors
    /// No such device, or no room; nothing else is tried in its place.
    pub async fn begin(&self, weights: Rc<Weights>) -> Result<Loading, EngineError> {
        let loader = self.loader(weights.clone()).await?;
        Ok(Loading::new(weights, loader))
    }

    /// The backend alone, waiting for its weights: for one's own around it.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub async fn loader(&self, weights: Rc<Weights>) -> Result<Box<dyn Loader>, EngineError> {
        Ok(match self {
            Self::Cpu => {
                let memory = self.memory(&weights);
                refuse_if!(!memory.fits_processor(), EngineError::NoRoom { memory });
                cpu::loader(weights)
            }
            #[cfg(any(test, feature = "reference"))]
            Self::Reference => super::cuda::loader(weights, candle_core::Device::Cpu),
            #[cfg(feature = "cuda")]
            Self::Cuda => super::cuda::loader(weights, candle_core::Device::new_cuda(0)?),
            #[cfg(feature = "webgpu")]
            Self::WebGpu { adapter, dtype } => webgpu::loader(weights, adapter, *dtype).await?,
        })
    }
}
