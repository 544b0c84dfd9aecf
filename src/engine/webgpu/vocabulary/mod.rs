//! Streams read by the whole vocabulary: see the README beside this file.

pub mod check;

use super::gather::RowIds;
use super::kernel::prelude::*;
use super::norm::NormVectors;
use super::watchdog;
use crate::model::shape::NormKind;

/// A stream as the sum of some kept rows.
pub struct SummedStream<'a> {
    pub kept_rows: &'a [u32],
    /// The stream whose scale the final norm has: its own index, or another's.
    pub scale_of: usize,
}

/// Logits, of which the first rows are read.
pub struct VocabularyLogits<'a> {
    /// `[read, V]`
    pub logits: &'a wgpu::Buffer,
    pub vocabulary: usize,
    /// Rows whose numbers are given back.
    pub rows: usize,
    pub top: usize,
    /// Ids followed per row.
    pub followed: usize,
    /// `[rows, 1 + followed]`: each row's reference, and its ids.
    pub lists: &'a RowIds,
}

/// Words that [`norm`] reads of streams: where each one's list begins, how long it is and whose scale it
/// has, then the lists.
pub fn list(streams: &[SummedStream]) -> Vec<u32> {
    let mut list = Vec::new();
    let mut next = 3 * streams.len();
    for stream in streams {
        list.extend([next, stream.kept_rows.len(), stream.scale_of].map(|word| word as u32));
        next += stream.kept_rows.len();
    }
    list.extend(streams.iter().flat_map(|stream| stream.kept_rows));
    list
}

/// `rows` streams, listed in `lists`, through the norm to `out` `[rows, D]`.
pub fn norm(
    recorder: &mut Recorder,
    kept: &wgpu::Buffer,
    (lists, rows): (&RowIds, usize),
    norm: NormVectors,
    out: &wgpu::Buffer,
) -> Result<(), GpuError> {
    let text = include_str!("rows.wgsl");
    let kernel = recorder.kernel("stream sums", &[Read, Read, Read, Read, Write], text);
    let is_centred = u32::from(norm.shape.kind == NormKind::Layer);
    let params = [
        rows as u32,
        (norm.width / 4) as u32,
        (norm.shape.eps as f32).to_bits(),
        is_centred,
        lists.first as u32,
        norm.width as u32,
    ];
    let buffers = [kept, &lists.buffer, norm.gain, norm.bias, out];
    recorder.call(&kernel, &buffers, &params, grid(rows, 1), 0)
}

/// Numbers of each of the first rows, to `out` from number `base` on.
pub fn run(
    recorder: &mut Recorder,
    from: &VocabularyLogits,
    out: &wgpu::Buffer,
    base: usize,
) -> Result<(), GpuError> {
    let text = include_str!("vocabulary.wgsl");
    let kernel = recorder.kernel("vocabulary", &[Read, Read, Write], text);
    let passes = 30 + 2 * (from.top + from.followed);
    let a_row = (passes * from.vocabulary) as u64;
    for rows in watchdog::rows(from.rows, a_row, recorder.most_work()) {
        let params = [
            rows.end,
            from.vocabulary,
            from.top,
            from.followed,
            from.lists.first,
            base,
            rows.start,
        ];
        let params = params.map(|x| x as u32);
        let buffers = [from.logits, &from.lists.buffer, out];
        let (size, cost) = (grid(rows.len(), 1), a_row * rows.len() as u64);
        recorder.call(&kernel, &buffers, &params, size, cost)?;
    }
    Ok(())
}
