//! Tests this machine: its devices, its kernels against their reference implementations, measured rates, the
//! goldens on every engine, and what a model costs. Every number in a report was measured; whatever was not
//! measured is named. Nothing here prints, and the clock is the caller's.

pub mod choice;
mod difference;
pub mod effort;
pub mod golden;
pub mod look;
pub mod prefill;
pub mod processor;
pub mod rates;
pub mod watch;

use serde::{Deserialize, Serialize};

use crate::engine::EngineChoice;
use crate::engine::trial::{AdapterFacts, KernelTrial};
use golden::GoldenResult;
use prefill::Prefill;
use processor::ProcessorFacts;
use rates::Rates;

/// The doctor's findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DoctorReport {
    /// Version of atelier.
    pub version: String,
    /// Browser that the page was measured in, as it calls itself; `None` on the command line.
    pub browser: Option<String>,
    /// Compiled with optimisation: rates of a build without are not this machine's.
    pub is_optimised: bool,
    pub is_quick: bool,
    pub processor: ProcessorFacts,
    /// In the driver's order; empty where none is there, or where atelier was built without WebGPU. A
    /// browser shows one.
    pub adapters: Vec<AdapterFacts>,
    /// State of CUDA, where atelier was built with it.
    pub cuda: Option<String>,
    /// Kernels of every device.
    pub kernels: Vec<DeviceKernels>,
    pub rates: Vec<Rates>,
    /// Which engine is taken, and why.
    pub choice: String,
    pub goldens: Vec<GoldenResult>,
    pub prefill: Vec<Prefill>,
    /// Checks that were not made, and why.
    pub unmeasured: Vec<String>,
    /// The reader ended it early.
    pub was_interrupted: bool,
}

/// The kernels of one device against their reference implementations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceKernels {
    pub device: String,
    pub kernels: Vec<KernelTrial>,
    /// All of them were tried.
    pub is_whole: bool,
}

impl DeviceKernels {
    /// Did every kernel that was tried agree with its twin?
    pub fn are_right(&self) -> bool {
        !self.kernels.is_empty() && self.kernels.iter().all(|trial| trial.is_right)
    }
}

impl DoctorReport {
    /// Returns a report of a machine on which nothing is measured yet.
    pub fn begin(is_quick: bool, adapters: Vec<AdapterFacts>) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            is_optimised: !cfg!(debug_assertions),
            is_quick,
            processor: processor::processor(),
            adapters,
            ..Self::default()
        }
    }

    /// Is every kernel right, and does every golden that was checked hold?
    pub fn is_well(&self) -> bool {
        self.kernels.iter().all(DeviceKernels::are_right)
            && self.goldens.iter().all(|golden| golden.passes)
    }
}

/// An engine that is there, and what it is held to.
#[derive(Clone, Debug)]
pub struct EngineThere {
    /// For people: `"CPU"`, `"WebGPU on llvmpipe"`.
    pub name: String,
    pub choice: EngineChoice,
    /// Relative agreement asked of it with the goldens' float64.
    pub tolerance: f64,
}

impl EngineThere {
    /// One chain of f32 sums.
    pub const CPU_TOLERANCE: f64 = 1e-4;

    /// Drivers multiply and sum in their own order.
    pub const GPU_TOLERANCE: f64 = 1e-3;

    /// This processor, then every adapter, then CUDA where it is there.
    pub fn every(adapters: &[AdapterFacts], has_cuda: bool) -> Vec<Self> {
        #[cfg_attr(
            not(any(feature = "webgpu", feature = "cuda")),
            expect(unused_mut, reason = "there is no other engine")
        )]
        let mut every = vec![Self {
            name: "CPU".into(),
            choice: EngineChoice::Cpu,
            tolerance: Self::CPU_TOLERANCE,
        }];
        #[cfg(feature = "webgpu")]
        every.extend(adapters.iter().enumerate().map(|(place, facts)| Self {
            name: device_name(facts),
            choice: EngineChoice::WebGpu {
                adapter: crate::engine::webgpu::AdapterChoice {
                    place: Some(place),
                    ..Default::default()
                },
                dtype: None,
            },
            tolerance: Self::GPU_TOLERANCE,
        }));
        #[cfg(feature = "cuda")]
        if has_cuda {
            every.push(Self {
                name: "CUDA".into(),
                choice: EngineChoice::Cuda,
                tolerance: Self::GPU_TOLERANCE,
            });
        }
        let _ = (adapters, has_cuda);
        every
    }
}

/// For people: `"WebGPU on llvmpipe (LLVM 15.0.7, 256 bits), Vulkan"`; a browser does not say what its
/// WebGPU stands on.
pub fn device_name(facts: &AdapterFacts) -> String {
    match facts.backend.as_str() {
        "WebGPU" => format!("WebGPU on {}", facts.name),
        backend => format!("WebGPU on {}, {backend}", facts.name),
    }
}

/// Whether the first CUDA device opens, and a sentence on it; `None` where atelier was built without CUDA.
pub fn cuda() -> Option<(bool, String)> {
    #[cfg(feature = "cuda")]
    return Some(match candle_core::Device::new_cuda(0) {
        Ok(_) => (true, "the first CUDA device opened".into()),
        Err(error) => (false, error.to_string()),
    });
    #[cfg(not(feature = "cuda"))]
    None
}
