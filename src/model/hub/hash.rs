//! The hash that a hub states for a file, and the file's own.

use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Digest, Sha256};

/// The hash that a file must have, in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum FileHash {
    /// The hash of a large file: SHA-256 of its bytes.
    Sha256(String),
    /// The hash of a small file, which lies in git itself: SHA-1 of `blob`, its length and its bytes.
    Git(String),
}

impl FileHash {
    /// The hash alone: under this name caches keep the file.
    pub fn hex(&self) -> &str {
        match self {
            Self::Sha256(hex) | Self::Git(hex) => hex,
        }
    }

    /// Whether it has the digits of a hash of its kind.
    pub(super) fn is_well_formed(&self) -> bool {
        let digits = match self {
            Self::Sha256(_) => 64,
            Self::Git(_) => 40,
        };
        let hex = self.hex();
        hex.len() == digits && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    }
}

/// A file on its way, hashed as it comes.
pub struct Hashing(Box<dyn DynDigest>);

impl Hashing {
    /// Begins to hash a file that will have `size` bytes.
    pub fn begin(expected: &FileHash, size: u64) -> Self {
        Self(match expected {
            FileHash::Sha256(_) => Box::new(Sha256::new()),
            FileHash::Git(_) => Box::new(Sha1::new_with_prefix(format!("blob {size}\0"))),
        })
    }

    /// The next bytes of the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Whether the file that came has the expected hash.
    pub fn is(self, expected: &FileHash) -> bool {
        let found = self.0.finalize();
        let hex: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
        hex == expected.hex()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hash_as_sha256sum_and_git_say() {
        let of = |expected: FileHash| {
            let mut hash = Hashing::begin(&expected, 3);
            hash.add(b"a");
            hash.add(b"bc");
            hash.is(&expected)
        };
        let large = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(of(FileHash::Sha256(large.into())));
        // As `printf abc | git hash-object --stdin` prints it.
        assert!(of(FileHash::Git("f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f".into())));
        assert!(!of(FileHash::Git("02ba8f84ab5c1bce84a7b441cb1959cfc7093b7f".into())));
    }
}
