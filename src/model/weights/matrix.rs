//! Matrices and vectors of a model, and the stored tensors that their rows come from.

use std::ops::Range;
use std::rc::Rc;

use super::{SLICE_BYTES, SLICE_ROWS};
use crate::model::DType;

/// A matrix `[rows, columns]` of the model, and where its rows lie.
pub struct Matrix {
    /// Of every row: the stored type, or f32 where tensors of several types make one matrix.
    pub dtype: DType,
    pub rows: usize,
    pub columns: usize,
    pub(super) segments: Vec<Segment>,
}

/// A vector of the model, and where it lies.
pub struct Vector {
    pub length: usize,
    pub(super) segments: Vec<Segment>,
    /// Added to every number read: 1 where a family's gain is `1 + weight`.
    pub(super) plus: f32,
}

/// Neighbouring rows of a matrix that one stored tensor holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The stored tensor's name, for errors.
    pub tensor: Rc<str>,
    /// Which weight file.
    pub file: usize,
    /// Bytes of the whole stored tensor in that file.
    pub bytes: Range<u64>,
    pub dtype: DType,
    pub layout: Layout,
    /// Rows of the matrix.
    pub count: usize,
}

/// Where a segment's rows lie in the stored tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// They are its rows from `first` on.
    Rows { first: usize },
    /// They are its columns from `first` on, of `stride` in all: GPT-2 stores its matrices
    /// [in, out].
    Columns { first: usize, stride: usize },
}

impl Segment {
    /// Does `next` go on where this one ends? Then they are one.
    pub fn join(&mut self, next: &Self) -> bool {
        let layout = match self.layout {
            Layout::Rows { first } => Layout::Rows {
                first: first + self.count,
            },
            Layout::Columns { first, stride } => Layout::Columns {
                first: first + self.count,
                stride,
            },
        };
        let goes_on = next.tensor == self.tensor && next.layout == layout;
        if goes_on {
            self.count += next.count;
        }
        goes_on
    }

    /// The element of the stored tensor that is at `row` of the segment and `column` of the matrix.
    pub fn element(&self, row: usize, column: usize, columns: usize) -> u64 {
        match self.layout {
            Layout::Rows { first } => (first + row) as u64 * columns as u64 + column as u64,
            Layout::Columns { first, stride } => {
                column as u64 * stride as u64 + (first + row) as u64
            }
        }
    }
}

impl Matrix {
    pub(super) fn new(rows: usize, columns: usize, segments: Vec<Segment>) -> Self {
        let mut dtypes = segments.iter().map(|segment| segment.dtype);
        let first = dtypes.next().unwrap_or(DType::F32);
        let is_one = dtypes.all(|dtype| dtype == first);
        Self {
            dtype: if is_one { first } else { DType::F32 },
            rows,
            columns,
            segments,
        }
    }

    /// The slices in which a matrix is read: at most [`SLICE_BYTES`], each but the last a multiple of
    /// [`SLICE_ROWS`] rows.
    pub fn slices(&self) -> Vec<Range<usize>> {
        let a_row = self.dtype.bytes_of(self.columns as u64).max(1);
        let rows = (SLICE_BYTES / a_row) as usize / SLICE_ROWS * SLICE_ROWS;
        let rows = rows.max(SLICE_ROWS);
        let starts = (0..self.rows).step_by(rows);
        starts
            .map(|start| start..(start + rows).min(self.rows))
            .collect()
    }

    /// Numbers in it.
    pub fn numbers(&self) -> u64 {
        self.rows as u64 * self.columns as u64
    }

    /// Bytes of all its rows in its type.
    pub fn bytes(&self) -> u64 {
        self.dtype.bytes_of(self.numbers())
    }
}
