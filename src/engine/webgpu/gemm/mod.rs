//! `out[m, n] = sum_k a[m, k] w[n, k] + bias[n]`: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::matrix::{GpuMatrix, specialise};
use super::member::{self, MemberSink};
use super::template::unroll;
use super::watchdog::{self, TILE};
use crate::model::DType;

/// A pipeline for each stored type, with each ending and each route.
#[derive(Default)]
pub struct GemmKernel(Variants<(DType, Ending, Route)>);

/// How a product is shared out, by the rows of `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Route {
    /// At most so many rows: threads share the sums over k, for what takes time is reading `w`.
    Rows(usize),
    /// 32 x 32 outputs a workgroup.
    Tiles,
}

impl Route {
    fn of(m: usize) -> Self {
        match m {
            0..=1 => Self::Rows(1),
            2..=4 => Self::Rows(4),
            5..=16 => Self::Rows(16),
            _ => Self::Tiles,
        }
    }

    /// Rows and columns that a workgroup makes.
    fn makes(self) -> [usize; 2] {
        match self {
            Self::Rows(rows) => [rows, 8],
            Self::Tiles => [TILE; 2],
        }
    }
}

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
        let rest =
            [0, 0, to.tables.rows as u32, to.first_step as u32, w.matrix.rows as u32, to.flags()];
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
        let route = Route::of(m);
        let [high, wide] = route.makes();
        for part in &w.matrix.parts {
            let kernel = self
                .0
                .get((part.dtype, ending, route), || kernel(device, part.dtype, ending, route));
            for (rows, columns) in watchdog::product(m, part.rows, k, recorder.most_work()) {
                let own = [rows.end, columns.end, k / 4, rows.start, columns.start, part.first];
                let params = [&own.map(|x| x as u32)[..], rest].concat();
                let buffers = [&[a, &part.buffer, w.bias][..], out].concat();
                let size = [columns.len().div_ceil(wide), rows.len().div_ceil(high)];
                let size = size.map(|x| x as u32);
                let cost = watchdog::product_cost(rows.len(), columns.len(), k);
                recorder.call(&kernel, &buffers, &params, [size[0], size[1], 1], cost)?;
            }
        }
        recorder.tally.work += 2 * m as u64 * w.matrix.rows as u64 * k as u64;
        Ok(())
    }
}

fn kernel(device: &Device, dtype: DType, ending: Ending, route: Route) -> Kernel {
    let body = match route {
        Route::Rows(rows) => include_str!("rows.wgsl")
            .replace("{ROWS}", &rows.to_string())
            .replace("{SUMS}", &(rows * 64).to_string()),
        Route::Tiles => include_str!("gemm.wgsl").to_owned(),
    };
    let source = |epilogue: &str| {
        let source = body.replacen("//head\n", include_str!("head.wgsl"), 1);
        let source = source.replacen("//epilogue", epilogue, 1);
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
