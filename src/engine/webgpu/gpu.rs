//! A device with its kernels, which know no model.

use super::activation::ActivationKernel;
use super::add::AddKernel;
use super::append::AppendKernel;
use super::attention::AttentionKernel;
use super::attention_slope::AttentionSlopeKernel;
use super::device::{Device, STORAGE};
use super::error::GpuError;
use super::gather::GatherKernel;
use super::gemm::GemmKernel;
use super::gemm_transposed::GemmTransposedKernel;
use super::looks::LooksKernel;
use super::mlp_slope::MlpSlopeKernel;
use super::norm::NormKernel;
use super::norm_slope::NormSlopeKernel;
use super::qk_norm::QkNormKernel;
use super::recorder::Bindings;
use super::rope::RopeKernel;
use super::vocabulary::VocabularyKernel;
use super::votes::VotesKernel;

pub struct Gpu {
    pub device: Device,
    pub bindings: Bindings,
    pub kernels: Kernels,
    /// D
    pub width: usize,
    /// Zeros, as many as the model's longest bias has numbers: added where a block has no bias.
    pub zeros: wgpu::Buffer,
}

/// The compiled kernels. The self-test's are used for a model too.
pub struct Kernels {
    pub gather: GatherKernel,
    pub norm: NormKernel,
    pub gemm: GemmKernel,
    pub qk_norm: QkNormKernel,
    pub rope: RopeKernel,
    pub append: AppendKernel,
    pub attention: AttentionKernel,
    pub activation: ActivationKernel,
    pub votes: VotesKernel,
    pub vocabulary: VocabularyKernel,
    pub looks: LooksKernel,
    pub norm_slope: NormSlopeKernel,
    pub mlp_slope: MlpSlopeKernel,
    pub gemm_transposed: GemmTransposedKernel,
    pub attention_slope: AttentionSlopeKernel,
    pub add: AddKernel,
}

impl Kernels {
    pub fn new(device: &Device) -> Self {
        Self {
            gather: GatherKernel::new(device),
            norm: NormKernel::new(device),
            gemm: GemmKernel::default(),
            qk_norm: QkNormKernel::new(device),
            rope: RopeKernel::new(device),
            append: AppendKernel::new(device),
            attention: AttentionKernel::default(),
            activation: ActivationKernel::default(),
            votes: VotesKernel::new(device),
            vocabulary: VocabularyKernel::new(device),
            looks: LooksKernel::default(),
            norm_slope: NormSlopeKernel::default(),
            mlp_slope: MlpSlopeKernel::default(),
            gemm_transposed: GemmTransposedKernel::default(),
            attention_slope: AttentionSlopeKernel::default(),
            add: AddKernel::default(),
        }
    }
}

impl Gpu {
    /// For streams of `width`, and biases of up to `longest`.
    pub fn new(device: Device, kernels: Kernels, width: usize, longest: usize) -> Self {
        Self {
            bindings: Bindings::new(&device),
            // WebGPU's buffers begin as zeros.
            zeros: device.buffer("zeros", longest.max(width) as u64 * 4, STORAGE),
            kernels,
            width,
            device,
        }
    }

    /// Sends the uploads on their way, so that they do not pile up in the program's memory.
    ///
    /// # Errors
    /// The device failed.
    pub fn flush(&self) -> Result<(), GpuError> {
        let encoder = self.device.device.create_command_encoder(&Default::default());
        self.bindings.counter.submit(&self.device, encoder, &mut |_| ());
        self.device.poll(wgpu::PollType::Poll)
    }
}
