//! Trunk and the wasm-bindgen command line, at the versions the project needs; Firefox's driver; and
//! cargo-about, which says whose work is in a release.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, Stop, on_path, output, ready, run, step};
use crate::place::Place;

/// 0.22 needs a newer compiler than the project does.
const TRUNK: &str = "0.21.14";

const GECKODRIVER: &str = "0.37.1";

const CARGO_ABOUT: &str = "0.9.3";

struct Tool {
    package: &'static str,
    program: &'static str,
    version: String,
    features: &'static [&'static str],
    /// The crates that do its work, and are optimised: most of what a tool is made of runs once.
    optimised: &'static [&'static str],
    minutes: &'static str,
}

/// Where the tools are.
pub struct Tools {
    folders: Vec<PathBuf>,
}

impl Tools {
    /// `PATH` on which both are found at their versions.
    pub fn path(&self) -> std::ffi::OsString {
        let start = std::env::var_os("PATH").unwrap_or_default();
        self.folders
            .iter()
            .fold(start, |path, folder| command::path_starting_with(folder, Some(&path)))
    }
}

/// What the page is built with.
fn for_page(place: &Place) -> Result<[Tool; 2], Stop> {
    let lock_file = place.root().join("Cargo.lock");
    let lock = std::fs::read_to_string(&lock_file)
        .map_err(|error| Stop::file("read", &lock_file, &error))?;
    let wasm_bindgen = locked_version(&lock, "wasm-bindgen")
        .ok_or_else(|| Stop::new("Cargo.lock does not say which wasm-bindgen the page uses."))?;
    Ok([
        Tool {
            package: "wasm-bindgen-cli",
            program: "wasm-bindgen",
            version: wasm_bindgen.to_string(),
            features: &[],
            optimised: &["walrus", "wasm-bindgen-cli-support", "wasmparser", "wasm-encoder"],
            minutes: "1 to 4 minutes",
        },
        Tool {
            package: "trunk",
            program: "trunk",
            version: TRUNK.to_string(),
            // What it could download is prepared here, so it needs no TLS of its own.
            features: &["--no-default-features"],
            optimised: &[],
            minutes: "3 to 6 minutes",
        },
    ])
}

/// What drives Firefox, which Debian does not bring.
fn for_firefox() -> Tool {
    Tool {
        package: "geckodriver",
        program: "geckodriver",
        version: GECKODRIVER.to_string(),
        features: &[],
        optimised: &[],
        minutes: "1 to 3 minutes",
    }
}

/// What collects the licences of a release.
fn for_release() -> Tool {
    Tool {
        package: "cargo-about",
        program: "cargo-about",
        version: CARGO_ABOUT.to_string(),
        features: &["--features", "cli"],
        // It compares hundreds of texts with each of the licences that there are.
        optimised: &["cargo-about", "spdx"],
        minutes: "1 to 4 minutes",
    }
}

/// Makes cargo-about present: where it is.
pub fn prepare_for_release(place: &Place) -> Result<PathBuf, Stop> {
    let tool = for_release();
    let mut folders = folders(place, std::slice::from_ref(&tool))?;
    Ok(folders.pop().unwrap_or_default().join(tool.file()))
}

/// Makes the tools present that build the page.
pub fn prepare(place: &Place) -> Result<Tools, Stop> {
    let folders = folders(place, &for_page(place)?)?;
    Ok(Tools { folders })
}

/// The same, and Firefox's driver: where that is.
pub fn prepare_for_tests(place: &Place) -> Result<(Tools, PathBuf), Stop> {
    if let Some(named) = std::env::var_os("ATELIER_GECKODRIVER") {
        return Ok((prepare(place)?, PathBuf::from(named)));
    }
    let tools: Vec<Tool> = for_page(place)?.into_iter().chain([for_firefox()]).collect();
    let mut folders = folders(place, &tools)?;
    let own = folders.pop().unwrap_or_default();
    Ok((Tools { folders }, own.join(for_firefox().file())))
}

/// The folders that tools are in, having built those that were nowhere.
fn folders(place: &Place, tools: &[Tool]) -> Result<Vec<PathBuf>, Stop> {
    let are_here = tools.iter().all(|tool| tool.found(place).is_some());
    let folders = tools.iter().map(|tool| tool.prepare(place));
    let folders = folders.collect::<Result<_, _>>()?;
    let work = work_folder(place);
    // Whoever built nothing leaves it to another chore, which may be building in it now.
    if !are_here && work.is_dir() {
        // A gigabyte that only another version of the tools could use again.
        std::fs::remove_dir_all(&work).map_err(|error| Stop::file("remove", &work, &error))?;
    }
    Ok(folders)
}

/// What is missing of that, and how it comes here.
pub fn missing(place: &Place) -> Result<Vec<&'static str>, Stop> {
    let tools = for_page(place)?;
    let missing = tools.iter().filter(|tool| tool.found(place).is_none());
    Ok(missing
        .map(|tool| match tool.program {
            "trunk" => "Trunk: cargo install, into the cache",
            _ => "wasm-bindgen's command line: cargo install, into the cache",
        })
        .collect())
}

/// The same of what tests need besides.
pub fn missing_for_tests(place: &Place) -> Option<&'static str> {
    let named = std::env::var_os("ATELIER_GECKODRIVER").is_some();
    let is_here = named || for_firefox().found(place).is_some();
    (!is_here).then_some("geckodriver: cargo install, into the cache")
}

/// Shared by the tools, which have many crates in common.
fn work_folder(place: &Place) -> PathBuf {
    place.cache().join("tools-target")
}

impl Tool {
    /// Each version in its own folder: clones that need different ones do not undo each other's.
    fn root(&self, place: &Place) -> PathBuf {
        place.cache().join("tools").join(format!("{}-{}", self.program, self.version))
    }

    fn file(&self) -> String {
        format!("{}{}", self.program, std::env::consts::EXE_SUFFIX)
    }

    /// Where it is at its version, if it is anywhere.
    fn found(&self, place: &Place) -> Option<PathBuf> {
        let ours = self.root(place).join("bin").join(self.file());
        let here = [Some(ours), on_path(&[self.program])];
        here.into_iter().flatten().find(|program| self.is_at_its_version(program))
    }

    /// The folder that it is in, having built it if it was nowhere.
    fn prepare(&self, place: &Place) -> Result<PathBuf, Stop> {
        let name = format!("{} {}", self.program, self.version);
        let ours = self.root(place).join("bin");
        if let Some(folder) = self.found(place).as_deref().and_then(Path::parent) {
            ready(&name);
            return Ok(folder.to_path_buf());
        }
        step(&format!("building {name}, once for all clones ({})", self.minutes), || {
            let why = format!("{name} could not be built; is there a network?");
            // The versions its makers tested; a registry may lack one of them, and then any that
            // fit will do.
            if run(&mut self.install(place, true), &why).is_err() {
                println!("  its lock file cannot be met here; trying without it");
                run(&mut self.install(place, false), &why)?;
            }
            Ok(ours)
        })
    }

    fn is_at_its_version(&self, program: &Path) -> bool {
        let said = output(Command::new(program).arg("--version"));
        said.is_some_and(|said| said.split_whitespace().any(|word| word == self.version))
    }

    fn install(&self, place: &Place, locked: bool) -> Command {
        let mut cargo = Command::new("cargo");
        cargo
            // Away from this project, whose configuration is not meant for the tools.
            .current_dir(std::env::temp_dir())
            .env("CARGO_TARGET_DIR", work_folder(place))
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "0")
            .args(["install", "--debug", "--force", "--root"])
            .arg(self.root(place))
            .args(self.features)
            .args(locked.then_some("--locked"))
            .args([self.package, "--version"])
            .arg(format!("={}", self.version));
        for package in self.optimised {
            let level = format!("profile.dev.package.{package}.opt-level=2");
            cargo.args(["--config", &level]);
        }
        cargo
    }
}

/// The version of a package in the text of a `Cargo.lock`; none when there are several.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut versions = lock
        .split("[[package]]")
        .filter(|entry| entry.lines().any(|line| line == name))
        .filter_map(|entry| entry.lines().find_map(|line| line.strip_prefix("version = ")));
    let version = versions.next()?.trim_matches('"');
    versions.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "wasm-bindgen"
version = "0.2.129"
source = "registry"
dependencies = [
 "cfg-if",
]

[[package]]
name = "wasm-bindgen-futures"
version = "0.4.79"

[[package]]
name = "getrandom"
version = "0.2.17"

[[package]]
name = "getrandom"
version = "0.3.4"
"#;

    #[test]
    fn the_lock_file_says_which_command_line_is_needed() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen"), Some("0.2.129"));
        assert_eq!(locked_version(LOCK, "wasm"), None);
    }

    #[test]
    fn two_versions_are_no_answer() {
        assert_eq!(locked_version(LOCK, "getrandom"), None);
    }
}
