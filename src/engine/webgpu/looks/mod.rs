//! Attention weights and value-weighted attention: see the README beside this file.

pub mod check;

use super::attention::{window, with_heads};
use super::gather::RowIds;
use super::gemm::{self, Linear};
use super::kernel::prelude::*;
use super::watchdog;
use crate::model::shape::AttentionShape;
use crate::plan::HeadsOff;

/// In a list of heads: this one is off.
const OFF: u32 = 1 << 31;

/// The attention whose weights are read, and the heads and positions that are asked for.
pub struct Looks<'a> {
    pub shape: &'a AttentionShape,
    /// `[steps N, (H + 2 KV) W]`, turned.
    pub qkv: &'a wgpu::Buffer,
    /// The sequence's first row there, and its T.
    pub span: (usize, usize),
    /// As [`list`] says: H' heads, then Q positions.
    pub list: &'a RowIds,
    pub heads: usize,
    /// The output matrix, without its bias.
    pub out: Linear<'a>,
}

/// Work buffers `[H' T, H W]` and `[H' T, D]`, H' the number of heads that go through at once.
pub struct LooksRoom<'a> {
    pub values: &'a wgpu::Buffer,
    pub through: &'a wgpu::Buffer,
}

/// Heads, of which those that are off carry nothing, and the positions that look.
pub fn list(heads: &[usize], off: HeadsOff, queries: &[usize]) -> Vec<u32> {
    let head = |&head: &usize| head as u32 | if off.contains(head) { OFF } else { 0 };
    let queries = queries.iter().map(|&query| query as u32);
    heads.iter().map(head).chain(queries).collect()
}

/// Weights `[H', Q, T]` to `out` from number `base` on, and what they carry behind all of them;
/// `at_once` heads at a time.
pub fn run(
    recorder: &mut Recorder,
    looks: &Looks,
    room: &LooksRoom,
    at_once: usize,
    (out, base): (&wgpu::Buffer, usize),
) -> Result<(), GpuError> {
    let shape = looks.shape;
    let numbers = [shape.heads, shape.kv_heads, shape.head_width];
    let spread = recorder.variant("spread values", &numbers, &[Read, Read, Write], || {
        with_numbers(include_str!("spread.wgsl"), shape)
    });
    let kernel = recorder.variant("looks", &numbers, &[Read, Read, Read, Write], || {
        with_numbers(include_str!("looks.wgsl"), shape)
    });

    let (first_row, tokens) = looks.span;
    let (queries, width) = (looks.list.count - looks.heads, looks.out.matrix.rows);
    let carried = looks.heads * queries * tokens;

    for first in (0..looks.heads).step_by(at_once) {
        let heads = at_once.min(looks.heads - first);
        let first_head = looks.list.first + first;
        let rows = heads * tokens;
        let params = [first_row, tokens, heads, first_head].map(|x| x as u32);
        let buffers = [looks.qkv, &looks.list.buffer, room.values];
        let fours = rows * shape.attended_width() / 4;
        recorder.call(&spread, &buffers, &params, grid(fours, 64), 0)?;
        gemm::run(recorder, room.values, rows, looks.out, room.through, 0)?;

        let a_pair = (tokens * 2 * (shape.head_width + width)) as u64;
        for pairs in watchdog::rows(heads * queries, a_pair, recorder.most_work()) {
            let params = [
                first_row,
                tokens,
                queries,
                looks.list.first + looks.heads,
                pairs.end,
                first_head,
                window(shape) as usize,
                width / 4,
                base + first * queries * tokens,
                carried,
                pairs.start,
            ];
            let params = params.map(|x| x as u32);
            let buffers = [looks.qkv, &looks.list.buffer, room.through, out];
            let (size, cost) = (grid(pairs.len(), 1), a_pair * pairs.len() as u64);
            recorder.call(&kernel, &buffers, &params, size, cost)?;
        }
    }
    Ok(())
}

fn with_numbers(source: &str, shape: &AttentionShape) -> String {
    let four = (shape.head_width / 4).to_string();
    with_heads(source, shape).replace("{W4}", &four)
}
