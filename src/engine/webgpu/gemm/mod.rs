//! `out[m, n] = sum_k a[m, k] w[n, k] + bias[n]`: see the README beside this file.

pub mod check;

use super::device::Device;
use super::error::GpuError;
use super::kernel::Access::{Read, Write};
use super::kernel::{Kernel, Variants};
use super::matrix::{GpuMatrix, specialise};
use super::member::{self, MemberSink};
use super::recorder::Recorder;
use super::template::unroll;
use super::watchdog::{self, TILE};
use crate::model::DType;

/// A pipeline for each stored type, with each ending.
#[derive(Default)]
pub struct GemmKernel(Variants<(DType, Ending)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Ending {
    Plain,
    Member,
}

/// A matrix, and what is added to its products.
#[derive(Clone, Copy)]
pub struct Linear<'a> {
    pub matrix: &'a GpuMatrix,
    /// `[rows of the matrix]`, or more.
    pub bias: &'a wgpu::Buffer,
}

impl GemmKernel {
    /// `a` `[m, k]` times `w` `[n, k]` transposed, to `out` `[m, n]`, which begins at number `base`.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: Linear,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        let rest = [w.matrix.rows as u32, base as u32];
        self.dispatch(recorder, Ending::Plain, (a, m), w, &[out], &rest)
    }

    /// `a` `[steps N, k]` times `w` `[D, k]` transposed: members `[steps N, D]`.
    pub fn run_members(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: Linear,
        to: &MemberSink,
    ) -> Result<(), GpuError> {
        let rest = [
            0,
            0,
            to.tables.rows as u32,
            to.first_step as u32,
            w.matrix.rows as u32,
            to.flags(),
        ];
        self.dispatch(recorder, Ending::Member, (a, m), w, &to.buffers(), &rest)
    }

    fn dispatch(
        &self,
        recorder: &mut Recorder,
        ending: Ending,
        (a, m): (&wgpu::Buffer, usize),
        w: Linear,
        out: &[&wgpu::Buffer],
        rest: &[u32],
    ) -> Result<(), GpuError> {
        let k = w.matrix.columns;
        let device = recorder.device;
        for part in &w.matrix.parts {
            let kernel = self
                .0
                .get((part.dtype, ending), || kernel(device, part.dtype, ending));
            for (rows, columns) in watchdog::product(m, part.rows, k, recorder.most_work()) {
                let own = [
                    rows.end,
                    columns.end,
                    k / 4,
                    rows.start,
                    columns.start,
                    part.first,
                ];
                let params = [&own.map(|x| x as u32)[..], rest].concat();
                let buffers = [&[a, &part.buffer, w.bias][..], out].concat();
                let size = [columns.len(), rows.len()].map(|x| x.div_ceil(TILE) as u32);
                let cost = watchdog::product_cost(rows.len(), columns.len(), k);
                recorder.call(&kernel, &buffers, &params, [size[0], size[1], 1], cost)?;
            }
        }
        recorder.tally.work += 2 * m as u64 * w.matrix.rows as u64 * k as u64;
        Ok(())
    }
}

fn kernel(device: &Device, dtype: DType, ending: Ending) -> Kernel {
    let source = |epilogue: &str| {
        let source = include_str!("gemm.wgsl").replacen("//epilogue", epilogue, 1);
        unroll(&specialise(dtype, &source))
    };
    match ending {
        Ending::Plain => {
            let source = source(include_str!("plain.wgsl"));
            Kernel::new(device, "gemm", &source, &[Read, Read, Read, Write])
        }
        Ending::Member => {
            let source = source(&[member::SOURCE, include_str!("member.wgsl")].concat());
            let accesses = [Read, Read, Read, Write, Write, Write, Read, Read];
            Kernel::new(device, "gemm to members", &source, &accesses)
        }
    }
}
