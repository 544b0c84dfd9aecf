//! A tensor as a file's header describes it.

use std::ops::Range;

use crate::model::DType;

/// A tensor of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    pub dtype: HeaderType,
    /// Outermost side first, whatever the format's own order.
    pub shape: Vec<u64>,
    /// Bytes of the file, from its first number to its last.
    pub bytes: Range<u64>,
    /// Numbers from one index of each side to the next; `None`: row by row, one behind the other.
    pub strides: Option<Vec<u64>>,
}

/// A type of numbers that a header may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderType {
    pub name: &'static str,
    /// The type that weights are read in, if it is one.
    pub dtype: Option<DType>,
}
