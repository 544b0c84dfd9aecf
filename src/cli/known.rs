//! `--model`: a known model's name, SmolLM2 in the models folder, a folder, a GGUF file, or a model on a hub.

use std::path::PathBuf;

use anyhow::{Context, bail};
use atelier_server::{ModelsFolder, models_folder, smollm2};

use super::hub::{Hub, HubCache};
use super::output::{self, Progress};
use super::pull;
use crate::engine::EngineChoice;
use crate::model::catalogue::{self, published};
use crate::model::hub::HubName;
use crate::model::{ModelError, ModelFiles};
use crate::study::{LoadedModel, StudyError};

/// Files that were found, into the engine chosen.
pub fn load(files: &ModelFiles, engine: &EngineChoice) -> Result<LoadedModel, StudyError> {
    let progress = Progress::new("loading", "MiB");
    LoadedModel::from_files_with(files, engine, &mut |done, of| {
        progress.at((done >> 20) as usize, (of >> 20).max(1) as usize);
    })
}

/// Opens a model by a known name, a folder, a GGUF file, or a name on a hub. A hub's files come from the cache,
/// and are fetched where they are not there. A folder named like a known model is opened by a path:
/// `./scholar-12`.
pub fn files(name_or_folder: &str) -> anyhow::Result<ModelFiles> {
    if let Some(known) = catalogue::find(name_or_folder) {
        return Ok(known.open()?);
    }
    Ok(found(name_or_folder)?.0)
}

/// Opens a model that is not part of this program. Returns its files with their path: a folder, or a GGUF file.
pub fn found(name_or_folder: &str) -> anyhow::Result<(ModelFiles, PathBuf)> {
    if name_or_folder == smollm2::NAME {
        let path = smollm2_file()?;
        return Ok((ModelFiles::open(&path)?, path));
    }
    if HubName::is_one(name_or_folder) {
        return of_hub(&HubName::parse(name_or_folder)?);
    }
    let path = PathBuf::from(name_or_folder);
    if !path.is_dir() && !path.is_file() {
        let known = format!("{}, {}", catalogue::names(), smollm2::NAME);
        return Err(ModelError::NoFolder { folder: path, known }.into());
    }
    Ok((ModelFiles::open(&path)?, path))
}

/// The models folder of this user, where there is one.
///
/// # Errors
/// It is there and cannot be read.
pub fn models_here() -> anyhow::Result<Option<ModelsFolder>> {
    ModelsFolder::of_user().with_context(|| {
        let folder = models_folder().unwrap_or_default();
        format!("the models folder {} cannot be read", folder.display())
    })
}

/// Where the models folder is or would be.
///
/// # Errors
/// There is no home folder.
pub fn models_place() -> anyhow::Result<PathBuf> {
    models_folder().context("there is no home folder for models: name a folder in ATELIER_MODELS")
}

fn smollm2_file() -> anyhow::Result<PathBuf> {
    let folder = models_place()?;
    match models_here()?.and_then(|models| smollm2::find(&models)) {
        Some(path) => Ok(path),
        None => bail!(
            "{} is not in {}: `atelier pull {}` says how it comes there",
            smollm2::NAME,
            folder.display(),
            smollm2::NAME
        ),
    }
}

fn of_hub(name: &HubName) -> anyhow::Result<(ModelFiles, PathBuf)> {
    let mut list = published::published().iter();
    let of_list = list.find(|model| model.repo == name.repo);
    let ending = of_list.and_then(|model| model.ending.as_deref());
    let cached = HubCache::from_env()?.find(name, ending);
    let is_cached = cached.is_some();
    let path = match cached {
        Some(path) => path,
        None => pull::pull(&Hub::from_env()?, name)?,
    };
    let mut files = ModelFiles::open(&path)?;
    // Python's programs fetch files one by one.
    if is_cached && files.tokenizer.is_none() && !files.is_gguf() {
        output::say(&format!(
            "atelier: the cache has no tokenizer.json or tokenizer.model of {name}: `atelier pull {name}` fetches it where the hub has it"
        ));
    }
    files.name = match &name.revision {
        // A GGUF file says its own name.
        None if files.is_gguf() => files.name,
        _ => name.title(),
    };
    Ok((files, path))
}
