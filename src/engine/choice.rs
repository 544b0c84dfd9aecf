//! Which engine runs a model, and the way of the model into it.

use candle_core::Device;

use super::candle::CandleEngine;
use super::memory::Memory;
#[cfg(feature = "webgpu")]
use super::webgpu::{self, AdapterChoice, Format};
use super::{Engine, EngineError};
use crate::model::{ModelConfig, Part, Stored, Weights};

/// Bytes that a browser's 32-bit memory has room for, beside the program itself.
const WASM_MOST: u64 = 3_500_000_000;

/// An engine, and where it is to run.
#[derive(Clone, Debug, Default)]
pub enum EngineChoice {
    /// The reference, in f32.
    #[default]
    Cpu,
    /// The same code on the first NVIDIA GPU, in f32.
    #[cfg(feature = "cuda")]
    Cuda,
    #[cfg(feature = "webgpu")]
    WebGpu {
        adapter: AdapterChoice,
        /// `None`: as the checkpoint stores them, which loses nothing; f32 where that is mixed.
        format: Option<Format>,
    },
}

impl EngineChoice {
    /// What a model will take in this engine, by how its checkpoint is stored.
    #[cfg_attr(not(feature = "webgpu"), expect(unused_variables))]
    pub fn memory(&self, config: &ModelConfig, stored: Option<Stored>) -> Memory {
        match self {
            Self::Cpu => Memory::of(config, 4),
            #[cfg(feature = "cuda")]
            Self::Cuda => Memory::of(config, 4),
            #[cfg(feature = "webgpu")]
            Self::WebGpu { format, .. } => {
                Memory::of(config, format.unwrap_or(Format::of(stored)).bytes())
            }
        }
    }

    /// Makes room for a model in the engine chosen.
    ///
    /// # Errors
    /// No such device, or no room; nothing else is tried in its place.
    pub async fn begin(
        &self,
        config: ModelConfig,
        stored: Option<Stored>,
    ) -> Result<Loading, EngineError> {
        Ok(match self {
            Self::Cpu => {
                let memory = self.memory(&config, stored);
                if cfg!(target_arch = "wasm32") && memory.total() > WASM_MOST {
                    return Err(EngineError::NoRoom { memory });
                }
                Loading::candle(config, Device::Cpu)
            }
            #[cfg(feature = "cuda")]
            Self::Cuda => Loading::candle(config, Device::new_cuda(0)?),
            #[cfg(feature = "webgpu")]
            Self::WebGpu { adapter, format } => {
                let format = format.unwrap_or(Format::of(stored));
                let loading = webgpu::Loading::begin(config, adapter, format).await?;
                Loading::WebGpu(Box::new(loading))
            }
        })
    }
}

/// An engine that waits for its weights.
pub enum Loading {
    Candle(Box<(Weights, ModelConfig, Device)>),
    #[cfg(feature = "webgpu")]
    WebGpu(Box<webgpu::Loading>),
}

impl Loading {
    fn candle(config: ModelConfig, device: Device) -> Self {
        Self::Candle(Box::new((Weights::new(&config), config, device)))
    }

    /// Takes the next part over.
    ///
    /// # Errors
    /// The device failed.
    pub fn take(&mut self, part: Part) -> Result<(), EngineError> {
        match self {
            Self::Candle(held) => held.0.take(part),
            #[cfg(feature = "webgpu")]
            Self::WebGpu(loading) => loading.take(&part)?,
        }
        Ok(())
    }

    /// The engine, once every part was taken.
    ///
    /// # Errors
    /// The device failed.
    pub fn finish(self) -> Result<Box<dyn Engine>, EngineError> {
        Ok(match self {
            Self::Candle(held) => {
                let (weights, config, device) = *held;
                Box::new(CandleEngine::new(config, weights, device)?)
            }
            #[cfg(feature = "webgpu")]
            Self::WebGpu(loading) => Box::new(loading.finish()?),
        })
    }
}
