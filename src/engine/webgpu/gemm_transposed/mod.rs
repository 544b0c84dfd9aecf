//! `out[m, k] = sum_n a[m, n] w[n, k]`: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use super::matrix::{GpuMatrix, specialise};
use super::template::unroll;
use super::watchdog::{self, TILE};
use crate::model::DType;

/// A pipeline for each stored type and route.
#[derive(Default)]
pub struct GemmTransposedKernel(Variants<(DType, TransposedRoute)>);

/// How a product is shared out, by the rows of `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TransposedRoute {
    /// At most so many rows: threads share the sums over n.
    Rows(usize),
    /// 32 x 32 outputs a workgroup.
    Tiles,
}

impl TransposedRoute {
    fn of(m: usize) -> Self {
        match m {
            0..=1 => Self::Rows(1),
            2..=4 => Self::Rows(4),
            5..=8 => Self::Rows(8),
            _ => Self::Tiles,
        }
    }

    /// Rows that a workgroup makes, of 32 columns.
    fn makes(self) -> usize {
        match self {
            Self::Rows(rows) => rows,
            Self::Tiles => TILE,
        }
    }
}

impl GemmTransposedKernel {
    /// `a` `[m, n]` times `w` `[n, k]`, to `out` `[m, k]`.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        a: &wgpu::Buffer,
        m: usize,
        w: &GpuMatrix,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let k = w.columns;
        let device = recorder.device;
        let route = TransposedRoute::of(m);
        for part in &w.parts {
            let kernel = self.0.get((part.dtype, route), || kernel(device, part.dtype, route));
            for (rows, columns) in watchdog::product(m, k, part.rows, recorder.most_work()) {
                let params = [
                    rows.end,
                    columns.end / 4,
                    part.rows,
                    rows.start,
                    columns.start / 4,
                    part.first,
                    w.rows,
                    k / 4,
                    usize::from(part.first > 0),
                ];
                let size = [columns.len().div_ceil(TILE), rows.len().div_ceil(route.makes())];
                let [wide, high] = size.map(|x| x as u32);
                let cost = watchdog::product_cost(rows.len(), columns.len(), part.rows);
                let (buffers, params) = ([a, &part.buffer, out], params.map(|x| x as u32));
                recorder.call(&kernel, &buffers, &params, [wide, high, 1], cost)?;
            }
        }
        recorder.tally.work += 2 * m as u64 * w.rows as u64 * k as u64;
        Ok(())
    }
}

fn kernel(device: &Device, dtype: DType, route: TransposedRoute) -> Kernel {
    let body = match route {
        TransposedRoute::Rows(rows) => include_str!("rows.wgsl")
            .replace("{ROWS}", &rows.to_string())
            .replace("{SUMS}", &(rows * 64).to_string()),
        TransposedRoute::Tiles => include_str!("tiles.wgsl").to_owned(),
    };
    let source = body.replacen("//head\n", include_str!("head.wgsl"), 1);
    let source = unroll(&specialise(dtype, &source));
    Kernel::new(device, "transposed gemm", &source, &[Read, Read, Write])
}
