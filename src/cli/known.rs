//! `--model`: a known model's name, a folder, or a GGUF file.

use std::path::Path;

use super::output::Progress;
use crate::engine::EngineChoice;
use crate::model::catalogue::{self, KnownFile};
use crate::model::{FileBytes, ModelError, ModelFiles};
use crate::study::{LoadedModel, StudyError};

/// Files that were found, into the engine chosen.
pub fn load(files: &ModelFiles, engine: &EngineChoice) -> Result<LoadedModel, StudyError> {
    let progress = Progress::new("loading", "MiB");
    LoadedModel::from_files_with(files, engine, &mut |done, of| {
        progress.at((done >> 20) as usize, (of >> 20).max(1) as usize);
    })
}

/// What belongs to a known name, lies in a folder, or is a GGUF file. A folder named like a known model is
/// opened by a path: `./apprentice-12`.
pub fn files(name_or_folder: &str) -> Result<ModelFiles, ModelError> {
    if let Some(known) = catalogue::find(name_or_folder) {
        let bytes = |file: &KnownFile| (file.name.to_string(), FileBytes::Static(file.bytes));
        return ModelFiles::from_named(known.name, known.files.iter().map(bytes).collect());
    }
    let path = Path::new(name_or_folder);
    if !path.is_dir() && !path.is_file() {
        return Err(ModelError::NoFolder {
            folder: path.to_path_buf(),
            known: catalogue::names(),
        });
    }
    ModelFiles::open(path)
}
