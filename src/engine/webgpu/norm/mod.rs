//! RMSNorm and LayerNorm of rows: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::member::{self, MemberSink};
use super::tables::Tables;
use crate::model::shape::{NormKind, NormShape};

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

/// `rows` of `from`, to `out` `[rows, D]`.
pub fn run(
    recorder: &mut Recorder,
    from: RowSource,
    rows: usize,
    norm: NormVectors,
    tables: &Tables,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let accesses = [Read, Read, Read, Read, Write];
    let epilogue = [member::STEP, include_str!("plain.wgsl")];
    let kernel = recorder.variant("norm", &[], &accesses, || source(epilogue));
    let (x, from_streams, first_step) = match from {
        RowSource::Rows(x) => (x, 0, 0),
        RowSource::Streams { first_step } => (&tables.streams, 1, first_step as u32),
    };
    let rest = [from_streams, tables.rows as u32, first_step];
    let params = [&numbers(rows, norm)[..], &rest, &[norm.width as u32]].concat();
    let buffers = [x, norm.gain, norm.bias, &tables.steps, out];
    recorder.call(&kernel, &buffers, &params, grid(rows, 1), 0)
}

/// Rows `x` `[steps N, D]`, normed, as members.
pub fn run_members(
    recorder: &mut Recorder,
    x: &wgpu::Buffer,
    rows: usize,
    norm: NormVectors,
    to: &MemberSink,
) -> Result<(), GpuError> {
    let accesses = [Read, Read, Read, Write, Write, Write, Read, Read];
    let epilogue = [member::SOURCE, include_str!("member.wgsl")];
    let kernel = recorder.variant("norm to members", &[], &accesses, || source(epilogue));
    let rest = [0, to.tables.rows as u32, to.first_step as u32, norm.width as u32, to.flags()];
    let params = [&numbers(rows, norm)[..], &rest].concat();
    let buffers = [&[x, norm.gain, norm.bias][..], &to.buffers()].concat();
    recorder.call(&kernel, &buffers, &params, grid(rows, 1), 0)
}

/// Returns the kernel's text with what it does to a normed number.
fn source(epilogue: [&str; 2]) -> String {
    include_str!("norm.wgsl").replacen("//epilogue", &epilogue.concat(), 1)
}

fn numbers(rows: usize, norm: NormVectors) -> [u32; 4] {
    let is_centred = u32::from(norm.shape.kind == NormKind::Layer);
    let eps = (norm.shape.eps as f32).to_bits();
    [rows as u32, (norm.width / 4) as u32, eps, is_centred]
}
