//! `out[m, n] = sum_k a[m, k] w[n, k]`: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::matrix::{Format, Matrix};
use super::recorder::Recorder;
use super::template::unroll;

/// Rows and columns of the product that one workgroup makes.
const TILE: usize = 32;

pub struct Gemm {
    plain: Kernel,
    member: Kernel,
}

/// Where a member goes: into which streams, and what is kept of it.
pub struct MemberTo<'a> {
    pub streams: &'a wgpu::Buffer,
    pub middle: &'a wgpu::Buffer,
    pub kept: &'a wgpu::Buffer,
    pub copies: &'a wgpu::Buffer,
    pub tokens: &'a wgpu::Buffer,
    /// N
    pub rows_a_copy: usize,
    pub first_copy: usize,
    pub is_mlp: bool,
    /// The attention of the same block has begun the stream already.
    pub after_attention: bool,
    pub keep: bool,
}

impl Gemm {
    pub fn new(device: &Device, format: Format) -> Self {
        let source = |epilogue: &str| {
            let source = include_str!("gemm.wgsl").replacen("//epilogue", epilogue, 1);
            unroll(&format.specialise(&source))
        };
        let plain = source(include_str!("plain.wgsl"));
        let member = source(include_str!("member.wgsl"));
        Self {
            plain: Kernel::new(device, "gemm", &plain, &[Read, Read, Write]),
            member: Kernel::new(
                device,
                "gemm to member",
                &member,
                &[Read, Read, Write, Write, Write, Read, Read],
            ),
        }
    }

    /// `a` [m, k] times `w` [n, k] transposed, to the first n columns of `out` [m, n].
    pub fn run(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        self.run_to(recorder, a, m, w, out, 0)
    }

    /// The same, to rows `first_out..` of `out`.
    pub fn run_to(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        out: &wgpu::Buffer,
        first_out: usize,
    ) -> Result<(), GpuError> {
        for piece in &w.pieces {
            let mut params = params(m, piece.rows, w, piece.first).to_vec();
            params.push(first_out as u32);
            let (size, work) = (size(m, piece.rows), work(m, piece.rows, w));
            recorder.call(&self.plain, &[a, &piece.buffer, out], &params, size, work)?;
        }
        Ok(())
    }

    /// `a` [copies N, k] times `w` [D, k] transposed: members [copies N, D].
    pub fn run_member(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        to: &MemberTo,
    ) -> Result<(), GpuError> {
        let flags =
            u32::from(to.is_mlp) | u32::from(to.after_attention) << 1 | u32::from(to.keep) << 2;
        for piece in &w.pieces {
            let mut params = params(m, piece.rows, w, piece.first).to_vec();
            params.extend([
                to.rows_a_copy as u32,
                to.first_copy as u32,
                w.rows as u32,
                flags,
            ]);
            let (size, work) = (size(m, piece.rows), work(m, piece.rows, w));
            let buffers = [
                a,
                &piece.buffer,
                to.streams,
                to.middle,
                to.kept,
                to.copies,
                to.tokens,
            ];
            recorder.call(&self.member, &buffers, &params, size, work)?;
        }
        Ok(())
    }
}

fn params(m: usize, n: usize, w: &Matrix, column: usize) -> [u32; 5] {
    [m, n, w.columns / 4, w.rows, column].map(|x| x as u32)
}

fn size(m: usize, n: usize) -> [u32; 3] {
    [n.div_ceil(TILE) as u32, m.div_ceil(TILE) as u32, 1]
}

fn work(m: usize, n: usize, w: &Matrix) -> u64 {
    2 * m as u64 * n as u64 * w.columns as u64
}

/// The product with a thread an output: what tests and the bench compare with.
#[cfg(not(target_arch = "wasm32"))]
pub struct Naive(Kernel);

#[cfg(not(target_arch = "wasm32"))]
impl Naive {
    pub fn new(device: &Device) -> Self {
        let source = include_str!("naive.wgsl");
        Self(Kernel::new(
            device,
            "naive gemm",
            source,
            &[Read, Read, Write],
        ))
    }

    /// As [`Gemm::run`], for f32 weights in one piece.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &Matrix,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        for piece in &w.pieces {
            let params = [m, piece.rows, w.columns, w.rows].map(|x| x as u32);
            let size = [piece.rows.div_ceil(8) as u32, m.div_ceil(8) as u32, 1];
            let work = work(m, piece.rows, w);
            recorder.call(&self.0, &[a, &piece.buffer, out], &params, size, work)?;
        }
        Ok(())
    }
}
