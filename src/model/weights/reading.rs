//! Rows of matrices out of the bytes of stored tensors: borrowed where they lie together in memory,
//! else put together; every number looked at on its first way.

use std::borrow::Cow;
use std::ops::Range;

use super::SLICE_BYTES;
use super::finite::{FiniteParts, first_not_finite};
use super::matrix::{Segment, SegmentLayout, paired};
use super::source::{ByteLines, Source};
use crate::model::{DType, ModelError};

/// Numbers of a side of the tiles in which a matrix is transposed: a tile's lines stay in cache.
const TILE: usize = 32;

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
            SegmentLayout::Columns { first, stride } => {
                let from = first + rows.start..first + rows.end;
                let transposed = match segment.dtype {
                    DType::F32 => self.transposed::<4>(segment, columns, stride, from)?,
                    DType::F16 | DType::Bf16 => {
                        self.transposed::<2>(segment, columns, stride, from)?
                    }
                    // Only safetensors hold matrices that way, which have no blocks.
                    blocks => {
                        return Err(ModelError::Dtype {
                            tensor: segment.tensor.escape_debug().to_string(),
                            file: self.files[segment.file].clone(),
                            found: blocks.name().into(),
                        });
                    }
                };
                Cow::Owned(transposed)
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

    /// Columns `from` of a stored `[columns, stride]`, as rows; a few stored rows at a time, and of
    /// each the columns asked for, so that a matrix in slices is fetched once.
    fn transposed<const N: usize>(
        &self,
        segment: &Segment,
        columns: usize,
        stride: usize,
        from: Range<usize>,
    ) -> Result<Vec<u8>, ModelError> {
        let mut out = vec![0; from.len() * columns * N];
        let (turned, _) = out.as_chunks_mut::<N>();
        let a_row = (stride * N) as u64;
        let at_once = ((SLICE_BYTES / a_row.max(1)) as usize).max(1);
        for above in (0..columns).step_by(at_once) {
            let below = (above + at_once).min(columns);
            let lines = ByteLines {
                start: segment.bytes.start + above as u64 * a_row,
                length: a_row,
                count: (below - above) as u64,
                part: (from.start * N) as u64..(from.end * N) as u64,
            };
            let parts = self.source.read_lines(segment.file, &lines)?;
            let (stored, _) = parts.bytes[parts.first..].as_chunks::<N>();
            let stride = parts.stride / N;
            for column in (above..below).step_by(TILE) {
                for row in (0..from.len()).step_by(TILE) {
                    for r in row..(row + TILE).min(from.len()) {
                        let to = &mut turned[r * columns..][..columns];
                        for c in column..(column + TILE).min(below) {
                            to[c] = stored[(c - above) * stride + r];
                        }
                    }
                }
            }
        }
        Ok(out)
    }
}
