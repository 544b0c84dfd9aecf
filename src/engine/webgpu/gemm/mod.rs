//! `out[m, n] = sum_k a[m, k] w[n, k] + bias[n]`: see the README beside this file.

pub mod check;

use std::rc::Rc;

use super::kernel::Kernel;
use super::kernel::prelude::*;
use super::matrix::{GpuMatrix, specialise};
use super::member::{self, MemberSink};
use super::template::unroll;
use super::watchdog::{self, TILE};
use crate::model::DType;

/// The end of a kernel, which stores the product, and its bindings.
struct Ending {
    label: &'static str,
    source: [&'static str; 2],
    accesses: &'static [Access],
}

const PLAIN: Ending = Ending {
    label: "gemm",
    source: ["", include_str!("plain.wgsl")],
    accesses: &[Read, Read, Read, Write],
};

const MEMBER: Ending = Ending {
    label: "gemm to members",
    source: [member::SOURCE, include_str!("member.wgsl")],
    accesses: &[Read, Read, Read, Write, Write, Write, Read, Read],
};

/// A matrix, and what is added to its products.
#[derive(Clone, Copy)]
pub struct Linear<'a> {
    pub matrix: &'a GpuMatrix,
    /// `[rows of the matrix]`, or more.
    pub bias: &'a wgpu::Buffer,
}

/// `a` `[m, k]` times `w` `[n, k]` transposed, to `out` `[m, n]`, which begins at number `base`.
pub fn run(
    recorder: &mut Recorder,
    a: &wgpu::Buffer,
    m: usize,
    w: Linear,
    out: &wgpu::Buffer,
    base: usize,
) -> Result<(), GpuError> {
    let rest = [w.matrix.rows as u32, base as u32];
    dispatch(recorder, PLAIN, (a, m), w, &[out], &rest)
}

/// `a` `[steps N, k]` times `w` `[D, k]` transposed: members `[steps N, D]`.
pub fn run_members(
    recorder: &mut Recorder,
    a: &wgpu::Buffer,
    m: usize,
    w: Linear,
    to: &MemberSink,
) -> Result<(), GpuError> {
    let rest =
        [0, 0, to.tables.rows as u32, to.first_step as u32, w.matrix.rows as u32, to.flags()];
    dispatch(recorder, MEMBER, (a, m), w, &to.buffers(), &rest)
}

/// Records a product of `a` `[m, K]` and a matrix, part by part, by the route that suits `m`.
fn dispatch(
    recorder: &mut Recorder,
    ending: Ending,
    (a, m): (&wgpu::Buffer, usize),
    w: Linear,
    out: &[&wgpu::Buffer],
    rest: &[u32],
) -> Result<(), GpuError> {
    let k = w.matrix.columns;
    // Up to 16 rows, threads share the sums over k, for what takes time is reading `w`.
    let few = [1, 4, 16].into_iter().find(|&rows| m <= rows);
    let [high, wide] = few.map_or([TILE; 2], |rows| [rows, 8]);
    for part in &w.matrix.parts {
        let kernel = kernel(recorder, part.dtype, &ending, few);
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

/// The kernel of at most `few` rows, or of tiles.
fn kernel(recorder: &Recorder, dtype: DType, ending: &Ending, few: Option<usize>) -> Rc<Kernel> {
    let numbers = [dtype as usize, few.unwrap_or(TILE)];
    recorder.variant(ending.label, &numbers, ending.accesses, || {
        let body = match few {
            Some(rows) => include_str!("rows.wgsl")
                .replace("{ROWS}", &rows.to_string())
                .replace("{SUMS}", &(rows * 64).to_string()),
            None => include_str!("gemm.wgsl").to_owned(),
        };
        let source = body.replacen("//head\n", include_str!("head.wgsl"), 1);
        let source = source.replacen("//epilogue", &ending.source.concat(), 1);
        unroll(&specialise(dtype, &source))
    })
}
