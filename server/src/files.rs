//! The files that are served.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use hyper::body::Bytes;

/// The files that a server serves.
pub trait Files: Send + Sync + 'static {
    /// Finds the file of a path: `""` is the root, `"a/b.js"` something below it. No part is `..`, and none
    /// has a colon or a backslash. It may take its time: it is called in a thread of its own.
    fn find(&self, path: &str) -> Option<Found>;

    /// Whether files are compressed for whoever reads that. Where all that ask are on this machine, sending a file as it
    /// is takes less time.
    fn compresses(&self) -> bool {
        true
    }

    /// Hears of every answer to a request that was not refused, before it is sent.
    fn sent(&self, _answer: &Sent) {}
}

/// The content found under a path.
pub enum Found {
    /// A file, read as it is sent. Ranges of it may be asked for.
    File(PathBuf),
    /// Bytes at hand.
    Bytes {
        bytes: Bytes,
        /// Whether the bytes are compressed already. A client that accepts no gzip gets them decompressed.
        gzip: bool,
        /// See [`mime()`].
        mime: &'static str,
    },
}

impl Found {
    /// Bytes of a file of this name.
    pub fn bytes(name: &str, bytes: impl Into<Bytes>) -> Self {
        Self::Bytes { bytes: bytes.into(), gzip: false, mime: mime(Path::new(name)) }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Sent {
    /// As it was asked for.
    pub path: String,
    pub status: u16,
    /// Bytes of its body, as it is sent.
    pub bytes: u64,
}

/// A folder with all files below it, except links that lead out of it.
pub struct Folder(PathBuf);

impl Folder {
    /// # Errors
    /// The path does not exist, or is not a folder.
    pub fn new(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if path.is_dir() { Ok(Self(path)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }
}

impl Files for Folder {
    fn find(&self, path: &str) -> Option<Found> {
        let mut file = self.0.join(path).canonicalize().ok()?;
        if file.is_dir() {
            file = file.join("index.html").canonicalize().ok()?;
        }
        (file.starts_with(&self.0) && file.is_file()).then_some(Found::File(file))
    }
}

/// When a file was written, its length, and what was made of it; locked while that is made, so that whoever wants it
/// meanwhile waits for it.
type Made<T> = Arc<Mutex<Option<(SystemTime, u64, T)>>>;

/// Things made of files, each once for as long as its file does not change.
#[derive(Default)]
pub struct MadeOfFiles<T>(pub(crate) Mutex<HashMap<PathBuf, Made<T>>>);

impl<T: Clone> MadeOfFiles<T> {
    /// The thing that `make` makes of a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get(&self, path: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let about = path.metadata()?;
        let (written, length) = (about.modified()?, about.len());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(all.entry(path.to_owned()).or_default());
        drop(all);

        let mut known = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, size, made)) = &*known
            && (*when, *size) == (written, length)
        {
            return Ok(made.clone());
        }
        let made = make()?;
        *known = Some((written, length, made.clone()));
        Ok(made)
    }
}

/// Opens a regular file. A pipe in its place would be waited for without end, in one of a few threads.
///
/// # Errors
/// The system's error, or the path is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

/// A file's kind, by its name's ending.
pub fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether compression makes a file of this kind much smaller.
pub fn shrinks(mime: &str) -> bool {
    mime.starts_with("text/")
        || ["application/json", "application/wasm", "image/svg+xml"].contains(&mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files_are_told() {
        assert_eq!(mime(Path::new("a/page_bg.wasm")), "application/wasm");
        assert_eq!(mime(Path::new("boot.js")), "text/javascript; charset=utf-8");
        assert_eq!(mime(Path::new("model.safetensors")), "application/octet-stream");
        assert!(shrinks("application/wasm") && !shrinks("image/png"));
    }
}
