//! Formatting, names, lints and documentation; and the tests.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::command::{Stop, run, step};
use crate::place::Place;
use crate::site::Site;
use crate::wasm::TRIPLE;
use crate::{documented, names, pack, page, peers, scripts, setup};

/// The page and its worker, as cargo selects them.
const WEB: &[&str] =
    &["--package", "atelier", "--target", TRIPLE, "--no-default-features", "--features", "web"];

/// Every feature that is not the page's, but `cuda`, which wants NVIDIA's compiler: what stands
/// behind a feature of a bench or a test compiles too.
const NATIVE: &str = "atelier/cli,atelier/reference,atelier/webgpu,\
                      atelier/browser-tests,atelier-benches/peers,atelier-benches/webgpu";

pub fn check(place: &Place) -> Result<(), Stop> {
    step("cargo fmt --check", || {
        let mut fmt = Command::new("cargo");
        fmt.current_dir(place.root()).args(["fmt", "--all", "--check"]);
        run(&mut fmt, "Some files are not formatted.")
            .map_err(|stop| stop.try_running("cargo fmt --all"))
    })?;
    step("names of types", || names::check(place.root()))?;
    step("clippy", || {
        let mut clippy = Command::new("cargo");
        clippy.args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            NATIVE,
            "--",
            "-D",
            "warnings",
        ]);
        run(clippy.current_dir(place.root()), "Clippy has something to say.")
    })?;
    step("documentation", || {
        let mut doc = Command::new("cargo");
        doc.args(["doc", "--package", "atelier", "--lib", "--no-deps", "--features", "webgpu"]);
        documented::check(&mut doc, place)
    })?;
    step("documentation of the server and of the chores", || {
        let mut doc = Command::new("cargo");
        let packages = ["--package", "atelier-server", "--package", "xtask"];
        doc.arg("doc").args(packages).arg("--no-deps");
        document(&mut doc, place)
    })?;
    let (wasm, shellcheck) = setup::for_lints(place)?;
    step("workflows, YAML and shell scripts", || scripts::check(place, &shellcheck))?;
    step("clippy of the page and its worker (wasm)", || {
        let mut clippy = wasm.cargo();
        clippy.arg("clippy").args(WEB).args(["--lib", "--bins", "--", "-D", "warnings"]);
        run(clippy.current_dir(place.root()), "Clippy has something to say about the page.")
    })?;
    step("clippy of the benches in a browser (wasm)", || {
        let mut clippy = wasm.cargo();
        clippy.args(["clippy", "--package", peers::PACKAGE, "--target", TRIPLE]);
        clippy.args(["--", "-D", "warnings"]);
        run(
            clippy.current_dir(place.root()),
            "Clippy has something to say about a bench in a browser.",
        )
    })?;
    step("documentation of the page (wasm)", || {
        let mut doc = wasm.cargo();
        doc.arg("doc").args(WEB).args(["--lib", "--no-deps"]);
        document(&mut doc, place)
    })
}

fn document(doc: &mut Command, place: &Place) -> Result<(), Stop> {
    doc.current_dir(place.root()).env("RUSTDOCFLAGS", "-D warnings");
    run(doc, "The documentation has a broken link or another fault.")
}

/// Builds the page and runs every test: natively, and of the page in a browser.
pub fn test(place: &Place) -> Result<(), Stop> {
    let mut summaries = Vec::new();
    // Apart: together, cargo would build this very program anew with other features of its crates.
    let tests = page_tests(place)?;
    for (package, features) in TESTED {
        let mut cargo = tests(package, features);
        step(&format!("cargo test --package {package}"), || {
            run_tests(&mut cargo, package, &mut summaries)
        })?;
    }
    println!("\nEvery test runner's summary:");
    for summary in summaries {
        println!("{summary}");
    }
    Ok(())
}

/// What takes minutes: a model of a billion numbers in the page, 1.3 GB on the disk, on a software GPU too; and a
/// download that is killed at twenty moments.
pub fn test_large(place: &Place) -> Result<(), Stop> {
    let mut cargo = page_tests(place)?("atelier", FEATURES);
    cargo.args(["--test", "page", "--", "--ignored", "--nocapture"]);
    run(&mut cargo, "A large model does not fit the page, or a killed download does not go on.")
}

/// What the page's tests need beside the package's own.
const FEATURES: &str = "browser-tests,reference,webgpu";

/// Packages with tests, and their features.
const TESTED: [(&str, &str); 3] = [("atelier", FEATURES), ("xtask", ""), ("atelier-server", "")];

fn cargo_test(place: &Place, package: &str, features: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(place.root()).args(["test", "--package", package, "--features", features]);
    cargo
}

/// Compiles every test, so that they are found done.
fn compile(place: &Place) -> Result<(), Stop> {
    step("compiling the tests meanwhile", || {
        for (package, features) in TESTED {
            let mut cargo = cargo_test(place, package, features);
            cargo.args(["--no-run", "--quiet"]);
            run(&mut cargo, "The tests could not be compiled.")?;
        }
        Ok(())
    })
}

/// Prepares the page and what drives it; gives `cargo test` of a package, which is told where these are.
fn page_tests(place: &Place) -> Result<impl Fn(&str, &str) -> Command, Stop> {
    let (workshop, browser, pythons) = setup::for_tests(place, Some(compile))?;
    page::build_in(&workshop, place, &Site::of("test", place))?;
    let packed = pack::pack(place)?;
    let runtime = runtime_folder(place)?;
    let dist = place.dist();
    Ok(move |package: &str, features: &str| {
        let mut cargo = cargo_test(place, package, features);
        cargo
            .env("ATELIER_DIST", &dist)
            .env("ATELIER_PACK", &packed)
            .env("ATELIER_CHROME", &browser.chrome)
            .env("ATELIER_CHROMEDRIVER", &browser.driver)
            .env("ATELIER_FIREFOX", &browser.firefox)
            .env("ATELIER_GECKODRIVER", &browser.geckodriver)
            .env("ATELIER_HUB_PYTHON", &pythons.client)
            .env("ATELIER_PYTHON", &pythons.pyarrow)
            .envs(runtime.iter().map(|folder| (RUNTIME, folder)));
        cargo
    })
}

const RUNTIME: &str = "XDG_RUNTIME_DIR";

/// Mesa's drivers look for a display's socket in this folder, and complain in the middle of the tests
/// where there is none: an empty one, if the session has none.
fn runtime_folder(place: &Place) -> Result<Option<PathBuf>, Stop> {
    if std::env::var_os(RUNTIME).is_some() {
        return Ok(None);
    }
    let folder = place.scratch().join("runtime");
    page::make_folder(&folder)?;
    #[cfg(unix)]
    {
        // Nobody else's, or it is no such folder.
        use std::os::unix::fs::PermissionsExt;
        let own = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(&folder, own)
            .map_err(|error| Stop::file("keep to you", &folder, &error))?;
    }
    Ok(Some(folder))
}

/// Runs tests, passing on what they print and keeping their summaries.
fn run_tests(cargo: &mut Command, package: &str, summaries: &mut Vec<String>) -> Result<(), Stop> {
    let failed =
        || Stop::new(format!("Tests of {package} failed.")).try_running("cargo xtask test");
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(|_| failed())?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            println!("{line}");
            if line.starts_with("test result: ") && !is_empty(&line) {
                summaries.push(line);
            }
        }
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(failed()),
    }
}

/// A runner that had nothing to run: a binary without tests.
fn is_empty(summary: &str) -> bool {
    summary.contains(" 0 passed; 0 failed; 0 ignored;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_without_tests_have_no_summary() {
        assert!(is_empty("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured"));
        assert!(!is_empty("test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured"));
        assert!(!is_empty("test result: ok. 10 passed; 0 failed; 0 ignored; 0 measured"));
    }
}
