//! The build's JavaScript, from npm by the committed lock file.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Need;
use crate::command::{Stop, on_path, output, ready, run, step};
use crate::disk;
use crate::hash::Hash;
use crate::place::Place;

/// The oldest Node.js that runs the page's worker in tests.
const NODE: (u32, u32) = (18, 19);

pub fn needs() -> Vec<Need> {
    if on_path(&["node"]).is_some() && on_path(&["npm"]).is_some() {
        return Vec::new();
    }
    vec![Need {
        what: "npm",
        packages: &["nodejs", "npm"],
        elsewhere: "install Node.js 18.19 or newer",
    }]
}

/// Returns the lock file's hash, and the path of the stamp in which an installation notes that hash.
fn stamp(place: &Place) -> Result<(String, PathBuf), Stop> {
    let mut lock = Hash::new();
    lock.add_path(&place.root().join("package-lock.json"))?;
    Ok((lock.finish(), folder(place).join(".atelier-lock")))
}

/// Whether the packages of the lock file are installed.
pub fn is_ready(place: &Place) -> Result<bool, Stop> {
    let (lock, stamp) = stamp(place)?;
    Ok(std::fs::read_to_string(stamp).is_ok_and(|text| text == lock))
}

/// Installs what the lock file names, unless that was done.
pub fn prepare(place: &Place) -> Result<(), Stop> {
    let (lock, stamp) = stamp(place)?;
    if is_ready(place)? {
        ready("JavaScript of package-lock.json");
        return Ok(());
    }
    let version = output(Command::new("node").arg("--version")).unwrap_or_default();
    if number(&version).is_none_or(|number| number < NODE) {
        return Err(Stop::new(format!(
            "Node.js 18.19 or newer is needed, and `node --version` says \"{version}\"."
        )));
    }
    step("npm ci (esbuild, binaryen, resvg, linkedom, linters)", || install(place.root()))?;
    disk::write(&stamp, lock)
}

/// Installs exactly what the lock file of a folder names, and runs no script of it.
pub fn install(folder: &Path) -> Result<(), Stop> {
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    run(
        npm().current_dir(folder).args(arguments),
        "npm could not install what package-lock.json names; is there a network?",
    )
}

fn npm() -> Command {
    // On Windows npm is a script, which only its full name starts.
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

pub fn folder(place: &Place) -> PathBuf {
    place.root().join("node_modules")
}

/// A JavaScript program of a package, run by Node.js.
pub fn program(place: &Place, path: &str) -> Command {
    let mut command = Command::new("node");
    command.current_dir(place.root()).arg(Path::new("node_modules").join(path));
    command
}

/// The first two numbers of a version.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix('v')?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_says_its_version() {
        assert_eq!(number("v20.20.2"), Some((20, 20)));
        assert_eq!(number("20"), None);
        assert_eq!(number(""), None);
    }
}
