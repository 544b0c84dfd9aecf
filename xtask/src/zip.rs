//! A folder as a zip: names, contents, nothing else, so that the same folder gives the same bytes.

use std::fs::File;
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::command::Stop;
use crate::disk::named_under;

/// Packs all files of `folder`, under a folder called `name`, and gives back the zip's bytes.
pub fn write(folder: &Path, name: &str, to: &Path) -> Result<u64, Stop> {
    // The first day that the format knows.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default());
    let failed = |error: std::io::Error| Stop::file("write", to, &error);
    let mut zip = ZipWriter::new(File::create(to).map_err(failed)?);
    for (own, file) in named_under(folder)? {
        zip.start_file(format!("{name}/{own}"), options).map_err(|error| failed(error.into()))?;
        let mut content = File::open(&file).map_err(|error| Stop::file("read", &file, &error))?;
        std::io::copy(&mut content, &mut zip)
            .map_err(|error| Stop::file("compress", &file, &error))?;
    }
    let written = zip.finish().map_err(|error| failed(error.into()))?;
    Ok(written.metadata().map_err(failed)?.len())
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
