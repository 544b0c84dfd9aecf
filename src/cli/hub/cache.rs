//! The cache on disk, laid out as Python's: a folder a model, in it `blobs` by their hashes,
//! `snapshots` of commits made of links to them, and `refs` from branches to commits.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::variable;
use crate::cli::lock::{go_without, is_without_locks};
use crate::cli::output;
use crate::model::ModelFiles;
use crate::model::hub::{FileHash, HubError, HubName, RemoteFile};
use crate::task::file;
use crate::unfinished::{Unfinished, remove_strays};

/// Prefix of the name of a model's folder.
const MODELS: &str = "models--";

/// The lock that all pulls of a model share, beside those of its files.
const PULLS: &str = "pulls.lock";

/// The most bytes of a token, and of a file that names a branch's commit.
const MAX_TEXT: u64 = 1 << 16;

pub struct HubCache {
    folder: PathBuf,
    /// Where a token may lie that Python's programs saved.
    home: PathBuf,
}

/// A model in the cache.
pub struct CachedModel {
    pub name: HubName,
    /// Branches and tags that are there, then commits that none of them names.
    pub revisions: Vec<String>,
    /// Size of all its files on this disk.
    pub bytes: u64,
}

/// A model's folder: `models--owner--name`.
fn folder_name(name: &HubName) -> String {
    MODELS.to_owned() + &name.repo.replace('/', "--")
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
        Ok(Self { folder, home })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The token that Python's programs saved, and where.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub(super) fn token(&self) -> Result<Option<(String, PathBuf)>, HubError> {
        let path = variable("HF_TOKEN_PATH").map_or_else(|| self.home.join("token"), PathBuf::from);
        match file::text(&path, MAX_TEXT) {
            Ok(text) => Ok(Some((text.trim().to_owned(), path))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(HubError::Read { path: path.display().to_string(), reason: error.to_string() })
            }
        }
    }

    fn model_folder(&self, name: &HubName) -> PathBuf {
        self.folder.join(folder_name(name))
    }

    /// Where the files of a commit lie.
    fn snapshot_folder(&self, name: &HubName, commit: &str) -> PathBuf {
        self.model_folder(name).join("snapshots").join(commit)
    }

    /// Where a file of this hash lies.
    pub(super) fn blob(&self, name: &HubName, hash: &FileHash) -> PathBuf {
        self.model_folder(name).join("blobs").join(hash.hex())
    }

    /// Where the locks of a model lie, those of Python's programs too.
    fn locks(&self, name: &HubName) -> PathBuf {
        self.folder.join(".locks").join(folder_name(name))
    }

    /// Makes a model's folder, and keeps the model from being removed until the lock is dropped.
    pub(super) fn hold(&self, name: &HubName) -> Result<File, HubError> {
        let make =
            |folder: &Path| fs::create_dir_all(folder).map_err(|error| written(folder, &error));
        let locks = self.locks(name);
        refuse_links(self.folder(), &locks)?;
        make(&locks)?;
        let path = locks.join(PULLS);
        let held = open_own(&path).and_then(|lock| {
            go_without(lock.lock_shared(), &path)?;
            Ok(lock)
        });
        let lock = held.map_err(|error| written(&path, &error))?;
        let folder = self.model_folder(name);
        refuse_links(&folder, &folder.join("blobs"))?;
        make(&folder.join("blobs"))?;
        Ok(lock)
    }

    /// Waits until nobody else fetches a file, and keeps others waiting until the lock is dropped.
    pub(super) fn turn(&self, name: &HubName, file: &RemoteFile) -> Result<File, HubError> {
        let path = self.locks(name).join(format!("{}.lock", file.hash.hex()));
        let failed = |error: &io::Error| written(&path, error);
        let lock = open_own(&path).map_err(|error| failed(&error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = &file.path;
                output::say(&format!("atelier: waits until another program has fetched {path}"));
                lock.lock().map_err(|error| failed(&error))?;
            }
            // It was said when the model was held.
            Err(TryLockError::Error(error)) if is_without_locks(&error) => {}
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        Ok(lock)
    }

    /// Takes every lock of a model.
    ///
    /// # Errors
    /// Another program holds one.
    fn lock_all(&self, name: &HubName) -> Result<Vec<File>, HubError> {
        let mut locks = Vec::new();
        refuse_links(self.folder(), &self.locks(name))?;
        for path in files_below(&self.locks(name)) {
            let lock = open_own(&path).map_err(|error| written(&path, &error))?;
            match lock.try_lock() {
                Ok(()) => locks.push(lock),
                Err(TryLockError::WouldBlock) => {
                    return Err(HubError::InUse { repo: name.repo.clone() });
                }
                Err(TryLockError::Error(error)) => {
                    go_without(Err(error), &path).map_err(|error| written(&path, &error))?;
                    return Ok(locks);
                }
            }
        }
        Ok(locks)
    }

    /// Makes a commit of files that all are there; its folder, or the one file that was named.
    pub(super) fn link(
        &self,
        name: &HubName,
        commit: &str,
        files: &[RemoteFile],
    ) -> Result<PathBuf, HubError> {
        let snapshot = self.snapshot_folder(name, commit);
        let model = self.model_folder(name);
        for file in files {
            let to = snapshot.join(&file.path);
            let folder = to.parent().unwrap_or(&snapshot);
            refuse_links(&model, folder)?;
            fs::create_dir_all(folder).map_err(|error| written(folder, &error))?;
            point(&self.blob(name, &file.hash), &to, file.path.split('/').count())
                .map_err(|error| written(&to, &error))?;
        }
        if name.revision() != commit {
            let path = self.reference(name);
            refuse_links(&model, path.parent().unwrap_or(&model))?;
            write_ref(&path, commit).map_err(|error| written(&path, &error))?;
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
        // Python's programs may have fetched a part of it.
        let whole = |path: &Path| ModelFiles::open(path).ok().filter(ModelFiles::has_all_shards);
        if let Some(file) = &name.file {
            let path = snapshot.join(file);
            return whole(&path).is_some().then_some(path);
        }
        if ending.is_none() && whole(&snapshot).is_some() {
            return Some(snapshot);
        }

        // A GGUF file, maybe in a folder: the one of this ending, or the only one.
        let wanted = ending.unwrap_or(".gguf").to_lowercase();
        let mut files = files_below(&snapshot);
        files.retain(|file| file.to_string_lossy().to_lowercase().ends_with(&wanted));
        files.sort();
        let first = files.first()?;
        let found = whole(first)?;
        (ending.is_some() || found.weights.len() == files.len()).then(|| first.clone())
    }

    /// Where the commit of a branch is written.
    fn reference(&self, name: &HubName) -> PathBuf {
        self.model_folder(name).join("refs").join(name.revision())
    }

    fn snapshot(&self, name: &HubName) -> Option<PathBuf> {
        let commit = match file::text(&self.reference(name), MAX_TEXT) {
            Ok(commit) => commit.trim().to_owned(),
            Err(_) => name.revision().to_owned(),
        };
        let is_plain = !commit.is_empty() && commit.bytes().all(|b| b.is_ascii_hexdigit());
        let path = self.snapshot_folder(name, &commit);
        (is_plain && path.is_dir()).then_some(path)
    }

    /// Every model in the cache, those too that Python's programs fetched.
    pub fn models(&self) -> Vec<CachedModel> {
        let folders = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let mut models: Vec<CachedModel> = folders
            .filter_map(|entry| {
                let folder = entry.file_name().to_str()?.strip_prefix(MODELS)?.to_owned();
                let name = HubName::parse(&folder.replacen("--", "/", 1)).ok()?;
                let bytes = size_of(&entry.path().join("blobs"));
                let refs = entry.path().join("refs");
                let mut revisions: Vec<String> = files_below(&refs)
                    .iter()
                    .filter_map(|file| Some(file.strip_prefix(&refs).ok()?.to_str()?.to_owned()))
                    .collect();
                revisions.sort();
                revisions.extend(unnamed_commits(&entry.path(), &revisions));
                let models = CachedModel { name, revisions, bytes };
                (bytes > 0).then_some(models)
            })
            .collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models
    }

    /// Removes a model, a revision of it, or a file of one; how many bytes that freed. `None` where it
    /// is not there. The locks stay: another program may wait for one.
    ///
    /// # Errors
    /// A folder that cannot be written, or a model that is being fetched.
    pub fn remove(&self, name: &HubName) -> Result<Option<u64>, HubError> {
        let folder = self.model_folder(name);
        if !folder.is_dir() {
            return Ok(None);
        }
        let _locks = self.lock_all(name)?;
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |error: std::io::Error| written(&path, &error)
        };
        let before = size_of(&folder.join("blobs"));
        if name.revision.is_none() && name.file.is_none() {
            fs::remove_dir_all(&folder).map_err(failed(&folder))?;
            return Ok(Some(before));
        }
        let branch = self.reference(name);
        refuse_links(&folder, &folder.join("blobs"))?;
        refuse_links(&folder, branch.parent().unwrap_or(&folder))?;
        let Some(snapshot) = self.snapshot(name) else {
            return Ok(None);
        };
        refuse_links(&folder, &snapshot)?;
        if let Some(file) = &name.file {
            let path = snapshot.join(file);
            if fs::symlink_metadata(&path).is_err() {
                return Ok(None);
            }
            refuse_links(&folder, path.parent().unwrap_or(&folder))?;
            fs::remove_file(&path).map_err(failed(&path))?;
        } else {
            let refs = folder.join("refs");
            if branch.is_file() {
                fs::remove_file(&branch).map_err(failed(&branch))?;
            }
            let commit = snapshot.file_name().and_then(|commit| commit.to_str());
            let mut names = files_below(&refs);
            names.retain(|file| {
                let text = file::text(file, MAX_TEXT).unwrap_or_default();
                Some(text.trim()) == commit
            });
            // A commit goes with the branches that lead to it, a branch only with a commit that is no other's.
            if Some(name.revision()) == commit {
                for branch in names.drain(..) {
                    fs::remove_file(&branch).map_err(failed(&branch))?;
                }
            }
            if names.is_empty() {
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
            // What is under way, and what nobody fetched, has another name.
            let is_named = |name: &str| {
                matches!(name.len(), 40 | 64) && name.bytes().all(|digit| digit.is_ascii_hexdigit())
            };
            if !is_kept && blob.file_name().and_then(|name| name.to_str()).is_some_and(is_named) {
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

/// Returns the commits of a model's folder that none of its branches and tags names, in order.
fn unnamed_commits(model: &Path, revisions: &[String]) -> Vec<String> {
    let named = |commit: &String| {
        let reference = |revision: &String| fs::read_to_string(model.join("refs").join(revision));
        revisions
            .iter()
            .filter_map(|revision| reference(revision).ok())
            .any(|text| text.trim() == commit)
    };
    let snapshots = fs::read_dir(model.join("snapshots")).into_iter().flatten().flatten();
    let mut commits: Vec<String> = snapshots
        .filter_map(|folder| folder.file_name().into_string().ok())
        .filter(|commit| !named(commit))
        .collect();
    commits.sort();
    commits
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

/// Opens a file of the cache to write, with what is in it, or makes it. A link, a pipe or a device in its place is
/// removed: what others put there is not written through.
pub(super) fn open_own(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        fs::remove_file(path)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW);
    }
    options.open(path)
}

/// Refuses a folder of a model that is a link, or lies behind one: it leads to files that are no cache's.
fn refuse_links(model: &Path, inner: &Path) -> Result<(), HubError> {
    let mut path = model.to_path_buf();
    for part in inner.strip_prefix(model).unwrap_or(inner) {
        path.push(part);
        if path.is_symlink() {
            return Err(written(&path, &io::Error::other("it is a link to another folder")));
        }
    }
    Ok(())
}

/// Writes the commit of a branch whole, in the place of whatever is there.
fn write_ref(path: &Path, commit: &str) -> io::Result<()> {
    // A branch `a` that is gone leaves no room for a branch `a/b`, nor the other way round.
    if let Some(gone) = path.ancestors().skip(1).find(|path| path.is_file()) {
        fs::remove_file(gone)?;
    }
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    }
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
        fs::create_dir_all(folder)?;
        remove_strays(folder, |stray| name == stray);
    }
    let mut file = Unfinished::begin(path)?;
    file.write_all(commit.as_bytes())?;
    file.finish()?;
    Ok(())
}

/// Makes `to`, `depth` names below a snapshot, lead to a blob. Its readers find the link at every moment.
#[cfg(unix)]
fn point(blob: &Path, to: &Path, depth: usize) -> io::Result<()> {
    // Out of the path's own folders, the commit's and `snapshots`.
    let up: PathBuf = std::iter::repeat_n("..", depth + 1).collect();
    let blob = up.join("blobs").join(blob.file_name().unwrap_or_default());
    if fs::read_link(to).is_ok_and(|now| now == blob) {
        return Ok(());
    }

    let folder = to.parent().unwrap_or(Path::new("."));
    let make = |path: &Path| std::os::unix::fs::symlink(&blob, path);
    let link = tempfile::Builder::new().make_in(folder, make)?;
    Ok(link.into_temp_path().persist(to)?)
}

/// Makes `to` a second name of a blob, or a copy where the disk has no second names.
#[cfg(not(unix))]
fn point(blob: &Path, to: &Path, _depth: usize) -> io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        fs::remove_file(to)?;
    }
    fs::hard_link(blob, to).or_else(|_| fs::copy(blob, to).map(|_| ()))
}

pub(super) fn written(path: &Path, error: &std::io::Error) -> HubError {
    HubError::Write { path: path.display().to_string(), reason: error.to_string() }
}
