//! wasm-bindgen, built from the version in `Cargo.lock` (`xtask/bindgen`) once for all clones, and its runs.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Stop, ready, run, step};
use crate::place::Place;

const PACKAGE: &str = "atelier-bindgen";

/// The program's sources: if one of them changes, it is built anew. The first names its version.
const SOURCES: [&str; 2] =
    [include_str!("../bindgen/Cargo.toml"), include_str!("../bindgen/src/main.rs")];

/// Makes wasm-bindgen present.
pub fn build(place: &Place) -> Result<(), Stop> {
    if program(place).is_file() {
        ready("wasm-bindgen");
        return Ok(());
    }
    step("building wasm-bindgen, once for all clones", || {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(place.root()).args(["build", "--quiet", "--package", PACKAGE]);
        cargo.arg("--target-dir").arg(place.target());
        run(&mut cargo, "wasm-bindgen could not be built.")?;
        keep(place).map_err(|error| Stop::new(format!("wasm-bindgen could not be kept: {error}")))
    })
}

/// Copies what cargo built beside the other tools; the last step is one rename, for clones that build at once.
fn keep(place: &Place) -> std::io::Result<()> {
    let kept = program(place);
    let built = place.target().join("debug").join(file());
    std::fs::create_dir_all(folder(place))?;
    let copy = kept.with_extension(std::process::id().to_string());
    let placed = std::fs::copy(built, &copy).and_then(|_| std::fs::rename(&copy, kept));
    if placed.is_err() {
        // The beginning of a file that a full disk had no more room for.
        let _ = std::fs::remove_file(&copy);
    }
    placed
}

fn file() -> String {
    format!("wasm-bindgen{}", std::env::consts::EXE_SUFFIX)
}

/// The folder that holds it, for the search path of Trunk.
pub fn folder(place: &Place) -> PathBuf {
    let mut hash = DefaultHasher::new();
    SOURCES.hash(&mut hash);
    let name = format!("wasm-bindgen-{:016x}", hash.finish());
    place.cache().join("tools").join(name).join("bin")
}

fn program(place: &Place) -> PathBuf {
    folder(place).join(file())
}

/// Writes `NAME.js` and `NAME_bg.wasm` of a wasm file into a folder.
pub fn generate(place: &Place, wasm: &Path, folder: &Path, name: &str) -> Result<(), Stop> {
    let mut bindgen = Command::new(program(place));
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]);
    bindgen.arg(folder).arg(wasm);
    run(&mut bindgen, &format!("wasm-bindgen could not write the JavaScript of {name}."))
}
