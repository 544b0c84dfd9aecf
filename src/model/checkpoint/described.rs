//! A tensor as a file's header describes it, and how headers are read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::{DType, ModelError};

/// Reads a range of a file's bytes.
pub type ReadRange<'a, 'b> = &'b dyn Fn(Range<u64>) -> Result<Cow<'a, [u8]>, ModelError>;

/// The tensors of a file, by name.
pub type FileTensors = BTreeMap<String, Described>;

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
