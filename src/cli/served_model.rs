//! A model's files as the page may read them: those the model is made of, whatever else lies in its
//! folder.

use std::path::Path;

use anyhow::Context;
use atelier_server::ServedFiles;

use super::open::plain;
use crate::model::weights::Weights;
use crate::model::{ModelFiles, TokenizerFiles};

/// Serves files that were opened at `path`, a folder or a file of it.
///
/// # Errors
/// Their headers are no model's, or the folder is gone.
pub fn served_files(files: &ModelFiles, path: &Path) -> anyhow::Result<ServedFiles> {
    Weights::open(files)?;
    let gone = || format!("{} cannot be served", path.display());

    // A file's own name stays: a link to it may be named otherwise, as all in a hub's cache are.
    let (folder, file) = match (path.parent(), path.file_name()) {
        (Some(folder), Some(file)) if !path.is_dir() => (folder, Some(file)),
        _ => (path, None),
    };
    let here = Path::new(".");
    let folder = Some(folder).filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(here).canonicalize().with_context(gone)?;

    let mut names: Vec<&str> = Vec::new();
    names.extend(files.config.as_ref().map(|_| "config.json"));
    names.extend(files.tokenizer.iter().flat_map(TokenizerFiles::named).map(|(name, _)| name));
    names.extend(files.index.as_ref().map(|(name, _)| name.as_str()));
    names.extend(files.weights.iter().map(|(name, _)| name.as_str()));
    for name in &names {
        folder.join(name).metadata().with_context(gone)?;
    }

    // The page says where a model came from; whose machine that is and how its disk is laid out is nobody's business.
    let from = file.or(folder.file_name()).map(|name| name.to_string_lossy().into_owned());
    let named = names.iter().map(|name| ((*name).to_owned(), folder.join(name)));
    Ok(ServedFiles::new(plain(&files.name), from.unwrap_or_default(), named.collect()))
}

#[cfg(test)]
mod tests {
    use atelier_server::{Files, Found};

    use super::super::known;
    use super::*;

    /// The list of a model's files.
    fn listing(served: &ServedFiles) -> serde_json::Value {
        match served.find(&format!("{}/files.json", served.name())) {
            Some(Found::Bytes { bytes, .. }) => serde_json::from_slice(&bytes).expect("JSON"),
            _ => panic!("no list of {}", served.name()),
        }
    }

    #[test]
    fn of_a_folder_only_the_models_files_are_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/random-llama3");
        let copy = tempfile::tempdir().expect("a folder");
        for file in ["config.json", "model.safetensors"] {
            std::fs::copy(folder.join(file), copy.path().join(file)).expect("a copy");
        }
        for stray in ["secret.txt", "consolidated.safetensors", ".env"] {
            std::fs::write(copy.path().join(stray), "secret").expect("a file");
        }
        let path = copy.path().display().to_string();
        let files = known::files(&path).expect("a model");
        let served = served_files(&files, copy.path()).expect("served");
        let is_there = |file: &str| served.find(&format!("{}/{file}", served.name())).is_some();
        assert!(is_there("config.json") && is_there("model.safetensors"));
        for other in ["secret.txt", "consolidated.safetensors", ".env", "", "x/config.json"] {
            assert!(!is_there(other), "{other}");
        }
        let listing = listing(&served);
        assert_eq!(listing["files"][1]["name"], "model.safetensors");
        // The folder's name, and not where it lies.
        let name = copy.path().file_name().expect("a name").display().to_string();
        assert_eq!(listing["from"], name);
    }

    /// As all files of a hub's cache are.
    #[cfg(unix)]
    #[test]
    fn a_link_is_served_under_its_own_name() {
        let file = "tests/models/gguf/random-llama3-wide-q4_k.gguf";
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let home = tempfile::tempdir().expect("a folder");
        let blobs = home.path().join("blobs");
        std::fs::create_dir(&blobs).expect("a folder");
        std::fs::copy(file, blobs.join("0123abcd")).expect("a copy");
        let snapshot = home.path().join("snapshot");
        std::fs::create_dir(&snapshot).expect("a folder");
        let link = snapshot.join("model.gguf");
        std::os::unix::fs::symlink(blobs.join("0123abcd"), &link).expect("a link");
        let (files, path) = known::found(&link.display().to_string()).expect("a model");
        let served = served_files(&files, &path).expect("served");
        assert!(served.find(&format!("{}/model.gguf", served.name())).is_some());
        assert_eq!(listing(&served)["from"], "model.gguf");
    }
}
