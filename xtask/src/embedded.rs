//! The program `atelier` with the page in it: `cargo xtask build --binary`.
//!
//! The page's files, compressed where that helps, and a Rust expression that names them: an array of
//! `EmbeddedFile` (`src/cli/page_files.rs`). `ATELIER_PAGE` says where it is, and the compiler reads it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Stop, run, step};
use crate::disk::{self, make_folder, named_under, remove};
use crate::host;
use crate::page::gzip;
use crate::place::Place;

/// Folder of the models. The program carries their files already, and serves them under the same names.
const CARRIED: &str = "models/";

/// Endings of files that are compressed already.
const PACKED: &[&str] = &["png", "ico", "woff2"];

/// A program that may carry the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: &'static str,
    pub features: &'static str,
}

/// For everybody.
pub const PLAIN: Program = Program { name: "atelier", features: "embedded-page,webgpu" };

/// For those who have CUDA's libraries: another does not start without them.
pub const CUDA: Program = Program { name: "atelier-cuda", features: "embedded-page,webgpu,cuda" };

/// Builds a program with a finished page in it, and gives back where it is.
pub fn build(place: &Place, page: &Path, of: Program) -> Result<PathBuf, Stop> {
    let list = step("compressing the page", || collect(place, page))?;
    let name = of.name;
    let what = format!("building {name} with the page in it, in release");
    step(&what, || {
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(place.root())
            .args(["build", "--release", "--package", "atelier"])
            .args(["--bin", name, "--features", of.features, "--target-dir"])
            .arg(place.target())
            .env("ATELIER_PAGE", &list);
        run(&mut cargo, "The program could not be built.")
    })?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program = place.target().join("release").join(file);
    println!("{} carries the page", program.display());
    Ok(program)
}

/// Writes the files and the expression, and gives back where that is.
fn collect(place: &Place, page: &Path) -> Result<PathBuf, Stop> {
    let folder = place.scratch().join("embedded");
    remove(&folder)?;
    make_folder(&folder)?;
    let mut list = String::from("&[\n");
    for (number, (name, file)) in named_under(page)?.into_iter().enumerate() {
        let is_model = [".json", ".safetensors"].iter().any(|end| name.ends_with(end));
        if name.starts_with(CARRIED) && is_model || host::FILES.contains(&name.as_str()) {
            continue;
        }
        let bytes = disk::read(&file)?;
        let ending = Path::new(&name).extension().unwrap_or_default();
        let is_packed = PACKED.iter().any(|known| ending == *known);
        let bytes = if is_packed {
            bytes
        } else {
            gzip(&bytes).map_err(|error| Stop::file("compress", &file, &error))?
        };
        let own = folder.join(number.to_string());
        disk::write(&own, bytes)?;
        // Writing to a text cannot fail.
        let _ = writeln!(
            list,
            "    EmbeddedFile {{ name: {name:?}, gzip: {}, bytes: include_bytes!(\"{number}\") }},",
            !is_packed
        );
    }
    list.push_str("]\n");
    let path = folder.join("page.rs");
    disk::write(&path, list)?;
    Ok(path)
}
