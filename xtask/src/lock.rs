//! One process at a time at what several chores or clones share: a clone's `dist/`, tools in the cache, a download.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::command::{Stop, ready};
use crate::disk::make_folder;

/// Waits until no other process holds the lock in this file. It is held for as long as the returned file lives, and a
/// process that is killed lets it go. `work` is what the other one is doing: "building this page".
///
/// # Errors
/// The file cannot be written.
pub fn hold(path: &Path, work: &str) -> Result<File, Stop> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    // Windows locks no file that is only appended to.
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = opened.map_err(|error| Stop::file("write", path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            println!("… waiting: another process is {work}");
            file.lock().map_err(|error| Stop::file("lock", path, &error))?;
        }
        Err(TryLockError::Error(error)) => {
            let shown = path.display();
            println!("· {shown} cannot be locked here ({error}): run one chore at a time");
        }
    }
    Ok(file)
}

/// Finds something called `name` that all clones share, or makes it while it holds the lock as [`hold`] does.
///
/// # Errors
/// It cannot be made, or the lock's file cannot be written.
pub fn once<T>(
    name: &str,
    lock: &Path,
    work: &str,
    find: impl Fn() -> Option<T>,
    make: impl FnOnce() -> Result<T, Stop>,
) -> Result<T, Stop> {
    let said = |found: T| {
        ready(name);
        Ok(found)
    };
    if let Some(found) = find() {
        return said(found);
    }
    let _held = hold(lock, work)?;
    // Another process may have made it meanwhile.
    find().map_or_else(make, said)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_works_and_the_others_wait() {
        let folder = std::env::temp_dir().join(format!("atelier-lock-{}", std::process::id()));
        let (path, working) = (folder.join("deep/er/lock"), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let _held = hold(&path, "testing").expect("a lock");
                    assert_eq!(working.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                    std::thread::sleep(Duration::from_millis(20));
                    working.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
