//! Where bytes of the model's weight files come from: mapped pages, memory, a browser's file.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::model::{FileBytes, ModelError, ModelFiles};

/// Ranges of the model's weight files.
pub trait Source {
    /// Bytes `range` of weight file `file`.
    ///
    /// # Errors
    /// The file cannot be read there (any more).
    fn read(&self, file: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError>;

    /// Whether the bytes are in this program's memory or mapped into it, so that [`Self::read`] costs nothing.
    fn is_at_hand(&self) -> bool {
        true
    }

    /// Checks that the files are what they were when they were opened: bytes that were read where they
    /// lie, and what was computed of them, are right only if this holds afterwards. A source that fetches
    /// bytes refuses in [`Self::read`].
    ///
    /// # Errors
    /// [`ModelError::Changed`]
    fn check_unchanged(&self) -> Result<(), ModelError> {
        Ok(())
    }

    /// Says that what was read so far will not be read again soon, so that the system keeps no
    /// second copy beside what was made of it.
    fn release(&self) {}
}

/// Files all of whose bytes are at hand.
pub struct BytesAtHand {
    files: Vec<(String, Rc<FileBytes>)>,
}

impl BytesAtHand {
    /// Makes a source of all of a model's weight files.
    pub fn of(files: &ModelFiles) -> Self {
        let files = files.weights.clone();
        Self { files }
    }
}

impl Source for BytesAtHand {
    fn read(&self, file: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
        let (name, bytes) = &self.files[file];
        bytes.check_unchanged()?;
        let at = |byte: u64| usize::try_from(byte).ok();
        let range_here = at(range.start).zip(at(range.end));
        let found = range_here.and_then(|(start, end)| bytes.get(start..end));
        found.map(Cow::Borrowed).ok_or_else(|| ModelError::Truncated {
            file: name.clone(),
            expected: range.end,
            found: bytes.len() as u64,
        })
    }

    fn check_unchanged(&self) -> Result<(), ModelError> {
        self.files.iter().try_for_each(|(_, bytes)| bytes.check_unchanged())
    }

    fn release(&self) {
        for (_, bytes) in &self.files {
            bytes.release();
        }
    }
}
