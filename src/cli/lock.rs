//! A lock on a file, so that two runs do not write to one place.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhow::Context;

use super::output;

/// Locks a file until it is closed; `false` where another run holds it. A disk without locks, as some clusters
/// have, is said and written to.
///
/// # Errors
/// The file cannot be locked for another reason.
pub fn try_lock(file: &File, path: &Path) -> anyhow::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => {
            let gone_without = go_without(Err(error), path).map(|()| true);
            gone_without.with_context(|| format!("{} could not be locked", path.display()))
        }
    }
}

/// Goes on, and says so, where a lock was not taken because the disk has none.
///
/// # Errors
/// It was not taken for another reason.
pub fn go_without(locked: io::Result<()>, path: &Path) -> io::Result<()> {
    match locked {
        Err(error) if is_without_locks(&error) => output::say(&format!(
            "atelier: {} cannot be locked, for its disk has no locks: start no second run that writes there",
            path.display()
        )),
        locked => locked?,
    }
    Ok(())
}

/// Is it the disk that knows no locks, or the server behind it?
pub fn is_without_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::ENOLCK) {
        return true;
    }
    error.kind() == ErrorKind::Unsupported
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_locks_is_told_from_one_that_fails() {
        let is_so = |code| is_without_locks(&io::Error::from_raw_os_error(code));
        // NFS without its lock server, Lustre without `flock`, other disks.
        assert!([libc::ENOLCK, libc::ENOSYS, libc::EOPNOTSUPP].into_iter().all(is_so));
        assert!(![libc::EIO, libc::EACCES].into_iter().any(is_so));
    }
}
