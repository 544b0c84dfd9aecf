//! The benches against peers: Python's transformers and llama.cpp natively, onnxruntime-web and wllama in a browser.

use std::path::Path;
use std::process::Command;

use crate::command::{Stop, run, step};
use crate::place::Place;
use crate::setting::Setting;
use crate::smollm2::Real;
use crate::wasm::{TRIPLE, Wasm};
use crate::{bindgen, cache, npm, page, setup, wasm_opt};

/// The crate that a page calls in the bench.
pub const PACKAGE: &str = "atelier-browser-peer";

/// The benches and their arguments.
const BENCHES: [(&str, &[&str]); 10] = [
    ("browser", &[]),
    ("browser", &["gpu"]),
    ("wllama", &[]),
    ("python", &[]),
    ("coupling-peer", &[]),
    ("training", &[]),
    ("memory", &[]),
    ("decode", &[]),
    ("llama", &[]),
    ("truth", &[]),
];

/// Runs every bench, or the one of this name.
pub fn bench(place: &Place, only: Option<&str>) -> Result<(), Stop> {
    let is_wanted = |name: &str| only.is_none_or(|only| only == name);
    let benches: Vec<_> = BENCHES.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    if benches.is_empty() {
        let mut names = BENCHES.map(|(name, _)| name).to_vec();
        names.dedup();
        return Err(Stop::usage(format!("There is no such bench. Names: {}.", names.join(", "))));
    }

    // The browser, and what is measured in it.
    let (wasm, browser, _) = setup::for_tests(place, Real::Wanted, None)?;
    let folder = place.root().join("benches/peers");
    let is_in_browser = is_wanted("browser") || is_wanted("wllama");
    if is_in_browser {
        step("npm ci (onnxruntime-web, wllama)", || npm::install(&folder))?;
    }
    let engine = place.scratch().join("peers");
    if is_wanted("browser") {
        build_engine(place, &wasm, &engine)?;
    }
    if is_wanted("wllama") {
        page::build_in(&wasm, place, &Setting::of("peers", place))?;
    }

    for (bench, arguments) in benches {
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(place.root())
            .args(["bench", "--package", "atelier-benches", "--bench", bench])
            .args(["--features", "peers", "--"])
            .args(arguments)
            .env("ATELIER_PEER", &engine)
            .env("ATELIER_DIST", place.dist())
            .env("ATELIER_REAL", cache::model(place.cache()))
            .env("ATELIER_CHROME", &browser.chrome)
            .env("ATELIER_CHROMEDRIVER", &browser.driver);
        run(&mut cargo, "A bench against a peer did not end well.")?;
    }
    Ok(())
}

/// Builds the engine alone for a browser, into a folder.
fn build_engine(place: &Place, wasm: &Wasm, to: &Path) -> Result<(), Stop> {
    step("building the engine for the browser", || {
        let mut cargo = wasm.cargo();
        cargo.current_dir(place.root()).args([
            "build",
            "--package",
            PACKAGE,
            "--target",
            TRIPLE,
            // As the page's worker is built.
            "--profile",
            "web",
            "--target-dir",
        ]);
        let why = "The engine could not be built for the browser.";
        run(cargo.arg(place.scratch().join("peers-target")), why)
    })?;
    let name = PACKAGE.replace('-', "_");
    let built = place.scratch().join("peers-target").join(TRIPLE);
    bindgen::build(place)?;
    bindgen::generate(place, &built.join("web").join(format!("{name}.wasm")), to, &name)?;
    step("wasm-opt", || {
        wasm_opt::optimise(place, &to.join(format!("{name}_bg.wasm")), page::WORKER_LEVEL)
    })
}
