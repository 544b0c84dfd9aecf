//! wasm-bindgen, built from the version in `Cargo.lock` (`xtask/bindgen`), and its runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Stop, run, step};
use crate::place::Place;

const PACKAGE: &str = "atelier-bindgen";

/// Builds wasm-bindgen; cargo skips what is up to date.
pub fn build(place: &Place) -> Result<(), Stop> {
    step("building wasm-bindgen", || {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(place.root()).args(["build", "--quiet", "--package", PACKAGE]);
        cargo.arg("--target-dir").arg(place.target());
        run(&mut cargo, "wasm-bindgen could not be built.")
    })
}

/// The folder that holds it, for the search path of Trunk.
pub fn folder(place: &Place) -> PathBuf {
    place.target().join("debug")
}

/// Writes `NAME.js` and `NAME_bg.wasm` of a wasm file into a folder.
pub fn generate(place: &Place, wasm: &Path, folder: &Path, name: &str) -> Result<(), Stop> {
    let file = format!("wasm-bindgen{}", std::env::consts::EXE_SUFFIX);
    let mut bindgen = Command::new(self::folder(place).join(file));
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]);
    bindgen.arg(folder).arg(wasm);
    run(&mut bindgen, &format!("wasm-bindgen could not write the JavaScript of {name}."))
}
