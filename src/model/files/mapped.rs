//! Files of weights that are read where they lie.

use std::fs::{File, Metadata};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memmap2::Mmap;

use crate::model::ModelError;

/// A mapped file. Its bytes are other ones as soon as something writes to it, so it is held open and
/// asked: [`Self::check_unchanged`].
pub struct MappedFile {
    map: Mmap,
    path: PathBuf,
    /// The file that was opened, whatever its name leads to by now.
    file: File,
    opened: FileState,
}

/// The facts of a file that every write changes.
#[derive(PartialEq)]
struct FileState {
    size: u64,
    modified: Option<SystemTime>,
}

impl MappedFile {
    /// Maps a file that is not empty.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let opened = FileState::of(&file.metadata()?);
        // SAFETY: the map is read only. Another program may still write to the file: then the bytes
        // change, or reading past a new end raises SIGBUS. Every read is preceded by a look at the file,
        // every answer followed by one, and the command line turns that signal into a sentence. To read
        // tens of gigabytes into memory first would double what a model takes.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(Self { map, path: path.to_path_buf(), file, opened })
    }

    /// Checks that the file is what it was when it was opened: its size and the time of its last change
    /// are the same.
    ///
    /// # Errors
    /// [`ModelError::Changed`]
    pub fn check_unchanged(&self) -> Result<(), ModelError> {
        let now = self.file.metadata().map(|about| FileState::of(&about));
        match now {
            Ok(now) if now == self.opened => Ok(()),
            Ok(_) => Err(ModelError::Changed { path: self.path.clone() }),
            Err(reason) => Err(ModelError::Read { path: self.path.clone(), reason }),
        }
    }

    /// Says that what was read so far will not be read again soon: the system then keeps no second copy
    /// beside what was made of it.
    pub fn release(&self) {
        #[cfg(unix)]
        {
            // SAFETY: the map is of a file and read only, so its pages come back from the file.
            // It is only advice: where it is not taken, memory is all that it costs.
            let _ = unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl FileState {
    fn of(about: &Metadata) -> Self {
        // Every system that the command line runs on keeps this time.
        Self { size: about.len(), modified: about.modified().ok() }
    }
}
