//! Rows of matrices out of the bytes of stored tensors: borrowed where they lie together in memory,
//! else put together; every number looked at on its first way.

use std::borrow::Cow;
use std::ops::Range;

use super::SLICE_BYTES;
use super::finite::{FiniteParts, first_not_finite};
use super::matrix::{Segment, SegmentLayout, paired};
use super::source::Source;
use crate::model::{DType, ModelError};

/// Numbers of a side of the tiles in which a view is gathered: a tile's lines stay in cache.
const TILE: usize = 32;

/// Rows of a stored tensor that lie in steps, and how many numbers lead from one to the next row and column.
struct StridedRows {
    rows: Range<usize>,
    row: u64,
    column: u64,
}

/// Reads segments of a checkpoint's files.
pub struct SegmentReader<'a> {
    pub source: &'a dyn Source,
    /// Names of the weight files, for errors.
    pub files: &'a [String],
    pub finite: &'a FiniteParts,
}

impl<'a> SegmentReader<'a> {
    /// Rows `rows` of a matrix of these segments, as numbers of `dtype`.
    ///
    /// # Errors
    /// The file cannot be read; a NaN or an infinity among the numbers.
    pub fn rows(
        &self,
        segments: &[Segment],
        columns: usize,
        dtype: DType,
        rows: Range<usize>,
    ) -> Result<Cow<'a, [u8]>, ModelError> {
        let mut parts = Vec::new();
        let mut start = 0;
        for segment in segments {
            let end = start + segment.count;
            let (from, to) = (rows.start.max(start), rows.end.min(end));
            if from < to {
                parts.push((segment, from - start..to - start));
            }
            start = end;
        }
        if let [(segment, rows)] = &parts[..]
            && segment.dtype == dtype
        {
            return self.part(segment, columns, rows.clone());
        }
        let bytes = dtype.bytes_of(rows.len() as u64 * columns as u64);
        let mut out = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
        for (segment, rows) in parts {
            let part = self.part(segment, columns, rows)?;
            if segment.dtype == dtype {
                out.extend_from_slice(&part);
            } else {
                let mut wide = Vec::new();
                segment.dtype.widen(&part, &mut wide);
                out.extend(wide.into_iter().flat_map(f32::to_le_bytes));
            }
        }
        Ok(Cow::Owned(out))
    }

    /// Rows of a segment, in its own type.
    fn part(
        &self,
        segment: &Segment,
        columns: usize,
        rows: Range<usize>,
    ) -> Result<Cow<'a, [u8]>, ModelError> {
        // The bytes, where rows are given as they lie in the file.
        let mut lying = None;
        let part = match segment.layout {
            SegmentLayout::Rows { first } => {
                let at = |row: usize| {
                    let numbers = (first + row) as u64 * columns as u64;
                    segment.bytes.start + segment.dtype.bytes_of(numbers)
                };
                let range = at(rows.start)..at(rows.end);
                let part = self.source.read(segment.file, range.clone())?;
                if self.finite.has(segment.file, &range) {
                    return Ok(part);
                }
                lying = Some(range);
                part
            }
            SegmentLayout::Pairs { first, width } => {
                Cow::Owned(self.paired(segment, columns, (first, width), rows.clone())?)
            }
            SegmentLayout::Strided { first, row, column } => {
                let view = StridedRows { rows: first + rows.start..first + rows.end, row, column };
                Cow::Owned(match segment.dtype {
                    DType::F32 => self.gathered::<4>(segment, columns, &view)?,
                    DType::F16 | DType::Bf16 => self.gathered::<2>(segment, columns, &view)?,
                    blocks => return Err(self.blocks(segment, blocks)),
                })
            }
        };
        match first_not_finite(segment.dtype, &part) {
            None => {
                if let Some(range) = lying {
                    self.finite.remember(segment.file, range);
                }
                Ok(part)
            }
            Some(at) => {
                let mut value = Vec::new();
                let (count, size) = (segment.dtype.block(), segment.dtype.block_bytes());
                let block = &part[at / count * size..][..size];
                segment.dtype.widen(block, &mut value);
                Err(ModelError::NotFinite {
                    tensor: segment.tensor.escape_debug().to_string(),
                    file: self.files[segment.file].clone(),
                    element: segment.element(rows.start + at / columns, at % columns, columns),
                    value: value.first().copied().unwrap_or(f32::NAN),
                })
            }
        }
    }

    /// Only safetensors and PyTorch's files hold matrices in steps, which have no blocks.
    fn blocks(&self, segment: &Segment, blocks: DType) -> ModelError {
        ModelError::Dtype {
            tensor: segment.tensor.escape_debug().to_string(),
            file: self.files[segment.file].clone(),
            found: blocks.name().into(),
        }
    }

    /// Rows that lie in steps, put together of pieces of the file of at most [`SLICE_BYTES`] each.
    fn gathered<const N: usize>(
        &self,
        segment: &Segment,
        columns: usize,
        view: &StridedRows,
    ) -> Result<Vec<u8>, ModelError> {
        let rows = view.rows.len();
        let mut out = vec![0; rows * columns * N];
        let (gathered, _) = out.as_chunks_mut::<N>();

        // A piece holds as many columns as it can in its half, and then as many rows.
        let most = SLICE_BYTES / N as u64 - 1;
        let fitting = |left: u64, stride: u64, all: usize| match left.checked_div(stride) {
            Some(steps) => all.min(usize::try_from(steps).unwrap_or(all).saturating_add(1)),
            None => all,
        };
        let wide = fitting(most / 2, view.column, columns);
        let left = most.saturating_sub((wide as u64 - 1) * view.column);
        let high = fitting(left, view.row, rows);
        for top in (0..rows).step_by(high) {
            for start in (0..columns).step_by(wide) {
                let (bottom, end) = ((top + high).min(rows), (start + wide).min(columns));
                let number = |row: usize, column: usize| {
                    (view.rows.start + row) as u64 * view.row + column as u64 * view.column
                };
                let first = number(top, start);
                let place = |number: u64| segment.bytes.start + number * N as u64;
                let piece = place(first)..place(number(bottom - 1, end - 1) + 1);
                let stored = self.source.read(segment.file, piece)?;
                let (stored, _) = stored.as_chunks::<N>();
                for tile_top in (top..bottom).step_by(TILE) {
                    for tile_start in (start..end).step_by(TILE) {
                        for row in tile_top..(tile_top + TILE).min(bottom) {
                            for column in tile_start..(tile_start + TILE).min(end) {
                                let from = (number(row, column) - first) as usize;
                                gathered[row * columns + column] = stored[from];
                            }
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// Rows of heads whose halves are stored interleaved: the heads that hold them are read whole.
    fn paired(
        &self,
        segment: &Segment,
        columns: usize,
        (first, width): (usize, usize),
        rows: Range<usize>,
    ) -> Result<Vec<u8>, ModelError> {
        let a_row = segment.dtype.bytes_of(columns as u64);
        let heads = rows.start / width * width..rows.end.next_multiple_of(width);
        let at = |row: usize| segment.bytes.start + (first + row) as u64 * a_row;
        let range = at(heads.start)..at(heads.end);
        let stored = self.source.read(segment.file, range)?;
        let a_row = a_row as usize;
        let mut out = Vec::with_capacity(rows.len() * a_row);
        for row in rows {
            let from = (paired(row, width) - heads.start) * a_row;
            out.extend_from_slice(&stored[from..from + a_row]);
        }
        Ok(out)
    }
}
