//! Files and folders, with a sentence where they cannot be read or written.

use std::path::{Path, PathBuf};

use crate::command::Stop;

pub fn read(path: &Path) -> Result<Vec<u8>, Stop> {
    std::fs::read(path).map_err(|error| Stop::file("read", path, &error))
}

pub fn read_text(path: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(path).map_err(|error| Stop::file("read", path, &error))
}

pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Stop> {
    std::fs::write(path, content).map_err(|error| Stop::file("write", path, &error))
}

/// Copies a file; returns its bytes.
pub fn copy(from: &Path, to: impl AsRef<Path>) -> Result<u64, Stop> {
    std::fs::copy(from, to).map_err(|error| Stop::file("copy", from, &error))
}

pub fn make_folder(path: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(path).map_err(|error| Stop::file("make the folder", path, &error))
}

/// Removes a file or a folder with all it holds, if it is there.
pub fn remove(path: &Path) -> Result<(), Stop> {
    let removed = if path.is_dir() {
        std::fs::remove_dir_all(path)
    } else if path.exists() {
        std::fs::remove_file(path)
    } else {
        Ok(())
    };
    removed.map_err(|error| Stop::file("remove", path, &error))
}

/// Lists every file under a folder, at any depth, in order of path; a file is its own only member.
pub fn files_under(path: &Path) -> Result<Vec<PathBuf>, Stop> {
    let mut found = Vec::new();
    let mut waiting = vec![path.to_path_buf()];
    while let Some(path) = waiting.pop() {
        if path.is_file() {
            found.push(path);
        } else if path.is_dir() {
            let unread = |error| Stop::file("read", &path, &error);
            for entry in std::fs::read_dir(&path).map_err(unread)? {
                waiting.push(entry.map_err(unread)?.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Lists the files under a folder, each with its name in the folder as an address writes it.
pub fn named_under(folder: &Path) -> Result<Vec<(String, PathBuf)>, Stop> {
    let named = files_under(folder)?.into_iter().map(|file| {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        (name.to_string_lossy().replace('\\', "/"), file)
    });
    Ok(named.collect())
}
