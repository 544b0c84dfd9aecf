//! A device with its kernels, which know no model.

use super::activation::ActivationKernel;
use super::attention::Attention;
use super::device::{Device, STORAGE};
use super::fate::Fate;
use super::gather::Gather;
use super::gemm::Gemm;
use super::norm::Norm;
use super::qk_norm::QueryKeyNorm;
use super::recorder::Bindings;
use super::rope::RopeKernel;
use super::votes::Votes;

pub struct Gpu {
    pub device: Device,
    pub bindings: Bindings,
    pub kernels: Kernels,
    /// D
    pub width: usize,
    /// As many as the longest bias of the model has: what is added where a block has none.
    pub zeros: wgpu::Buffer,
}

pub struct Kernels {
    pub gather: Gather,
    pub norm: Norm,
    pub gemm: Gemm,
    pub qk_norm: QueryKeyNorm,
    pub rope: RopeKernel,
    pub attention: Attention,
    pub activation: ActivationKernel,
    pub votes: Votes,
    pub fate: Fate,
}

impl Gpu {
    /// For streams of `width`, and biases of up to `longest`.
    pub fn new(device: Device, width: usize, longest: usize) -> Self {
        let kernels = Kernels {
            gather: Gather::new(&device),
            norm: Norm::new(&device),
            gemm: Gemm::default(),
            qk_norm: QueryKeyNorm::new(&device),
            rope: RopeKernel::new(&device),
            attention: Attention::default(),
            activation: ActivationKernel::default(),
            votes: Votes::new(&device),
            fate: Fate::new(&device),
        };
        Self {
            bindings: Bindings::new(&device),
            // WebGPU's buffers begin as zeros.
            zeros: device.buffer("zeros", longest.max(width) as u64 * 4, STORAGE),
            kernels,
            width,
            device,
        }
    }
}
