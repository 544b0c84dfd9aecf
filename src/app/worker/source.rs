//! Weight files that are the browser's: read where they lie, while this worker waits.
//!
//! Only workers may read a file synchronously, and only so can a run ask for the few rows of an
//! embedding that it needs in the middle of its work.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use web_sys::{Blob, FileReaderSync};

use crate::model::ModelError;
use crate::model::weights::Source;

/// Reads of at most so many bytes are kept: rows of embeddings, which come again with every prompt.
const SMALL: u64 = 64 << 10;

/// Bytes that are kept at most; then all are forgotten.
const KEPT: usize = 16 << 20;

pub struct BlobSource {
    files: Vec<(String, Rc<Blob>)>,
    kept: RefCell<Kept>,
}

#[derive(Default)]
struct Kept {
    bytes: usize,
    reads: HashMap<(usize, u64), Vec<u8>>,
}

impl BlobSource {
    pub fn new(files: &[(String, Rc<Blob>)]) -> Self {
        Self { files: files.to_vec(), kept: RefCell::default() }
    }

    fn fetch(&self, file: usize, range: &Range<u64>) -> Result<Vec<u8>, ModelError> {
        let (name, blob) = &self.files[file];
        let unreadable = || ModelError::Unreadable { file: name.clone() };
        let length = range.end - range.start;
        let slice = blob
            .slice_with_f64_and_f64(range.start as f64, range.end as f64)
            .map_err(|_| unreadable())?;
        let reader = FileReaderSync::new().map_err(|_| unreadable())?;
        let buffer = reader.read_as_array_buffer(&slice).map_err(|_| unreadable())?;
        let bytes = js_sys::Uint8Array::new(&buffer.into()).to_vec();
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(unreadable()) }
    }
}

impl Source for BlobSource {
    fn read(&self, file: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
        let length = range.end.saturating_sub(range.start);
        if length > SMALL {
            return self.fetch(file, &range).map(Cow::Owned);
        }
        let mut kept = self.kept.borrow_mut();
        let key = (file, range.start);
        if let Some(bytes) = kept.reads.get(&key)
            && bytes.len() as u64 == length
        {
            return Ok(Cow::Owned(bytes.clone()));
        }
        let bytes = self.fetch(file, &range)?;
        if kept.bytes + bytes.len() > KEPT {
            *kept = Kept::default();
        }
        kept.bytes += bytes.len();
        kept.reads.insert(key, bytes.clone());
        Ok(Cow::Owned(bytes))
    }

    fn is_at_hand(&self) -> bool {
        false
    }
}
