//! `out[m, k] = sum_n a[m, n] w[n, k]`: see the README beside this file.

pub mod check;

use std::rc::Rc;

use super::kernel::Kernel;
use super::kernel::prelude::*;
use super::matrix::{GpuMatrix, specialise};
use super::template::unroll;
use super::watchdog::{self, TILE};
use crate::model::DType;

/// `a` `[m, n]` times `w` `[n, k]`, to `out` `[m, k]`.
pub fn run(
    recorder: &mut Recorder,
    a: &wgpu::Buffer,
    m: usize,
    w: &GpuMatrix,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let k = w.columns;
    // Up to 8 rows, threads share the sums over n.
    let few = [1, 4, 8].into_iter().find(|&rows| m <= rows);
    for part in &w.parts {
        let kernel = kernel(recorder, part.dtype, few);
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
            let size = [columns.len().div_ceil(TILE), rows.len().div_ceil(few.unwrap_or(TILE))];
            let [wide, high] = size.map(|x| x as u32);
            let cost = watchdog::product_cost(rows.len(), columns.len(), part.rows);
            let (buffers, params) = ([a, &part.buffer, out], params.map(|x| x as u32));
            recorder.call(&kernel, &buffers, &params, [wide, high, 1], cost)?;
        }
    }
    recorder.tally.work += 2 * m as u64 * w.rows as u64 * k as u64;
    Ok(())
}

/// The kernel of at most `few` rows, or of tiles.
fn kernel(recorder: &Recorder, dtype: DType, few: Option<usize>) -> Rc<Kernel> {
    let numbers = [dtype as usize, few.unwrap_or(TILE)];
    recorder.variant("transposed gemm", &numbers, &[Read, Read, Write], || {
        let body = match few {
            Some(rows) => include_str!("rows.wgsl")
                .replace("{ROWS}", &rows.to_string())
                .replace("{SUMS}", &(rows * 64).to_string()),
            None => include_str!("tiles.wgsl").to_owned(),
        };
        let source = body.replacen("//head\n", include_str!("head.wgsl"), 1);
        unroll(&specialise(dtype, &source))
    })
}
