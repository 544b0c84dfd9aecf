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

    /// A part of each of several lines of weight file `file`, no byte beside it where bytes must be
    /// fetched.
    ///
    /// # Errors
    /// As [`Self::read`].
    fn read_lines(&self, file: usize, lines: &ByteLines) -> Result<Parts<'_>, ModelError> {
        let mut bytes = Vec::new();
        for part in lines.parts() {
            bytes.extend_from_slice(&self.read(file, part)?);
        }
        Ok(Parts::together(bytes, lines))
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

/// Neighbouring lines of bytes, and which bytes of each are wanted.
#[derive(Clone, Debug)]
pub struct ByteLines {
    /// Where the first line begins.
    pub start: u64,
    /// Bytes of a line.
    pub length: u64,
    pub count: u64,
    /// The bytes of each line that are wanted.
    pub part: Range<u64>,
}

impl ByteLines {
    /// Bytes of all lines, from first to last.
    pub fn whole(&self) -> Range<u64> {
        self.start..self.start + self.count * self.length
    }

    /// The bytes wanted: one range a line.
    pub fn parts(&self) -> impl Iterator<Item = Range<u64>> {
        let starts = (0..self.count).map(|line| self.start + line * self.length);
        starts.map(|start| start + self.part.start..start + self.part.end)
    }
}

/// Parts of lines, as far apart as it cost least to have them.
pub struct Parts<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// Where the first part begins in `bytes`.
    pub first: usize,
    /// Bytes from one part's beginning to the next one's.
    pub stride: usize,
}

impl Parts<'_> {
    /// One directly after the other.
    pub fn together(bytes: Vec<u8>, lines: &ByteLines) -> Self {
        Self {
            bytes: Cow::Owned(bytes),
            first: 0,
            stride: (lines.part.end - lines.part.start) as usize,
        }
    }
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

    /// Whole lines: what nobody looks at costs nothing.
    fn read_lines(&self, file: usize, lines: &ByteLines) -> Result<Parts<'_>, ModelError> {
        Ok(Parts {
            bytes: self.read(file, lines.whole())?,
            first: lines.part.start as usize,
            stride: lines.length as usize,
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
