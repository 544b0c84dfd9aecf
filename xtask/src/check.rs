//! Formatting, lints and documentation; and the tests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::command::{Stop, run, step};
use crate::disk::make_folder;
use crate::place::Place;
use crate::setting::Setting;
use crate::setup::{self, Chore};
use crate::smollm2::{self, Real};
use crate::times::{self, Times};
use crate::wasm::TRIPLE;
use crate::{documented, pack, page, peers, scripts};

/// The page and its worker, as cargo selects them.
const WEB: &[&str] =
    &["--package", "atelier", "--target", TRIPLE, "--no-default-features", "--features", "web"];

/// The one set of features of lints, documentation and tests: all but `web` and `cuda`, which wants NVIDIA's compiler.
/// With another set cargo would compile everything again.
const FEATURES: &str = "atelier/browser-tests,atelier/reference,atelier/webgpu";

/// Packages that are linted and documented. [`check_benches`] lints the benches.
const PACKAGES: [&str; 10] = [
    "--package",
    "atelier",
    "--package",
    "atelier-bindgen",
    "--package",
    "atelier-kernels",
    "--package",
    "atelier-server",
    "--package",
    "xtask",
];

pub fn check(place: &Place) -> Result<(), Stop> {
    step("cargo fmt --check", || {
        let mut fmt = Command::new("cargo");
        fmt.current_dir(place.root()).args(["fmt", "--all", "--check"]);
        run(&mut fmt, "Some files are not formatted.")
            .map_err(|stop| stop.try_running("cargo fmt --all"))
    })?;
    step("clippy", || {
        let mut clippy = Command::new("cargo");
        clippy.arg("clippy").args(PACKAGES).args(["--all-targets", "--features", FEATURES]);
        clippy.args(["--", "-D", "warnings"]);
        run(clippy.current_dir(place.root()), "Clippy has something to say.")
    })?;
    step("documentation", || {
        let mut doc = Command::new("cargo");
        doc.arg("doc").args(PACKAGES).args(["--no-deps", "--features", FEATURES]);
        documented::check(&mut doc, place)
    })?;
    let (wasm, shellcheck) = setup::for_lints(place)?;
    step("workflows, YAML and shell scripts", || scripts::check(place, &shellcheck))?;
    step("clippy of the page and its worker (wasm)", || {
        let mut clippy = wasm.cargo();
        clippy.arg("clippy").args(WEB).args(["--lib", "--bins", "--", "-D", "warnings"]);
        run(clippy.current_dir(place.root()), "Clippy has something to say about the page.")
    })?;
    step("documentation of the page (wasm)", || {
        let mut doc = wasm.cargo();
        doc.arg("doc").args(WEB).args(["--lib", "--no-deps"]);
        document(&mut doc, place)
    })
}

/// Lints of the benches, which no other chore compiles: candle's hundred models among their crates take minutes.
pub fn check_benches(place: &Place) -> Result<(), Stop> {
    let (wasm, _) = setup::for_lints(place)?;
    step("clippy of the benches", || {
        let mut clippy = Command::new("cargo");
        clippy.args(["clippy", "--package", "atelier-benches", "--all-targets"]);
        clippy.args(["--features", "peers,webgpu", "--", "-D", "warnings"]);
        run(clippy.current_dir(place.root()), "Clippy has something to say about a bench.")
    })?;
    step("clippy of the benches in a browser (wasm)", || {
        let mut clippy = wasm.cargo();
        clippy.args(["clippy", "--package", peers::PACKAGE, "--target", TRIPLE]);
        clippy.args(["--", "-D", "warnings"]);
        run(
            clippy.current_dir(place.root()),
            "Clippy has something to say about a bench in a browser.",
        )
    })
}

fn document(doc: &mut Command, place: &Place) -> Result<(), Stop> {
    doc.current_dir(place.root()).env("RUSTDOCFLAGS", "-D warnings");
    run(doc, "The documentation has a broken link or another fault.")
}

/// Builds the page and runs every test: natively, and of the page in a browser.
pub fn test(place: &Place, real: Real) -> Result<(), Stop> {
    let tests = page_tests(place, real, compile)?;
    let (mut summaries, mut tables) = (Vec::new(), String::new());
    for tested in TESTED {
        let mut cargo = tests(tested);
        let mut times = Times::default();
        if tested.package == "atelier" && tested.targets != DOC {
            times::ask(&mut cargo);
        }
        step(&format!("tests of {}", tested.name), || {
            run_tests(&mut cargo, tested.name, &mut summaries, &mut times)
        })?;
        tables += &times.table(tested.name);
    }
    println!("{tables}\nEvery test runner's summary:");
    for summary in summaries {
        println!("{summary}");
    }
    Ok(())
}

/// Runs the tests whose path has a module of this name: the library's and those of `tests/it`, or with `page` or `page::GROUP` the
/// page's, which is built for these alone.
///
/// # Errors
/// A test failed, or there is none of this name.
pub fn test_only(place: &Place, real: Real, name: &str) -> Result<(), Stop> {
    let page = name.strip_prefix("page").and_then(|rest| match rest {
        "" => Some(""),
        rest => rest.strip_prefix("::"),
    });
    let (mut cargo, group) = match page {
        Some(group) => (page_tests(place, real, compile_page)?(PAGE), group),
        // These run the page's worker, or Python beside it.
        None if ["hub", "survey", "wasm"].contains(&name) => {
            (page_tests(place, real, compile_native)?(NATIVE_TESTS), name)
        }
        None => {
            if real == Real::Wanted {
                smollm2::prepare(place)?;
            }
            (cargo_test(place, real, NATIVE_TESTS), name)
        }
    };
    if !group.is_empty() {
        cargo.args(["--", &format!("{group}::")]);
    }
    let mut summaries = Vec::new();
    run_tests(&mut cargo, name, &mut summaries, &mut Times::default())?;
    if summaries.is_empty() {
        let names = modules(place)?.join(", ");
        return Err(Stop::usage(format!("No test is of `{name}`. Names: {names}.")));
    }
    Ok(())
}

/// Lists the names that `--only` takes: modules of the crates and of `tests/it`, and groups of the page.
fn modules(place: &Place) -> Result<Vec<String>, Stop> {
    let mut names = Vec::new();
    let folders =
        [("src", ""), ("crates/kernels/src", ""), ("tests/it", ""), ("tests/page", "page::")];
    for (folder, before) in folders {
        let folder = place.root().join(folder);
        let unread = |error| Stop::file("read", &folder, &error);
        for entry in std::fs::read_dir(&folder).map_err(unread)? {
            let path = entry.map_err(unread)?.path();
            if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) {
                names.push(format!("{before}{stem}"));
            }
        }
    }
    names.sort();
    names.dedup();
    names.retain(|name| !["bin", "lib", "main", "page::main"].contains(&name.as_str()));
    Ok(names)
}

/// Runs the page's tests that take minutes: a model of a billion numbers in the page, 1.3 GB on the disk, on a
/// software GPU too; and a download that is killed at twenty moments.
pub fn test_large(place: &Place, real: Real) -> Result<(), Stop> {
    let mut cargo = page_tests(place, real, compile_page)?(PAGE);
    cargo.args(["--", "--ignored", "--nocapture"]);
    run(&mut cargo, "A large model does not fit the page, or a killed download does not go on.")
}

/// A run of `cargo test`.
#[derive(Clone, Copy)]
struct Tested {
    name: &'static str,
    package: &'static str,
    targets: &'static [&'static str],
}

/// Set for tests where the real model is left out; `tests/common` reads it.
const NO_REAL: &str = "ATELIER_NO_REAL";

const DOC: &[&str] = &["--doc"];
const PAGE: Tested = Tested { name: "the page", package: "atelier", targets: &["--test", "page"] };
const NATIVE_TESTS: Tested =
    Tested { name: "the library", package: "atelier", targets: &["--lib", "--test", "it"] };
const XTASK: Tested = Tested { name: "xtask", package: "xtask", targets: &[] };
const SERVER: Tested = Tested { name: "atelier-server", package: "atelier-server", targets: &[] };

/// All of them. Packages are apart: together, cargo would build this very program anew with other features of its
/// crates.
const TESTED: [Tested; 6] = [
    Tested { name: "units", package: "atelier", targets: &["--lib"] },
    Tested { name: "library and command line", package: "atelier", targets: &["--test", "it"] },
    PAGE,
    Tested { name: "documentation", package: "atelier", targets: DOC },
    XTASK,
    SERVER,
];

/// A run of tests, which are told whether the real model is left out, and of no models folder but an empty one.
fn cargo_test(place: &Place, real: Real, tested: Tested) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(place.root()).args(["test", "--package", tested.package]);
    cargo.env("ATELIER_MODELS", place.scratch().join("no-models")).env_remove(NO_REAL);
    if real == Real::LeftOut {
        cargo.env(NO_REAL, "1");
    }
    if tested.package == "atelier" {
        cargo.args(["--package", "atelier-kernels", "--features", FEATURES]);
    }
    cargo.args(tested.targets);
    cargo
}

/// Compiles every test, so that they are found done.
fn compile(place: &Place) -> Result<(), Stop> {
    let programs = &["--lib", "--test", "it", "--test", "page"];
    let atelier = Tested { targets: programs, ..PAGE };
    compile_tests(place, &[atelier, XTASK, SERVER])
}

/// Compiles the tests of the page alone.
fn compile_page(place: &Place) -> Result<(), Stop> {
    compile_tests(place, &[PAGE])
}

/// Compiles the native tests alone.
fn compile_native(place: &Place) -> Result<(), Stop> {
    compile_tests(place, &[NATIVE_TESTS])
}

fn compile_tests(place: &Place, tests: &[Tested]) -> Result<(), Stop> {
    step("compiling the tests meanwhile", || {
        for &tested in tests {
            let mut cargo = cargo_test(place, Real::Wanted, tested);
            cargo.args(["--no-run", "--quiet"]);
            run(&mut cargo, "The tests could not be compiled.")?;
        }
        Ok(())
    })
}

/// Prepares the page and what drives it; gives `cargo test` of a package, which is told where these are.
fn page_tests(
    place: &Place,
    real: Real,
    compile: Chore,
) -> Result<impl Fn(Tested) -> Command, Stop> {
    let (wasm, browser, pythons) = setup::for_tests(place, real, Some(compile))?;
    page::build_in(&wasm, place, &Setting::of("test", place))?;
    let packed = pack::pack(place)?;
    let runtime = runtime_folder(place)?;
    let dist = place.dist();
    Ok(move |tested: Tested| {
        let mut cargo = cargo_test(place, real, tested);
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
    make_folder(&folder)?;
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

/// Runs tests, passing on what they print, and keeps their summaries, the last with what was skipped and why.
fn run_tests(
    cargo: &mut Command,
    name: &str,
    summaries: &mut Vec<String>,
    times: &mut Times,
) -> Result<(), Stop> {
    let failed = || Stop::new(format!("Tests of {name} failed.")).try_running("cargo xtask test");
    cargo.stdout(Stdio::piped()).stderr(Stdio::piped());
    let unstarted = |error| Stop::new(format!("cargo did not start: {error}."));
    let mut child = cargo.spawn().map_err(unstarted)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());

    let skips = std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let mut skips = Skips::default();
            for line in lines_of(stderr) {
                eprintln!("{line}");
                skips.read(&line);
            }
            skips
        });
        for line in lines_of(stdout) {
            println!("{line}");
            times.read(&line);
            if line.starts_with("test result: ") && !is_empty(&line) {
                summaries.push(line);
            }
        }
        beside.join()
    });
    let skips = skips.map_err(|_| Stop::new("The thread that counts what tests skip ended."))?;

    match child.wait() {
        Ok(status) if status.success() => {
            if let Some(last) = summaries.last_mut() {
                *last += &skips.summary();
            }
            Ok(())
        }
        _ => Err(failed()),
    }
}

/// Lines that a program prints.
fn lines_of(output: Option<impl Read>) -> impl Iterator<Item = String> {
    let lines = output.map(|output| BufReader::new(output).split(b'\n'));
    let lines = lines.into_iter().flatten().map_while(Result::ok);
    // Also those that are no text: a program whose output nobody reads any more waits without end.
    lines.map(|line| String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())
}

/// Tests that were skipped: how many for each reason.
#[derive(Debug, Default)]
struct Skips(BTreeMap<String, usize>);

impl Skips {
    /// Takes a line that a test printed, if it says that something was skipped.
    fn read(&mut self, line: &str) {
        if let Some((_, reason)) = line.split_once("SKIPPED") {
            let reason = reason.trim_start_matches(':').trim();
            *self.0.entry(reason.to_string()).or_default() += 1;
        }
    }

    /// The end of a summary.
    fn summary(&self) -> String {
        let count: usize = self.0.values().sum();
        let reasons = self.0.iter().map(|(reason, count)| format!("\n  {count} x {reason}"));
        format!(" {count} skipped{}", reasons.collect::<String>())
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
    fn a_summary_counts_what_was_skipped_and_why() {
        let mut skips = Skips::default();
        assert_eq!(skips.summary(), " 0 skipped");
        for line in ["SKIPPED: a", "SKIPPED b: c", "test x ... SKIPPED: a", "test y ... ok"] {
            skips.read(line);
        }
        assert_eq!(skips.summary(), " 3 skipped\n  2 x a\n  1 x b: c");
    }

    #[test]
    fn a_line_that_is_no_text_ends_nothing() {
        let lines: Vec<String> = lines_of(Some(&b"a\r\n\xff\nSKIPPED: b"[..])).collect();
        assert_eq!(lines, ["a", "\u{fffd}", "SKIPPED: b"]);
    }

    #[test]
    fn runners_without_tests_have_no_summary() {
        assert!(is_empty("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured"));
        assert!(!is_empty("test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured"));
        assert!(!is_empty("test result: ok. 10 passed; 0 failed; 0 ignored; 0 measured"));
    }
}
