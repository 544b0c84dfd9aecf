//! Tools that cargo builds once for all clones: Firefox's driver for the tests, cargo-about, which says whose work is in
//! a release, and cargo-deny, which says what may be.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Stop, on_path, output, run, step};
use crate::disk::remove;
use crate::lock;
use crate::place::Place;

/// Drives Firefox; Debian does not bring it.
const GECKODRIVER: Tool = Tool {
    package: "geckodriver",
    version: "0.37.1",
    features: &[],
    optimised: &[],
    minutes: "1 to 3 minutes",
};

/// Collects the licences of a release. It compares hundreds of texts with each of the licences that there are.
const CARGO_ABOUT: Tool = Tool {
    package: "cargo-about",
    version: "0.9.3",
    features: &["--features", "cli"],
    optimised: &["cargo-about", "spdx"],
    minutes: "1 to 4 minutes",
};

/// Checks licences and sources of all crates by `deny.toml`.
const CARGO_DENY: Tool = Tool {
    package: "cargo-deny",
    version: "0.20.2",
    features: &["--no-default-features"],
    optimised: &[],
    minutes: "3 to 6 minutes",
};

/// A program of the registry, which has the name of its package.
struct Tool {
    package: &'static str,
    version: &'static str,
    features: &'static [&'static str],
    /// The crates that do its work, and are optimised: most of what a tool is made of runs once.
    optimised: &'static [&'static str],
    minutes: &'static str,
}

/// Makes cargo-about present: where it is.
pub fn cargo_about(place: &Place) -> Result<PathBuf, Stop> {
    CARGO_ABOUT.prepare(place)
}

/// Makes cargo-deny present: where it is.
pub fn cargo_deny(place: &Place) -> Result<PathBuf, Stop> {
    CARGO_DENY.prepare(place)
}

/// Makes Firefox's driver present: where it is.
pub fn geckodriver(place: &Place) -> Result<PathBuf, Stop> {
    match std::env::var_os("ATELIER_GECKODRIVER") {
        Some(named) => Ok(PathBuf::from(named)),
        None => GECKODRIVER.prepare(place),
    }
}

/// Whether Firefox's driver has yet to be built.
pub fn is_geckodriver_missing(place: &Place) -> bool {
    std::env::var_os("ATELIER_GECKODRIVER").is_none() && GECKODRIVER.found(place).is_none()
}

/// Where a tool is built.
fn work_folder(place: &Place) -> PathBuf {
    place.cache().join("tools-target")
}

impl Tool {
    /// Each version in its own folder: clones that need different ones do not undo each other's.
    fn root(&self, place: &Place) -> PathBuf {
        place.cache().join("tools").join(format!("{}-{}", self.package, self.version))
    }

    /// Where it is at its version, if it is anywhere.
    fn found(&self, place: &Place) -> Option<PathBuf> {
        let here = [Some(self.built(place)), on_path(&[self.package])];
        here.into_iter().flatten().find(|program| self.is_at_its_version(program))
    }

    /// Where it is once it was built.
    fn built(&self, place: &Place) -> PathBuf {
        let file = format!("{}{}", self.package, std::env::consts::EXE_SUFFIX);
        self.root(place).join("bin").join(file)
    }

    /// Where it is, having built it if it was nowhere.
    fn prepare(&self, place: &Place) -> Result<PathBuf, Stop> {
        let name = format!("{} {}", self.package, self.version);
        // Their makings are in one folder, which the first to be done removes.
        let lock = place.cache().join("tools.lock");
        lock::once(
            &name,
            &lock,
            "building a tool",
            || self.found(place),
            || {
                step(&format!("building {name}, once for all clones ({})", self.minutes), || {
                    let why = format!(
                        "{name} could not be built of its locked versions; is there a network?"
                    );
                    run(&mut self.install(place), &why)?;
                    // A gigabyte that only another version of the tools could use again.
                    remove(&work_folder(place))
                })?;
                Ok(self.built(place))
            },
        )
    }

    fn is_at_its_version(&self, program: &Path) -> bool {
        let said = output(Command::new(program).arg("--version"));
        said.is_some_and(|said| said.split_whitespace().any(|word| word == self.version))
    }

    /// Builds it of the versions that its makers tested, and of no others.
    fn install(&self, place: &Place) -> Command {
        let mut cargo = Command::new("cargo");
        cargo
            // Away from this project, whose configuration is not meant for the tools.
            .current_dir(std::env::temp_dir())
            .env("CARGO_TARGET_DIR", work_folder(place))
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "0")
            .args(["install", "--locked", "--debug", "--force", "--root"])
            .arg(self.root(place))
            .args(self.features)
            .args([self.package, "--version"])
            .arg(format!("={}", self.version));
        for package in self.optimised {
            let level = format!("profile.dev.package.{package}.opt-level=2");
            cargo.args(["--config", &level]);
        }
        cargo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a registry lacked a version of the lock, a tool was built of any that fitted.
    #[test]
    fn tools_are_built_of_the_versions_of_their_locks() {
        let place = Place::find().expect("the project");
        for tool in [GECKODRIVER, CARGO_ABOUT, CARGO_DENY] {
            let install = tool.install(&place);
            assert!(install.get_args().any(|word| word == "--locked"), "{}", tool.package);
        }
    }
}
