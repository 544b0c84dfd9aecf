//! Derivatives of the MLP's activation: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::tangent::GpuPairs;
use crate::model::shape::{Activation, MlpShape};

/// `up` `[rows, 2 F]` or `[rows, F]` to the activation's derivatives, in place.
pub fn slopes(
    recorder: &mut Recorder,
    up: &wgpu::Buffer,
    rows: usize,
    shape: &MlpShape,
) -> Result<(), GpuError> {
    let numbers = [shape.activation as usize, shape.is_gated.into()];
    let kernel = recorder.variant("activation slopes", &numbers, &[Write], || {
        let activation = match shape.activation {
            Activation::Silu => include_str!("silu.wgsl"),
            Activation::GeluTanh => include_str!("gelu_tanh.wgsl"),
            Activation::GeluErf => include_str!("gelu_erf.wgsl"),
        };
        include_str!("slopes.wgsl").replace("{IS_GATED}", &shape.is_gated.to_string()).replacen(
            "//activation",
            activation,
            1,
        )
    });
    let params = [rows, shape.width / 4].map(|x| x as u32);
    let size = grid(rows * shape.width / 4, 64);
    recorder.call(&kernel, &[up], &params, size, 0)
}

/// Rows `x` `[rows, 2 F]` or `[rows, F]` times kept slopes, to `out` `[rows, F]`; or transposed, the other
/// way round.
pub fn scale(
    recorder: &mut Recorder,
    slopes: &wgpu::Buffer,
    shape: &MlpShape,
    pairs: &GpuPairs,
    x: &wgpu::Buffer,
    out: &wgpu::Buffer,
    transposed: bool,
) -> Result<(), GpuError> {
    let accesses = [Read, Read, Read, Write];
    let kernel = recorder.variant("times slopes", &[transposed.into()], &accesses, || {
        include_str!("scale.wgsl").replace("{IS_TRANSPOSED}", &transposed.to_string())
    });
    let parts = shape.up_rows() / shape.width;
    let params = [pairs.rows, shape.width / 4, parts, pairs.first].map(|x| x as u32);
    let size = grid(pairs.rows * shape.width / 4, 64);
    recorder.call(&kernel, &[slopes, &pairs.table, x, out], &params, size, 0)
}
