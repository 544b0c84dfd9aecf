//! A file that is whole or not there, whenever this program is stopped.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// Ending of the names of unfinished files, behind random letters. A process id would not do: two containers
/// may write to one folder with one process id.
const UNFINISHED: &str = ".part";

/// Bytes of the longest name that a disk takes.
const LONGEST: usize = 255;

/// How many letters.
const LETTERS: usize = 6;

/// A file on its way: written beside its place, and there when it is finished. One that is dropped
/// before leaves nothing.
pub struct Unfinished {
    path: PathBuf,
    /// Locked, so that others see that it is no stray.
    to: BufWriter<File>,
    part: TempPath,
}

impl Unfinished {
    pub fn begin(path: &Path) -> io::Result<Self> {
        let (file, part) = create(path)?.into_parts();
        if let Ok(before) = std::fs::metadata(path) {
            // The new file keeps the old one's permissions.
            let _ = file.set_permissions(before.permissions());
        }
        Ok(Self { path: path.to_path_buf(), to: BufWriter::new(file), part })
    }

    /// Puts the file in its place, and on the disk; it stays locked as long as it is held.
    pub fn finish(self) -> io::Result<File> {
        let file = self.to.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let part = self.part.keep()?;
        // Windows replaces a file that somebody holds open only by the renaming that the standard library tries.
        if let Err(error) = std::fs::rename(&part, &self.path) {
            let _ = std::fs::remove_file(&part);
            return Err(error);
        }
        sync_folder(&self.path);
        Ok(file)
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A new file beside its place, locked.
fn create(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut prefix = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    prefix.push(".");
    // A name of that length has no room for more: its part has another.
    if prefix.len() + LETTERS + UNFINISHED.len() > LONGEST {
        prefix = "atelier.".into();
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED).rand_bytes(LETTERS);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: less what the user's mask takes away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    loop {
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        // Where files cannot be locked, none is taken for a stray either. Between its making and its
        // lock another run may have taken it for one.
        let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && file.path().exists() {
            return Ok(file);
        }
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
        let Some(finished) = name.to_str().and_then(finished_name) else {
            continue;
        };
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !ours(finished) || !is_file {
            continue;
        }
        // A run that still writes the file holds its lock. Our lock lasts until the file is gone, so
        // that no other run takes it meanwhile.
        let file = OpenOptions::new().write(true).open(entry.path());
        if file.as_ref().is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// `sum.parquet` of `sum.parquet.aB3xYz.part`.
fn finished_name(unfinished: &str) -> Option<&str> {
    let (name, letters) = unfinished.strip_suffix(UNFINISHED)?.rsplit_once('.')?;
    let is_drawn = letters.len() == LETTERS && letters.bytes().all(|c| c.is_ascii_alphanumeric());
    is_drawn.then_some(name)
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

    #[test]
    fn the_longest_name_is_written_too() {
        let folder = tempfile::tempdir().expect("a folder");
        for length in [1, 243, 244, 255] {
            let path = folder.path().join("a".repeat(length));
            let mut file = Unfinished::begin(&path).expect("a file");
            file.write_all(b"whole").expect("written");
            file.finish().expect("in its place");
            assert_eq!(std::fs::read(&path).expect("a file"), b"whole", "{length}");
        }
    }

    /// Two containers on one volume: each has a process of the same number.
    #[test]
    fn two_that_write_one_file_do_not_take_it_from_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        let mut first = Unfinished::begin(&path).expect("a file");
        first.write_all(b"first").expect("written");
        drop(Unfinished::begin(&path).expect("a file"));
        first.finish().expect("in its place");
        assert_eq!(std::fs::read(&path).expect("a file"), b"first");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_may_be_read_by_whom_the_mask_allows() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let [new, plain] = ["new", "plain"].map(|name| folder.path().join(name));
        Unfinished::begin(&new).and_then(Unfinished::finish).expect("a file");
        std::fs::write(&plain, "").expect("a file");
        let mode = |path: &Path| path.metadata().expect("a file").permissions().mode();
        assert_eq!(mode(&new), mode(&plain));
    }

    #[test]
    fn strays_are_taken_away_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = [
            "a.json",
            "a.json.001.part",
            "a.json.aB3xYz.part",
            "a.json.x.part",
            "b.json.aB3xYz.part",
            "sum.rows.part",
        ];
        for name in names {
            std::fs::write(folder.path().join(name), "x").expect("written");
        }
        let held = Unfinished::begin(&folder.path().join("a.json")).expect("another run's");
        remove_strays(folder.path(), |name| name == "a.json");
        assert!(held.part.exists(), "what is still written stays");
        drop(held);
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        let entries = entries.map(|entry| entry.expect("an entry").file_name());
        let mut left: Vec<_> = entries.map(|name| name.into_string().expect("a name")).collect();
        left.sort();
        let expected: Vec<_> =
            names.into_iter().filter(|name| *name != "a.json.aB3xYz.part").collect();
        assert_eq!(left, expected);
    }
}
