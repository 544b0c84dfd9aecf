//! The cache on disk, laid out as Python's: a folder a model, in it `blobs` by their hashes,
//! `snapshots` of commits made of links to them, and `refs` from branches to commits.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hf_hub::{Cache, Repo, RepoType};

use super::variable;
use crate::model::ModelFiles;
use crate::model::hub::{FileHash, HubError, HubName, RemoteFile};

/// What a model's folder begins with.
const MODELS: &str = "models--";

pub struct HubCache {
    cache: Cache,
    /// Where a token may lie that Python's programs saved.
    home: PathBuf,
}

/// A model in the cache.
pub struct CachedModel {
    pub name: HubName,
    /// Branches and tags that are there; commits where nothing leads to them.
    pub revisions: Vec<String>,
    /// Of all its files on this disk.
    pub bytes: u64,
}

impl HubCache {
    pub fn from_env() -> Result<Self, HubError> {
        let home = variable("HF_HOME")
            .map(PathBuf::from)
            .or_else(|| {
                variable("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("huggingface"))
            })
            .or_else(|| std::env::home_dir().map(|home| home.join(".cache/huggingface")))
            .ok_or_else(|| HubError::Write {
                path: "the cache".to_owned(),
                reason: "there is no home folder; set HF_HOME to a folder".to_owned(),
            })?;
        let folder = variable("HF_HUB_CACHE").map_or_else(|| home.join("hub"), PathBuf::from);
        Ok(Self { cache: Cache::new(folder), home })
    }

    pub fn folder(&self) -> &Path {
        self.cache.path()
    }

    pub(super) fn token(&self) -> Option<String> {
        let text = fs::read_to_string(self.home.join("token")).ok()?;
        Some(text.trim().to_owned()).filter(|token| !token.is_empty())
    }

    fn repo(&self, name: &HubName) -> Repo {
        Repo::with_revision(name.repo.clone(), RepoType::Model, name.revision().to_owned())
    }

    fn model_folder(&self, name: &HubName) -> PathBuf {
        self.folder().join(self.repo(name).folder_name())
    }

    /// Where a file of this hash lies.
    pub(super) fn blob(&self, name: &HubName, hash: &FileHash) -> PathBuf {
        self.cache.repo(self.repo(name)).blob_path(hash.hex())
    }

    /// Waits until nobody else fetches a file, and keeps others waiting until it is dropped.
    pub(super) fn turn(&self, name: &HubName, hash: &FileHash) -> Result<File, HubError> {
        let blobs = self.model_folder(name).join("blobs");
        let locks = self.folder().join(".locks").join(self.repo(name).folder_name());
        for folder in [&blobs, &locks] {
            fs::create_dir_all(folder).map_err(|error| written(folder, &error))?;
        }
        let path = locks.join(format!("{}.lock", hash.hex()));
        let lock = File::create(&path).map_err(|error| written(&path, &error))?;
        lock.lock().map_err(|error| written(&path, &error))?;
        Ok(lock)
    }

    /// Makes a commit of files that all are there; its folder, or the one file that was named.
    pub(super) fn link(
        &self,
        name: &HubName,
        commit: &str,
        files: &[RemoteFile],
    ) -> Result<PathBuf, HubError> {
        let cached = self.cache.repo(self.repo(name));
        let snapshot = cached.pointer_path(commit);
        for file in files {
            let to = snapshot.join(&file.path);
            let folder = to.parent().unwrap_or(&snapshot);
            fs::create_dir_all(folder).map_err(|error| written(folder, &error))?;
            point(&self.blob(name, &file.hash), &to, file.path.split('/').count())
                .map_err(|error| written(&to, &error))?;
        }
        if name.revision() != commit {
            cached.create_ref(commit).map_err(|error| written(&self.model_folder(name), &error))?;
        }
        Ok(match (&name.file, files) {
            (Some(file), _) => snapshot.join(file),
            // One GGUF file, that of a list's model.
            (None, [only]) => snapshot.join(&only.path),
            (None, [first, ..]) if first.path.ends_with(".gguf") => snapshot.join(&first.path),
            (None, _) => snapshot,
        })
    }

    /// Where a model lies that is whole, without asking anybody. `ending` is that of the GGUF file that
    /// is meant where none is named.
    pub fn find(&self, name: &HubName, ending: Option<&str>) -> Option<PathBuf> {
        let snapshot = self.snapshot(name)?;
        let found = match (&name.file, ending) {
            (Some(file), _) => snapshot.join(file),
            (None, Some(ending)) => {
                let mut files = fs::read_dir(&snapshot).ok()?.flatten();
                files.find_map(|entry| {
                    let file = entry.file_name().to_str()?.to_owned();
                    let ends = file.to_lowercase().ends_with(&ending.to_lowercase());
                    ends.then(|| entry.path())
                })?
            }
            (None, None) => snapshot,
        };
        // Python's programs may have fetched a part of it.
        ModelFiles::open(&found).is_ok_and(|files| files.has_all_shards()).then_some(found)
    }

    fn snapshot(&self, name: &HubName) -> Option<PathBuf> {
        let cached = self.cache.repo(self.repo(name));
        let reference = self.model_folder(name).join("refs").join(name.revision());
        let commit = match fs::read_to_string(reference) {
            Ok(commit) => commit.trim().to_owned(),
            Err(_) => name.revision().to_owned(),
        };
        let is_plain = !commit.is_empty() && commit.bytes().all(|b| b.is_ascii_hexdigit());
        let path = cached.pointer_path(&commit);
        (is_plain && path.is_dir()).then_some(path)
    }

    /// Every model in the cache, those too that Python's programs fetched.
    pub fn models(&self) -> Vec<CachedModel> {
        let folders = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let mut models: Vec<CachedModel> = folders
            .filter_map(|entry| {
                let folder = entry.file_name().to_str()?.strip_prefix(MODELS)?.to_owned();
                let name = HubName::parse(&folder.replacen("--", "/", 1)).ok()?;
                let bytes = files_below(&entry.path().join("blobs"))
                    .iter()
                    .filter_map(|file| fs::metadata(file).ok())
                    .map(|about| about.len())
                    .sum();
                let refs = entry.path().join("refs");
                let mut revisions: Vec<String> = files_below(&refs)
                    .iter()
                    .filter_map(|file| Some(file.strip_prefix(&refs).ok()?.to_str()?.to_owned()))
                    .collect();
                revisions.sort();
                let models = CachedModel { name, revisions, bytes };
                (bytes > 0).then_some(models)
            })
            .collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models
    }

    /// Removes a model, a revision of it, or a file of one; how many bytes that freed. `None` where it
    /// is not there.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn remove(&self, name: &HubName) -> Result<Option<u64>, HubError> {
        let folder = self.model_folder(name);
        if !folder.is_dir() {
            return Ok(None);
        }
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |error: std::io::Error| written(&path, &error)
        };
        let before = size_of(&folder.join("blobs"));
        if name.revision.is_none() && name.file.is_none() {
            fs::remove_dir_all(&folder).map_err(failed(&folder))?;
            let locks = self.folder().join(".locks").join(self.repo(name).folder_name());
            let _ = fs::remove_dir_all(locks);
            return Ok(Some(before));
        }
        let Some(snapshot) = self.snapshot(name) else {
            return Ok(None);
        };
        if let Some(file) = &name.file {
            let path = snapshot.join(file);
            if fs::symlink_metadata(&path).is_err() {
                return Ok(None);
            }
            fs::remove_file(&path).map_err(failed(&path))?;
        } else {
            let refs = folder.join("refs");
            let own = refs.join(name.revision());
            if own.is_file() {
                fs::remove_file(&own).map_err(failed(&own))?;
            }
            let commit = snapshot.file_name().and_then(|commit| commit.to_str());
            let is_named = files_below(&refs).iter().any(|file| {
                let text = fs::read_to_string(file).unwrap_or_default();
                Some(text.trim()) == commit
            });
            if !is_named {
                fs::remove_dir_all(&snapshot).map_err(failed(&snapshot))?;
            }
        }
        // Blobs that no snapshot leads to any more.
        let kept: BTreeSet<PathBuf> = files_below(&folder.join("snapshots"))
            .iter()
            .filter_map(|file| file.canonicalize().ok())
            .collect();
        for blob in files_below(&folder.join("blobs")) {
            let is_kept = blob.canonicalize().is_ok_and(|path| kept.contains(&path));
            let is_under_way = blob.extension().is_some();
            if !is_kept && !is_under_way {
                fs::remove_file(&blob).map_err(failed(&blob))?;
            }
        }
        Ok(Some(before.saturating_sub(size_of(&folder.join("blobs")))))
    }
}

fn size_of(folder: &Path) -> u64 {
    let files = files_below(folder);
    let sizes = files.iter().filter_map(|file| fs::metadata(file).ok());
    sizes.map(|about| about.len()).sum()
}

/// Every file below a folder; links are files, wherever they lead.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files_below(&entry.path())),
            Ok(_) => found.push(entry.path()),
            Err(_) => {}
        }
    }
    found
}

/// Makes `to`, `depth` names below a snapshot, lead to a blob.
fn point(blob: &Path, to: &Path, depth: usize) -> std::io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        fs::remove_file(to)?;
    }
    #[cfg(unix)]
    {
        let hash = blob.file_name().unwrap_or_default();
        // Out of the path's own folders, the commit's and `snapshots`.
        let up: PathBuf = std::iter::repeat_n("..", depth + 1).collect();
        std::os::unix::fs::symlink(up.join("blobs").join(hash), to)
    }
    #[cfg(not(unix))]
    {
        let _ = depth;
        // A second name, or a copy where the disk has no second names.
        fs::hard_link(blob, to).or_else(|_| fs::copy(blob, to).map(|_| ()))
    }
}

pub(super) fn written(path: &Path, error: &std::io::Error) -> HubError {
    HubError::Write { path: path.display().to_string(), reason: error.to_string() }
}
