//! The SHA-256 of a finished rows' file, in a file beside it that `sha256sum -c` reads too: whatever bit
//! of the rows' file changes, its page headers and its footer among them, it is seen.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};

use crate::cli::fingerprint::hex;
use crate::cli::out_file::write_whole;
use crate::task::file;

/// Longest checksum file that is read: a hash and a name.
const LONGEST: u64 = 1 << 12;

/// Passes bytes on, and hashes them.
pub struct HashedWriter<W> {
    to: W,
    hash: Sha256,
}

impl<W> HashedWriter<W> {
    pub fn new(to: W) -> Self {
        Self { to, hash: Sha256::new() }
    }

    /// Returns the inner writer, and the hash of all bytes written.
    pub fn finish(self) -> (W, String) {
        (self.to, hex(self.hash))
    }
}

impl<W: Write> Write for HashedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Where the hash of a rows' file lies: `sum.sha256` of `sum.parquet`.
fn beside(rows: &Path) -> PathBuf {
    rows.with_extension("sha256")
}

/// Writes the hash of a rows' file.
pub fn write_checksum(rows: &Path, hash: &str) -> anyhow::Result<()> {
    let name = rows.file_name().unwrap_or_default().display();
    write_whole(&beside(rows), format!("{hash}  {name}\n").as_bytes())
}

/// Reads an open rows' file once, to its end and back to its start.
///
/// # Errors
/// It is not as it was written, or its hash is missing.
pub fn check_checksum(rows: &Path, opened: &mut File) -> anyhow::Result<()> {
    let path = beside(rows);
    let written = file::text(&path, LONGEST).with_context(|| {
        format!(
            "{} cannot be read, and without it nothing shows that {} is whole: remove both and run the survey with --resume",
            path.display(),
            rows.display()
        )
    })?;

    let mut hash = HashedWriter::new(io::sink());
    let read = io::copy(opened, &mut hash).and_then(|_| opened.rewind());
    read.with_context(|| format!("{} cannot be read", rows.display()))?;

    let (_, found) = hash.finish();
    ensure!(
        written.split_whitespace().next() == Some(&*found),
        "{} is not as it was written: remove it and run the survey with --resume",
        rows.display()
    );
    Ok(())
}
