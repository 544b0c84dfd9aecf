//! Fingerprints of files, to tell whether something changed. Not for security.

use std::path::Path;

use crate::command::Stop;
use crate::disk::{self, named_under};

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
        // Names are relative to what was asked, so that a moved clone is the same clone.
        for (name, file) in named_under(path)? {
            let bytes = disk::read(&file)?;
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
