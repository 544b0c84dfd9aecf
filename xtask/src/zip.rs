//! A folder as a zip: names, contents, nothing else, so that the same folder gives the same bytes.

use std::io::Write;
use std::path::Path;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::command::Stop;
use crate::hash::files_under;

/// 1980-01-01, the first day that the format knows.
const DAY: u16 = 0x21;
const DEFLATED: u16 = 8;
/// The version that a reader needs: 2.0.
const VERSION: u16 = 20;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;

/// One file, as both of its headers say it.
struct ZipEntry {
    name: String,
    sum: u32,
    packed: u32,
    plain: u32,
    /// Where its own header begins.
    at: u32,
}

/// Packs all files of `folder`, under a folder called `name`, and gives back the zip's bytes.
pub fn write(folder: &Path, name: &str, to: &Path) -> Result<u64, Stop> {
    let mut bytes = Vec::new();
    let mut entries = Vec::new();
    for file in files_under(folder)? {
        let own = file.strip_prefix(folder).unwrap_or(&file);
        let own = own.to_string_lossy().replace('\\', "/");
        let content = std::fs::read(&file).map_err(|error| Stop::file("read", &file, &error))?;
        let entry = add(&mut bytes, format!("{name}/{own}"), &content)
            .map_err(|error| Stop::file("compress", &file, &error))?;
        entries.push(entry);
    }
    finish(&mut bytes, &entries).map_err(|error| Stop::file("compress", to, &error))?;
    std::fs::write(to, &bytes).map_err(|error| Stop::file("write", to, &error))?;
    Ok(bytes.len() as u64)
}

fn add(bytes: &mut Vec<u8>, name: String, content: &[u8]) -> std::io::Result<ZipEntry> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    let packed = encoder.finish()?;
    let mut sum = Crc::new();
    sum.update(content);
    let entry = ZipEntry {
        name,
        sum: sum.sum(),
        packed: size(packed.len())?,
        plain: size(content.len())?,
        at: size(bytes.len())?,
    };
    bytes.extend(b"PK\x03\x04");
    bytes.extend(described(&entry)?);
    bytes.extend(entry.name.as_bytes());
    bytes.extend(packed);
    Ok(entry)
}

/// The part that a file's own header and the directory's have in common.
fn described(entry: &ZipEntry) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for half in [VERSION, UTF8, DEFLATED, 0, DAY] {
        bytes.extend(half.to_le_bytes());
    }
    for word in [entry.sum, entry.packed, entry.plain] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(count(entry.name.len())?.to_le_bytes());
    // Nothing more is said of it.
    bytes.extend(0u16.to_le_bytes());
    Ok(bytes)
}

/// The directory, and where it is.
fn finish(bytes: &mut Vec<u8>, entries: &[ZipEntry]) -> std::io::Result<()> {
    let first = size(bytes.len())?;
    for entry in entries {
        bytes.extend(b"PK\x01\x02");
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(described(entry)?);
        // No comment, on the first disk, no kind, no rights.
        bytes.extend([0; 10]);
        bytes.extend(entry.at.to_le_bytes());
        bytes.extend(entry.name.as_bytes());
    }
    let length = size(bytes.len())? - first;
    let files = count(entries.len())?.to_le_bytes();
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(files);
    bytes.extend(files);
    bytes.extend(length.to_le_bytes());
    bytes.extend(first.to_le_bytes());
    bytes.extend([0; 2]);
    Ok(())
}

fn size(bytes: usize) -> std::io::Result<u32> {
    u32::try_from(bytes).map_err(|_| too_large())
}

fn count(things: usize) -> std::io::Result<u16> {
    u16::try_from(things).map_err(|_| too_large())
}

fn too_large() -> std::io::Error {
    std::io::Error::other("a zip holds up to 4 GB and 65535 files")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn another_program_reads_what_was_packed() {
        let home = std::env::temp_dir().join(format!("atelier-zip-{}", std::process::id()));
        let folder = home.join("in");
        std::fs::create_dir_all(folder.join("b")).expect("a folder");
        let long = "atelier ".repeat(10_000);
        std::fs::write(folder.join("a.txt"), &long).expect("a file");
        std::fs::write(folder.join("b/é.bin"), [0, 255, 7]).expect("a file");
        std::fs::write(folder.join("empty"), "").expect("a file");
        let [zip, again] = ["one.zip", "two.zip"].map(|name| home.join(name));
        let size = write(&folder, "page", &zip).expect("a zip");
        assert!(size < 2_000, "{size}");
        write(&folder, "page", &again).expect("a zip");
        let read = |path: &Path| std::fs::read(path).expect("a file");
        assert_eq!(read(&zip), read(&again));
        // Python's reader checks every sum.
        let out = home.join("out");
        let mut python = Command::new("python3");
        let unpacked = python.args(["-m", "zipfile", "-e"]).arg(&zip).arg(&out);
        assert!(unpacked.status().expect("python3 runs").success());
        assert_eq!(read(&out.join("page/a.txt")), long.as_bytes());
        assert_eq!(read(&out.join("page/b/é.bin")), [0, 255, 7]);
        assert_eq!(read(&out.join("page/empty")), b"");
        std::fs::remove_dir_all(&home).expect("removed");
    }
}
