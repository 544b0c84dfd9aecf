//! A file's bytes: of regular files only, and no more of them than such a file can sensibly have. A
//! pipe nobody writes into would be waited for for ever, and a device has no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file of questions that is read: all of it is held at once.
pub const DATA: u64 = 4 << 30;

/// Largest file of prompts.
pub const PROMPTS: u64 = 1 << 30;

/// Largest report that is gone on with or drawn.
pub const REPORT: u64 = 1 << 30;

/// Largest task: they are a few lines.
pub const DEFINITION: u64 = 1 << 20;

/// Reads a regular file.
///
/// # Errors
/// The system's error; the path is not a regular file; or the file has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    refuse_if!(length > most, too_large(most));
    bounded(file, most)
}

/// Reads a regular file as text.
///
/// # Errors
/// As [`read`], and for bytes that are not UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    utf8(read(path, most)?)
}

/// Opens a regular file.
///
/// # Errors
/// The system's error, or the path is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Before it is opened, which may wait for ever.
    let kind = std::fs::metadata(path)?;
    refuse_if!(kind.is_dir(), io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    if !kind.is_file() {
        let why = "it is a pipe or a device, and only files are read";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    File::open(path)
}

/// Reads a stream to its end.
///
/// # Errors
/// The system's error, or the stream has more than `most` bytes.
pub fn bounded(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    refuse_if!(bytes.len() as u64 > most, too_large(most));
    Ok(bytes)
}

/// Reads a stream to its end as text.
///
/// # Errors
/// As [`bounded`], and for bytes that are not UTF-8.
pub fn bounded_text(from: impl Read, most: u64) -> io::Result<String> {
    utf8(bounded(from, most)?)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(bytes);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

fn too_large(most: u64) -> io::Error {
    let why = format!("it is larger than {} MB", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "12345").expect("written");
        assert_eq!(read(&path, 5).expect("five bytes"), b"12345");
        let why = |path: &Path, most| read(path, most).expect_err("refused").to_string();
        assert_eq!(why(&path, 4), "it is larger than 0 MB");
        assert_eq!(why(folder.path(), 4), "it is a folder");
        #[cfg(unix)]
        assert!(why(Path::new("/dev/zero"), 4).starts_with("it is a pipe or a device"));
        assert!(bounded(io::repeat(0), 1 << 20).is_err());
    }
}
