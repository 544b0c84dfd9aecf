//! Ranges of files that the reader opened or the page fetched, read while the worker waits: weights
//! come out of them when an engine asks, and are in no memory before.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use web_sys::{Blob, FileReaderSync};

use crate::model::stored::Source;
use crate::model::{ModelError, ModelFiles};

/// A model's weight files.
pub struct Blobs {
    files: Vec<(String, Rc<Blob>)>,
}

impl Blobs {
    pub fn of(files: &ModelFiles<Blob>) -> Self {
        let files = files.weights.clone();
        Self { files }
    }

    /// Bytes of every file.
    pub fn sizes(&self) -> Vec<u64> {
        let sizes = self.files.iter().map(|(_, file)| file.size() as u64);
        sizes.collect()
    }
}

impl Source for Blobs {
    fn read(&self, file: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
        let (name, file) = &self.files[file];
        let unreadable = || ModelError::Unreadable { file: name.clone() };
        let slice = file.slice_with_f64_and_f64(range.start as f64, range.end as f64);
        let slice = slice.map_err(|_| unreadable())?;
        let reader = FileReaderSync::new().map_err(|_| unreadable())?;
        let buffer = reader.read_as_array_buffer(&slice);
        let buffer = buffer.map_err(|_| unreadable())?;
        let bytes = js_sys::Uint8Array::new(&buffer.into()).to_vec();
        if bytes.len() as u64 == range.end.saturating_sub(range.start) {
            Ok(Cow::Owned(bytes))
        } else {
            Err(unreadable())
        }
    }
}
