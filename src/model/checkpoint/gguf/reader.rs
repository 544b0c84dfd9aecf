//! A header, read from its beginning on, a window of the file at a time.

use crate::model::ModelError;
use crate::model::checkpoint::described::ReadRange;

/// Bytes asked for at once (more where one text is longer).
const WINDOW: u64 = 1 << 20;

/// Bytes of a header at most: vocabularies and merges of the largest models take 20 MB.
const LONGEST_HEADER: u64 = 256 << 20;

/// Bytes of one text at most.
const LONGEST_TEXT: u64 = 64 << 20;

pub struct HeaderReader<'a, 'b> {
    file: &'b str,
    size: u64,
    ask: ReadRange<'a, 'b>,
    at: u64,
    /// Bytes of the file from `start` on.
    window: Vec<u8>,
    start: u64,
}

impl<'a, 'b> HeaderReader<'a, 'b> {
    pub fn new(file: &'b str, size: u64, ask: ReadRange<'a, 'b>) -> Self {
        Self { file, size, ask, at: 0, window: Vec::new(), start: 0 }
    }

    pub fn file(&self) -> &str {
        self.file
    }

    /// Bytes read so far.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The next `count` bytes.
    pub fn bytes(&mut self, count: u64) -> Result<&[u8], ModelError> {
        let left = self.size - self.at;
        if count > left {
            return Err(self.error(&format!(
                "its header goes on past the {} bytes that it has: it was cut off or is damaged",
                self.size
            )));
        }
        if self.at + count > LONGEST_HEADER {
            return Err(self.error(&format!(
                "its header has more than {LONGEST_HEADER} bytes, and no model's has"
            )));
        }
        let end = self.start + self.window.len() as u64;
        if self.at + count > end {
            let range = self.at..self.at + count.max(WINDOW).min(left);
            self.window = (self.ask)(range)?.into_owned();
            self.start = self.at;
        }
        let from = (self.at - self.start) as usize;
        self.at += count;
        Ok(&self.window[from..from + count as usize])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let bytes = self.bytes(N as u64)?;
        Ok(bytes.first_chunk().copied().unwrap_or([0; N]))
    }

    pub fn u8(&mut self) -> Result<u8, ModelError> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, ModelError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, ModelError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, ModelError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A text, of what.
    pub fn text(&mut self, what: &str) -> Result<String, ModelError> {
        let length = self.u64()?;
        refuse_if!(length > LONGEST_TEXT, self.error(&format!("{what} has {length} bytes")));
        let bytes = self.bytes(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| self.error(&format!("{what} is no text (UTF-8)")))
    }

    /// Checks that the rest of the file can hold `count` things of at least `least` bytes each.
    pub fn check_count(&self, what: &str, count: u64, least: u64) -> Result<(), ModelError> {
        if count > (self.size - self.at) / least {
            return Err(self.error(&format!(
                "it promises {count} {what}, more than its {} bytes can hold",
                self.size
            )));
        }
        Ok(())
    }

    pub fn error(&self, reason: &str) -> ModelError {
        ModelError::NotGguf { file: self.file.into(), reason: reason.into() }
    }
}
