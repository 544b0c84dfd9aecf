//! A file that is whole or not there, whenever this program is stopped.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What the names of unfinished files end in, behind the number of the process that writes them.
const UNFINISHED: &str = ".part";

/// A file on its way: written beside its place, and there when it is finished. One that is dropped
/// before leaves nothing.
pub struct Unfinished {
    path: PathBuf,
    part: PathBuf,
    /// Locked, so that others see that it is no stray.
    to: Option<BufWriter<File>>,
}

impl Unfinished {
    pub fn begin(path: &Path) -> io::Result<Self> {
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}{UNFINISHED}", std::process::id()));
        let part = PathBuf::from(part);
        let file = create(&part)?;
        // Where files cannot be locked, none is taken for a stray either.
        let _ = file.try_lock();
        if let Ok(before) = std::fs::metadata(path) {
            // Whoever may read the old one may read the new one.
            let _ = file.set_permissions(before.permissions());
        }
        Ok(Self { path: path.to_path_buf(), part, to: Some(BufWriter::new(file)) })
    }

    /// Puts the file in its place, and on the disk; it stays locked as long as it is held.
    pub fn finish(mut self) -> io::Result<File> {
        let to = self.to.take().ok_or(io::ErrorKind::NotFound)?;
        let file = to.into_inner().map_err(io::IntoInnerError::into_error);
        let placed = file.and_then(|file| {
            file.sync_all()?;
            std::fs::rename(&self.part, &self.path)?;
            sync_folder(&self.path);
            Ok(file)
        });
        if placed.is_err() {
            // What was written of it is of no use; the first error is the one to tell.
            let _ = std::fs::remove_file(&self.part);
        }
        placed
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            Some(to) => to.write(bytes),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(to) = self.to.take() {
            // Not flushed: it is given up.
            let (file, _) = to.into_parts();
            drop(file);
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// A new file, never what a link of that name leads to. A killed run may have had the same number.
fn create(path: &Path) -> io::Result<File> {
    let new = || OpenOptions::new().write(true).create_new(true).open(path);
    match new() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            new()
        }
        created => created,
    }
}

/// A new name is on the disk when its folder is. Not every system can do that, and none needs to.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

/// Takes away what killed runs left unfinished in a folder, of the files that `ours` knows.
pub fn remove_strays(folder: &Path, ours: impl Fn(&str) -> bool) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(of) = name.to_str().and_then(finished_name) else {
            continue;
        };
        let is_stray = || {
            let file = OpenOptions::new().write(true).open(entry.path());
            // Whoever still writes it holds it.
            file.is_ok_and(|file| file.try_lock().is_ok())
        };
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if ours(of) && is_file && is_stray() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// `sum.parquet` of `sum.parquet.1234.part`.
fn finished_name(unfinished: &str) -> Option<&str> {
    let (name, process) = unfinished.strip_suffix(UNFINISHED)?.rsplit_once('.')?;
    let is_number = !process.is_empty() && process.bytes().all(|c| c.is_ascii_digit());
    is_number.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finished_leaves_nothing_and_what_is_replaces_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        let names = || std::fs::read_dir(folder.path()).expect("a folder").count();
        let mut file = Unfinished::begin(&path).expect("a file");
        file.write_all(b"half").expect("written");
        assert_eq!(names(), 1);
        drop(file);
        assert_eq!(names(), 0);
        let mut file = Unfinished::begin(&path).expect("a file");
        file.write_all(b"whole").expect("written");
        file.finish().expect("in its place");
        assert_eq!(std::fs::read(&path).expect("a file"), b"whole");
        assert_eq!(names(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, other] = ["a.json", "other"].map(|name| folder.path().join(name));
        std::fs::write(&other, "another file").expect("written");
        let part = format!("a.json.{}.part", std::process::id());
        std::os::unix::fs::symlink(&other, folder.path().join(part)).expect("a link");
        let mut file = Unfinished::begin(&path).expect("a file");
        file.write_all(b"whole").expect("written");
        file.finish().expect("in its place");
        assert_eq!(std::fs::read(&other).expect("a file"), b"another file");
        assert_eq!(std::fs::read(&path).expect("a file"), b"whole");
    }

    #[test]
    fn strays_are_taken_away_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str| std::fs::write(folder.path().join(name), "x").expect("written");
        for name in ["a.json.12.part", "b.json.12.part", "sum.rows.part", "a.json", "a.json.x.part"]
        {
            put(name);
        }
        let held = Unfinished::begin(&folder.path().join("a.json")).expect("another run's");
        remove_strays(folder.path(), |name| name == "a.json");
        let mut left: Vec<String> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| !name.contains(&std::process::id().to_string()))
            .collect();
        left.sort();
        assert_eq!(left, ["a.json", "a.json.x.part", "b.json.12.part", "sum.rows.part"]);
        assert!(held.part.exists(), "what is still written stays");
    }
}
