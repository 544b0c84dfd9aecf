//! Matrices and vectors of a model, and the stored tensors that their rows come from.

use std::ops::Range;
use std::rc::Rc;

use super::{SLICE_BYTES, SLICE_ROWS};
use crate::model::DType;

/// A matrix `[rows, columns]` of the model, and where its rows lie.
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    /// The stored types of its rows, from the first on. Where tensors of several types meet in the
    /// middle of what backends lay out together, it is f32 as a whole.
    pub parts: Vec<TypedRows>,
    pub(super) segments: Vec<Segment>,
}

/// Neighbouring rows of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedRows {
    pub rows: usize,
    pub dtype: DType,
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
    pub layout: SegmentLayout,
    /// Rows of the matrix.
    pub count: usize,
}

/// Where a segment's rows lie in the stored tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentLayout {
    /// They are its rows from `first` on.
    Rows { first: usize },
    /// They are its rows from `first` on, but within each head of `width` rows those that turn
    /// together are neighbours: row j of a head's first half lies at 2 j, of its second at 2 j + 1.
    /// So GGUF stores Llama's queries and keys.
    Pairs { first: usize, width: usize },
    /// They are its rows from `first` on; from one row to the next and from one column to the next are so
    /// many numbers. So lie views of PyTorch's storages, and GPT-2's matrices, which are stored [in, out].
    Strided { first: usize, row: u64, column: u64 },
}

impl Segment {
    /// Appends `next` if it begins where this segment ends; returns whether it did.
    pub fn join(&mut self, next: &Self) -> bool {
        let layout = match self.layout {
            SegmentLayout::Rows { first } => SegmentLayout::Rows { first: first + self.count },
            SegmentLayout::Pairs { first, width } => {
                SegmentLayout::Pairs { first: first + self.count, width }
            }
            SegmentLayout::Strided { first, row, column } => {
                SegmentLayout::Strided { first: first + self.count, row, column }
            }
        };
        let goes_on = next.tensor == self.tensor && next.layout == layout;
        if goes_on {
            self.count += next.count;
        }
        goes_on
    }

    /// The element of the stored tensor that is at `row` of the segment and `column` of the matrix, counted
    /// as the numbers are stored.
    pub fn element(&self, row: usize, column: usize, columns: usize) -> u64 {
        match self.layout {
            SegmentLayout::Rows { first } => (first + row) as u64 * columns as u64 + column as u64,
            SegmentLayout::Strided { first, row: from_row, column: from_column } => {
                (first + row) as u64 * from_row + column as u64 * from_column
            }
            SegmentLayout::Pairs { first, width } => {
                let row = first + paired(row, width);
                row as u64 * columns as u64 + column as u64
            }
        }
    }
}

/// Where row `row` of heads `width` rows high lies among rows whose halves are interleaved.
pub(super) fn paired(row: usize, width: usize) -> usize {
    let (head, within) = (row / width, row % width);
    let half = width / 2;
    head * width + within % half * 2 + within / half
}

impl Matrix {
    pub(super) fn new(rows: usize, columns: usize, segments: Vec<Segment>) -> Self {
        let mut parts: Vec<TypedRows> = Vec::new();
        for &Segment { dtype, count, .. } in &segments {
            match parts.last_mut().filter(|last| last.dtype == dtype) {
                Some(last) => last.rows += count,
                None => parts.push(TypedRows { rows: count, dtype }),
            }
        }
        let (_, before) = parts.split_last().unzip();
        let fits = |part: &TypedRows| part.rows.is_multiple_of(SLICE_ROWS);
        if !before.unwrap_or_default().iter().all(fits) {
            let dtype = DType::F32;
            parts = vec![TypedRows { rows, dtype }];
        }
        Self { rows, columns, parts, segments }
    }

    /// The type of row `row`.
    pub fn dtype_of(&self, row: usize) -> DType {
        let mut end = 0;
        let part = self.parts.iter().find(|part| {
            end += part.rows;
            row < end
        });
        part.map_or(DType::F32, |part| part.dtype)
    }

    /// The types of its rows.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> {
        self.parts.iter().map(|part| part.dtype)
    }

    /// The slices in which a matrix is read: of one type each, at most [`SLICE_BYTES`], each but the
    /// last a multiple of [`SLICE_ROWS`] rows.
    pub fn slices(&self) -> Vec<Range<usize>> {
        let mut slices = Vec::new();
        let mut first = 0;
        for part in &self.parts {
            let a_row = part.dtype.bytes_of(self.columns as u64).max(1);
            let rows = (SLICE_BYTES / a_row) as usize / SLICE_ROWS * SLICE_ROWS;
            let rows = rows.max(SLICE_ROWS);
            let end = first + part.rows;
            let starts = (first..end).step_by(rows);
            slices.extend(starts.map(|start| start..(start + rows).min(end)));
            first = end;
        }
        slices
    }

    /// Numbers in it.
    pub fn numbers(&self) -> u64 {
        self.rows as u64 * self.columns as u64
    }

    /// Bytes of all its rows in their types.
    pub fn bytes(&self) -> u64 {
        self.bytes_in(None)
    }

    /// Counts the matrix's bytes if all of it were in `dtype`; `None`: in its stored types.
    pub fn bytes_in(&self, dtype: Option<DType>) -> u64 {
        let parts = self.parts.iter().map(|part| {
            let numbers = part.rows as u64 * self.columns as u64;
            dtype.unwrap_or(part.dtype).bytes_of(numbers)
        });
        parts.sum()
    }
}
