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
use crate::model::weights::{ByteLines, Parts, Source};

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
        let slice = blob
            .slice_with_f64_and_f64(range.start as f64, range.end as f64)
            .map_err(|_| unreadable())?;
        load(name, &slice, range.end - range.start)
    }
}

/// All bytes of a blob of the file called `name`.
fn load(name: &str, blob: &Blob, length: u64) -> Result<Vec<u8>, ModelError> {
    let unreadable = || ModelError::Unreadable { file: name.into() };
    let reader = FileReaderSync::new().map_err(|_| unreadable())?;
    let buffer = reader.read_as_array_buffer(blob).map_err(|_| unreadable())?;
    let bytes = js_sys::Uint8Array::new(&buffer.into()).to_vec();
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(unreadable()) }
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

    /// All parts in one read: a blob may be made of slices of another.
    fn read_lines(&self, file: usize, lines: &ByteLines) -> Result<Parts<'_>, ModelError> {
        let (name, blob) = &self.files[file];
        let unreadable = |_| ModelError::Unreadable { file: name.clone() };
        let length = lines.part.end - lines.part.start;
        let bytes = if length == lines.length {
            self.fetch(file, &lines.whole())?
        } else {
            let slices = js_sys::Array::new();
            for part in lines.parts() {
                let slice = blob.slice_with_f64_and_f64(part.start as f64, part.end as f64);
                let slice: Blob = slice.map_err(unreadable)?;
                slices.push(&slice);
            }
            let together = Blob::new_with_blob_sequence(&slices).map_err(unreadable)?;
            load(name, &together, length * lines.count)?
        };
        Ok(Parts::together(bytes, lines))
    }
}
