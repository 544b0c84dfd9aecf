//! The start page's pictures: drawn by the models that come with the page, natively, while it is built.
//! In the profile of the tests, whose crates are there already where both are built.

use std::path::Path;
use std::process::Command;

use crate::command::{Stop, run};
use crate::place::Place;

/// Builds the program that draws them and has it draw them into the page.
pub fn draw(place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(place.root())
        .args(["build", "--quiet", "--package", "atelier"])
        .args(["--no-default-features", "--features", "pictures"])
        .args(["--bin", "pictures"]);
    let failed = "The program that draws the start page's pictures could not be built.";
    run(&mut cargo, failed)?;
    let file = format!("pictures{}", std::env::consts::EXE_SUFFIX);
    let mut pictures = Command::new(place.target().join("debug").join(file));
    pictures.current_dir(place.root()).arg(stage);
    run(&mut pictures, "The start page's pictures could not be drawn.")
}
