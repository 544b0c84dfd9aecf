//! A model's files as the page may read them: those the model is made of, whatever else lies in its
//! folder.

use std::path::{Path, PathBuf};

use anyhow::Context;
use atelier_server::Found;
use serde_json::json;

use super::open::plain;
use crate::model::ModelFiles;
use crate::model::weights::Weights;

/// The list of the files, which the page asks for first.
const LISTING: &str = "files.json";

/// A model's files, each where it lies.
pub struct ServedModel {
    name: String,
    /// Name and place.
    files: Vec<(String, PathBuf)>,
    listing: String,
}

impl ServedModel {
    /// Of files that were opened at `path`, a folder or a file of it.
    ///
    /// # Errors
    /// Their headers are no model's, or the folder is gone.
    pub fn of(files: &ModelFiles, path: &Path) -> anyhow::Result<Self> {
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
        names.extend(files.tokenizer.as_ref().map(|_| "tokenizer.json"));
        names.extend(files.index.as_ref().map(|(name, _)| name.as_str()));
        names.extend(files.weights.iter().map(|(name, _)| name.as_str()));
        let mut listed = Vec::new();
        for name in &names {
            let about = folder.join(name).metadata().with_context(gone)?;
            listed.push(json!({ "name": name, "bytes": about.len() }));
        }
        let from = file.map_or_else(|| folder.clone(), |file| folder.join(file));
        let from = from.display().to_string();
        Ok(Self {
            name: plain(&files.name),
            files: names.iter().map(|name| ((*name).to_owned(), folder.join(name))).collect(),
            listing: json!({ "from": from, "files": listed }).to_string(),
        })
    }

    /// As the page names it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One of its files, or the list of them.
    pub fn find(&self, file: &str) -> Option<Found> {
        if file == LISTING {
            return Some(Found::bytes(file, self.listing.clone()));
        }
        let found = self.files.iter().find(|(name, _)| name == file);
        found.map(|(_, path)| Found::File(path.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::known;
    use super::*;

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
        let served = ServedModel::of(&files, copy.path()).expect("served");
        let is_there = |name: &str| served.find(name).is_some();
        assert!(is_there("config.json") && is_there("model.safetensors") && is_there(LISTING));
        for other in ["secret.txt", "consolidated.safetensors", ".env", "", "x/config.json"] {
            assert!(!is_there(other), "{other}");
        }
        let listing: serde_json::Value = serde_json::from_str(&served.listing).expect("JSON");
        assert_eq!(listing["files"][1]["name"], "model.safetensors");
        let from = copy.path().canonicalize().expect("the folder");
        assert_eq!(listing["from"], from.display().to_string());
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
        let served = ServedModel::of(&files, &path).expect("served");
        assert!(served.find("model.gguf").is_some());
        let listing: serde_json::Value = serde_json::from_str(&served.listing).expect("JSON");
        let from = snapshot.canonicalize().expect("the folder");
        assert_eq!(listing["from"], from.join("model.gguf").display().to_string());
    }
}
