//! Fingerprints of files, to tell whether something changed. Not for security.

use std::path::{Path, PathBuf};

use crate::command::Stop;

/// FNV-1a, 64 bits: the same on every machine and in every version of Rust.
pub struct Hash(u64);

impl Hash {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds a file, or a folder with all it holds, names included; what does not exist adds
    /// nothing.
    pub fn add_path(&mut self, path: &Path) -> Result<(), Stop> {
        for file in files_under(path)? {
            // The name relative to what was asked, so that a moved clone is the same clone.
            let name = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().into_owned();
            let bytes = std::fs::read(&file).map_err(|error| Stop::file("read", &file, &error))?;
            self.add(name.as_bytes());
            self.add(&(bytes.len() as u64).to_le_bytes());
            self.add(&bytes);
        }
        Ok(())
    }

    /// Sixteen hexadecimal digits.
    pub fn finish(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Every file under a folder, at any depth, in order of path; a file is its own only member.
pub fn files_under(path: &Path) -> Result<Vec<PathBuf>, Stop> {
    let mut found = Vec::new();
    let mut waiting = vec![path.to_path_buf()];
    while let Some(path) = waiting.pop() {
        if path.is_file() {
            found.push(path);
        } else if path.is_dir() {
            let entries =
                std::fs::read_dir(&path).map_err(|error| Stop::file("read", &path, &error))?;
            for entry in entries {
                let entry = entry.map_err(|error| Stop::file("read", &path, &error))?;
                waiting.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_fnv_1a() {
        assert_eq!(Hash::new().finish(), "cbf29ce484222325");
        let mut hash = Hash::new();
        hash.add(b"foobar");
        assert_eq!(hash.finish(), "85944171f73967e8");
    }
}
