//! SiLU and GELU, gated or plain: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use crate::model::shape::{Activation, MlpShape};

/// A pipeline for each activation that a model has, by whether it is gated.
#[derive(Default)]
pub struct ActivationKernel(Variants<(Activation, bool)>);

impl ActivationKernel {
    /// `up` `[rows, 2 F]` or `[rows, F]` to `out` `[rows, F]`.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        up: &wgpu::Buffer,
        rows: usize,
        shape: &MlpShape,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let device = recorder.device;
        let key = (shape.activation, shape.is_gated);
        let kernel = self.0.get(key, || kernel(device, shape));
        let params = [rows, shape.width / 4].map(|x| x as u32);
        let size = grid(rows * shape.width / 4, 64);
        recorder.call(&kernel, &[up, out], &params, size, 0)
    }
}

fn kernel(device: &Device, shape: &MlpShape) -> Kernel {
    let (label, activation) = match shape.activation {
        Activation::Silu => ("silu", include_str!("silu.wgsl")),
        Activation::GeluTanh => ("tanh gelu", include_str!("gelu_tanh.wgsl")),
        Activation::GeluErf => ("erf gelu", include_str!("gelu_erf.wgsl")),
    };
    let source = include_str!("activation.wgsl")
        .replace("{IS_GATED}", &shape.is_gated.to_string())
        .replacen("//activation", activation, 1);
    Kernel::new(device, label, &source, &[Read, Write])
}
