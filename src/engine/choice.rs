//! Which engine runs a model.

use super::candle::CandleEngine;
#[cfg(feature = "webgpu")]
use super::webgpu::{AdapterChoice, Format, WebGpuEngine};
use super::{Engine, EngineError};
use crate::model::{ModelConfig, Weights};

/// An engine, and where it is to run.
#[derive(Clone, Debug, Default)]
pub enum EngineChoice {
    /// The reference, in f32.
    #[default]
    Cpu,
    #[cfg(feature = "webgpu")]
    WebGpu {
        adapter: AdapterChoice,
        format: Format,
    },
}

impl EngineChoice {
    /// Puts the weights into the engine chosen.
    ///
    /// # Errors
    /// No such device, or one that is too small; nothing else is tried in its place.
    pub fn open(
        &self,
        config: ModelConfig,
        weights: Weights,
    ) -> Result<Box<dyn Engine>, EngineError> {
        Ok(match self {
            Self::Cpu => Box::new(CandleEngine::new(
                config,
                weights,
                candle_core::Device::Cpu,
            )?),
            #[cfg(feature = "webgpu")]
            Self::WebGpu { adapter, format } => {
                Box::new(WebGpuEngine::new(config, weights, adapter, *format)?)
            }
        })
    }
}
