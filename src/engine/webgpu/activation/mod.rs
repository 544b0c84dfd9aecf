//! SiLU and GELU, gated or plain: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use crate::model::shape::{Activation, MlpShape};

/// `up` `[rows, 2 F]` or `[rows, F]` to `out` `[rows, F]`.
pub fn run(
    recorder: &mut Recorder,
    up: &wgpu::Buffer,
    rows: usize,
    shape: &MlpShape,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let (label, activation) = match shape.activation {
        Activation::Silu => ("silu", include_str!("silu.wgsl")),
        Activation::GeluTanh => ("tanh gelu", include_str!("gelu_tanh.wgsl")),
        Activation::GeluErf => ("erf gelu", include_str!("gelu_erf.wgsl")),
    };
    let kernel =
        recorder.variant(label, &[shape.is_gated.into()], &[Read, Write], || {
            include_str!("activation.wgsl")
                .replace("{IS_GATED}", &shape.is_gated.to_string())
                .replacen("//activation", activation, 1)
        });
    let params = [rows, shape.width / 4].map(|x| x as u32);
    let size = grid(rows * shape.width / 4, 64);
    recorder.call(&kernel, &[up, out], &params, size, 0)
}
