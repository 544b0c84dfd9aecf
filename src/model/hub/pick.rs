//! Which files of a place on a hub are the model.

use super::{HubError, HubName, MAX_SHORT, RemoteFile};
use crate::model::TokenizerFiles;
use crate::model::files::{CheckpointKind, ShardIndex, shard_count, split_of};

/// How many files a sentence names.
const SHOWN: usize = 6;

/// The files to fetch, the small ones first. Where the weights are several files ([`index_of`]), the
/// index stands in their place: it names them. `ending` chooses one of several GGUF files.
///
/// # Errors
/// No model that atelier reads, or several.
pub fn pick(
    name: &HubName,
    ending: Option<&str>,
    files: &[RemoteFile],
) -> Result<Vec<RemoteFile>, HubError> {
    // One file that is asked for, by its path or by the end of its name.
    if let Some(asked) = name.file.as_deref().or(ending) {
        let is_asked = |file: &&RemoteFile| match name.file {
            Some(_) => file.path == asked,
            None => ends(&file.path, asked),
        };
        let found = files.iter().find(is_asked).cloned();
        let there = || said(ggufs(files).map(|file| &file.path), "no .gguf file");
        let found = found.ok_or_else(|| no_file(name, asked, &there()))?;
        return parts(name, found, files);
    }

    // The model of `config.json`, in the preferred kind; PyTorch's files only where there are no others.
    if let Some(picked) = described(CheckpointKind::SAFETENSORS, files) {
        return checked(name, picked);
    }
    let pytorch = described(CheckpointKind::PYTORCH, files);
    let mut whole: Vec<&RemoteFile> = ggufs(files).filter(|file| is_first(&file.path)).collect();
    match (whole.pop(), whole.is_empty(), pytorch) {
        (Some(only), true, _) => parts(name, only.clone(), files),
        (_, _, Some(picked)) => checked(name, picked),
        (Some(last), false, None) => {
            whole.push(last);
            Err(HubError::SeveralFiles {
                repo: name.repo.clone(),
                files: said(whole.iter().map(|file| &file.path), ""),
                example: whole[0].path.clone(),
            })
        }
        (None, _, None) => {
            let there = said(files.iter().map(|file| &file.path), "no files");
            Err(not_a_model(name, format!("it has {there}")))
        }
    }
}

/// `config.json`, the tokenizer's files and the weights of a kind, or their index; `None`: not all are there.
fn described(kind: CheckpointKind, files: &[RemoteFile]) -> Option<Vec<RemoteFile>> {
    let find = |path: &str| files.iter().find(|file| file.path == path).cloned();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut picked = vec![find("config.json")?];
    let words = TokenizerFiles::NAMES.into_iter();
    let words = words.filter(|file| !TokenizerFiles::leaves_out(file, &paths));
    picked.extend(words.filter_map(find));
    picked.push(find(kind.model).or_else(|| find(kind.index))?);
    Some(picked)
}

/// Picked files whose index, if there is one, is not too large to read.
fn checked(name: &HubName, picked: Vec<RemoteFile>) -> Result<Vec<RemoteFile>, HubError> {
    let is_too_large = index_of(&picked).is_some_and(|index| index.size > MAX_SHORT);
    let reason = format!("its index has over {} MB", MAX_SHORT >> 20);
    if is_too_large { Err(not_a_model(name, reason)) } else { Ok(picked) }
}

/// The index among picked files, whose content says which weights are still to be picked.
pub fn index_of(picked: &[RemoteFile]) -> Option<&RemoteFile> {
    let is_index = |file: &&RemoteFile| CheckpointKind::of_index(&file.path).is_some();
    picked.iter().find(is_index)
}

/// The files that an index names.
///
/// # Errors
/// An index that cannot be read, or names files that are not there.
pub fn shards(
    name: &HubName,
    index: &[u8],
    files: &[RemoteFile],
) -> Result<Vec<RemoteFile>, HubError> {
    let index = ShardIndex::read("its index of weights", index);
    let index = index.map_err(|error| not_a_model(name, error.to_string()))?;
    let is_empty = index.weight_map.is_empty();
    refuse_if!(is_empty, not_a_model(name, "its index names no weights".to_owned()));
    let mut named: Vec<&String> = index.weight_map.values().collect();
    named.sort();
    named.dedup();
    // Weights of one kind: what has another ending could stand in the place of another file.
    let kind = CheckpointKind::of(named[0]);
    let is_other = |path: &&&String| kind.is_none() || CheckpointKind::of(path) != kind;
    if let Some(path) = named.iter().find(is_other) {
        let reason = format!(
            "its index names {path:?} as weights, which are all *.safetensors or all PyTorch's *.bin"
        );
        return Err(not_a_model(name, reason));
    }
    let found = named.into_iter().map(|path| {
        let found = files.iter().find(|file| file.path == *path).cloned();
        let shown = path.escape_debug().to_string();
        found.ok_or_else(|| no_file(name, &shown, "an index that names it"))
    });
    found.collect()
}

/// A GGUF file with the other parts of its model.
fn parts(
    name: &HubName,
    file: RemoteFile,
    files: &[RemoteFile],
) -> Result<Vec<RemoteFile>, HubError> {
    let Some((stem, of)) = split_of(&file.path) else {
        return Ok(vec![file]);
    };
    let all: Vec<RemoteFile> =
        ggufs(files).filter(|other| split_of(&other.path) == Some((stem, of))).cloned().collect();
    if shard_count(&file.path) == Some(all.len()) {
        return Ok(all);
    }
    Err(not_a_model(name, format!("parts of {stem} are missing")))
}

/// Refuses a file that the repository does not have; `there` says what it has.
fn no_file(name: &HubName, file: &str, there: &str) -> HubError {
    HubError::NoFile { repo: name.repo.clone(), file: file.to_owned(), there: there.to_owned() }
}

/// Refuses a repository without a model that atelier reads.
fn not_a_model(name: &HubName, reason: String) -> HubError {
    HubError::NotAModel { repo: name.repo.clone(), reason }
}

/// Whether a path ends so, in whatever case.
fn ends(path: &str, ending: &str) -> bool {
    let end = path.len().checked_sub(ending.len()).and_then(|start| path.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn ggufs(files: &[RemoteFile]) -> impl Iterator<Item = &RemoteFile> {
    let is_gguf = |file: &&RemoteFile| file.path.ends_with(".gguf");
    files.iter().filter(is_gguf)
}

/// Whether a GGUF file is whole or the first part of several.
fn is_first(path: &str) -> bool {
    split_of(path).is_none_or(|(stem, _)| path[stem.len()..].starts_with("-00001-"))
}

/// A few names of many.
fn said<'a>(paths: impl Iterator<Item = &'a String>, none: &str) -> String {
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    match paths.len() {
        0 => none.to_owned(),
        1..=SHOWN => paths.join(", "),
        more => format!("{} and {} more", paths[..SHOWN].join(", "), more - SHOWN),
    }
}
