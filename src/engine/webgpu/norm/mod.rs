//! RMSNorm and LayerNorm of rows: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::member::{self, MemberSink};
use super::tables::Tables;
use super::template::with_total;
use crate::model::shape::{NormKind, NormShape};

pub struct NormKernel {
    plain: Kernel,
    member: Kernel,
}

/// A norm over D, with its vectors `[D]`.
#[derive(Clone, Copy)]
pub struct NormVectors<'a> {
    pub shape: NormShape,
    pub width: usize,
    pub gain: &'a wgpu::Buffer,
    /// Zeros for RMSNorm.
    pub bias: &'a wgpu::Buffer,
}

/// Where rows lie.
#[derive(Clone, Copy)]
pub enum RowSource<'a> {
    /// One after the other.
    Rows(&'a wgpu::Buffer),
    /// In the streams that the steps of a call read, from this step on.
    Streams { first_step: usize },
}

impl NormKernel {
    pub fn new(device: &Device) -> Self {
        let norm = with_total(include_str!("norm.wgsl"));
        let source = |epilogue: &str| norm.replacen("//epilogue", epilogue, 1);
        let plain = source(&[member::STEP, include_str!("plain.wgsl")].concat());
        let member = source(&[member::SOURCE, include_str!("member.wgsl")].concat());
        let to_members = [Read, Read, Read, Write, Write, Write, Read, Read];
        Self {
            plain: Kernel::new(device, "norm", &plain, &[Read, Read, Read, Read, Write]),
            member: Kernel::new(device, "norm to members", &member, &to_members),
        }
    }

    /// `rows` of `from`, to `out` `[rows, D]`.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        from: RowSource,
        rows: usize,
        norm: NormVectors,
        tables: &Tables,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (x, from_streams, first_step) = match from {
            RowSource::Rows(x) => (x, 0, 0),
            RowSource::Streams { first_step } => (&tables.streams, 1, first_step as u32),
        };
        let rest = [from_streams, tables.rows as u32, first_step];
        let params = [&numbers(rows, norm)[..], &rest, &[norm.width as u32]].concat();
        let buffers = [x, norm.gain, norm.bias, &tables.steps, out];
        recorder.call(&self.plain, &buffers, &params, grid(rows, 1), 0)
    }

    /// Rows `x` `[steps N, D]`, normed, as members.
    pub fn run_members(
        &self,
        recorder: &mut Recorder,
        x: &wgpu::Buffer,
        rows: usize,
        norm: NormVectors,
        to: &MemberSink,
    ) -> Result<(), GpuError> {
        let rest = [0, to.tables.rows as u32, to.first_step as u32, norm.width as u32, to.flags()];
        let params = [&numbers(rows, norm)[..], &rest].concat();
        let buffers = [&[x, norm.gain, norm.bias][..], &to.buffers()].concat();
        recorder.call(&self.member, &buffers, &params, grid(rows, 1), 0)
    }
}

fn numbers(rows: usize, norm: NormVectors) -> [u32; 4] {
    let is_centred = u32::from(norm.shape.kind == NormKind::Layer);
    let eps = (norm.shape.eps as f32).to_bits();
    [rows as u32, (norm.width / 4) as u32, eps, is_centred]
}
