//! The program `atelier` with the page in it: `cargo xtask build --binary`.
//!
//! The page's files, compressed where that helps, and a Rust expression that names them: an array of
//! `EmbeddedFile` (`src/cli/page_files.rs`). `ATELIER_PAGE` says where it is, and the compiler reads it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::command::{Stop, run, step};
use crate::hash::files_under;
use crate::page::{gzip, make_folder, remove};
use crate::place::Place;

/// Of the models here the program carries the files already, and serves them under the same names.
const CARRIED: &str = "models/";

/// What is small already.
const PACKED: &[&str] = &["png", "ico", "woff2"];

pub fn build(place: &Place) -> Result<(), Stop> {
    let list = step("compressing the page", || collect(place))?;
    step("building atelier with the page in it, in release", || {
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(place.root())
            .args([
                "build",
                "--release",
                "--package",
                "atelier",
                "--bin",
                "atelier",
            ])
            .args(["--features", "embedded-page,webgpu"])
            .env("ATELIER_PAGE", &list);
        run(&mut cargo, "The program atelier could not be built.")
    })?;
    let program = place.target().join("release").join("atelier");
    println!(
        "{}{} carries the page",
        program.display(),
        std::env::consts::EXE_SUFFIX
    );
    Ok(())
}

/// Writes the files and the expression, and gives back where that is.
fn collect(place: &Place) -> Result<std::path::PathBuf, Stop> {
    let (dist, folder) = (place.dist(), place.scratch().join("embedded"));
    remove(&folder)?;
    make_folder(&folder)?;
    let mut list = String::from("&[\n");
    for (number, file) in files_under(&dist)?.iter().enumerate() {
        let name = file.strip_prefix(&dist).unwrap_or(file);
        let name = name.to_string_lossy().replace('\\', "/");
        let is_model = [".json", ".safetensors"]
            .iter()
            .any(|end| name.ends_with(end));
        if name.starts_with(CARRIED) && is_model {
            continue;
        }
        let bytes = std::fs::read(file).map_err(|error| Stop::file("read", file, &error))?;
        let ending = Path::new(&name).extension().unwrap_or_default();
        let is_packed = PACKED.iter().any(|known| ending == *known);
        let bytes = if is_packed {
            bytes
        } else {
            gzip(&bytes).map_err(|error| Stop::file("compress", file, &error))?
        };
        let own = folder.join(number.to_string());
        std::fs::write(&own, bytes).map_err(|error| Stop::file("write", &own, &error))?;
        // Writing to a text cannot fail.
        let _ = writeln!(
            list,
            "    EmbeddedFile {{ name: {name:?}, gzip: {}, bytes: include_bytes!(\"{number}\") }},",
            !is_packed
        );
    }
    list.push_str("]\n");
    let path = folder.join("page.rs");
    std::fs::write(&path, list).map_err(|error| Stop::file("write", &path, &error))?;
    Ok(path)
}
