//! The benches against peers: Python's transformers and llama.cpp natively, onnxruntime-web in a browser.

use std::process::Command;

use crate::command::{Stop, run, step};
use crate::place::Place;
use crate::smollm2::Real;
use crate::wasm::TRIPLE;
use crate::{bindgen, npm, page, setup, wasm_opt};

/// The crate that a page calls in the bench.
pub const PACKAGE: &str = "atelier-browser-peer";

pub fn bench(place: &Place) -> Result<(), Stop> {
    let (wasm, browser, _) = setup::for_tests(place, Real::Wanted, None)?;
    let folder = place.root().join("benches/peers");
    step("npm ci (onnxruntime-web)", || npm::install(&folder))?;

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
    let pkg = place.scratch().join("peers");
    bindgen::build(place)?;
    bindgen::generate(place, &built.join("web").join(format!("{name}.wasm")), &pkg, &name)?;
    step("wasm-opt", || {
        wasm_opt::optimise(place, &pkg.join(format!("{name}_bg.wasm")), page::WORKER_LEVEL)
    })?;

    let benches = [
        ("browser", &[][..]),
        ("browser", &["gpu"]),
        ("python", &[]),
        ("coupling-peer", &[]),
        ("training", &[]),
        ("memory", &[]),
        ("decode", &[]),
        ("llama", &[]),
        ("truth", &[]),
    ];
    for (bench, arguments) in benches {
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(place.root())
            .args(["bench", "--package", "atelier-benches", "--bench", bench])
            .args(["--features", "peers", "--"])
            .args(arguments)
            .env("ATELIER_PEER", &pkg)
            .env("ATELIER_CHROME", &browser.chrome)
            .env("ATELIER_CHROMEDRIVER", &browser.driver);
        run(&mut cargo, "A bench against a peer did not end well.")?;
    }
    Ok(())
}
