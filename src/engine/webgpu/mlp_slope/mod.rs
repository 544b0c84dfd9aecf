//! Derivatives of the MLP's activation: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::tangent::GpuPairs;
use crate::model::shape::{Activation, MlpShape};

/// A pipeline for each activation that a model has, by whether it is gated, and one for each direction.
#[derive(Default)]
pub struct MlpSlopeKernel {
    slopes: Variants<(Activation, bool)>,
    scale: Variants<bool>,
}

impl MlpSlopeKernel {
    /// `up` `[rows, 2 F]` or `[rows, F]` to the activation's derivatives, in place.
    pub fn slopes(
        &self,
        recorder: &mut Recorder,
        up: &wgpu::Buffer,
        rows: usize,
        shape: &MlpShape,
    ) -> Result<(), GpuError> {
        let device = recorder.device;
        let key = (shape.activation, shape.is_gated);
        let kernel = self.slopes.get(key, || {
            let activation = match shape.activation {
                Activation::Silu => include_str!("silu.wgsl"),
                Activation::GeluTanh => include_str!("gelu_tanh.wgsl"),
                Activation::GeluErf => include_str!("gelu_erf.wgsl"),
            };
            let source = include_str!("slopes.wgsl")
                .replace("{IS_GATED}", &shape.is_gated.to_string())
                .replacen("//activation", activation, 1);
            Kernel::new(device, "activation slopes", &source, &[Write])
        });
        let params = [rows, shape.width / 4].map(|x| x as u32);
        let size = grid(rows * shape.width / 4, 64);
        recorder.call(&kernel, &[up], &params, size, 0)
    }

    /// Rows `x` `[rows, 2 F]` or `[rows, F]` times kept slopes, to `out` `[rows, F]`; or transposed, the other
    /// way round.
    #[allow(clippy::too_many_arguments)]
    pub fn scale(
        &self,
        recorder: &mut Recorder,
        slopes: &wgpu::Buffer,
        shape: &MlpShape,
        pairs: &GpuPairs,
        x: &wgpu::Buffer,
        out: &wgpu::Buffer,
        transposed: bool,
    ) -> Result<(), GpuError> {
        let device = recorder.device;
        let kernel = self.scale.get(transposed, || {
            let source = include_str!("scale.wgsl");
            let source = source.replace("{IS_TRANSPOSED}", &transposed.to_string());
            let accesses = [Read, Read, Read, Write];
            Kernel::new(device, "times slopes", &source, &accesses)
        });
        let parts = shape.up_rows() / shape.width;
        let params = [pairs.rows, shape.width / 4, parts, pairs.first].map(|x| x as u32);
        let size = grid(pairs.rows * shape.width / 4, 64);
        recorder.call(&kernel, &[slopes, &pairs.table, x, out], &params, size, 0)
    }
}
