//! Which files of a place on a hub are the model.

use super::{HubError, HubName, MAX_SHORT, RemoteFile};
use crate::model::files::{ShardIndex, shard_count, split_of};

const MODEL: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
/// Beside the weights, where they are there.
const SMALL: [&str; 2] = ["config.json", "tokenizer.json"];

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
    let find = |path: &str| files.iter().find(|file| file.path == path).cloned();
    if let Some(path) = &name.file {
        let found = find(path).ok_or_else(|| HubError::NoFile {
            repo: name.repo.clone(),
            file: path.clone(),
            there: said(ggufs(files).map(|file| &file.path), "no .gguf file"),
        })?;
        return parts(name, found, files);
    }
    if let Some(ending) = ending {
        let ends = |path: &str| {
            path.len() >= ending.len()
                && path.is_char_boundary(path.len() - ending.len())
                && path[path.len() - ending.len()..].eq_ignore_ascii_case(ending)
        };
        let found = files.iter().find(|file| ends(&file.path)).cloned();
        let found = found.ok_or_else(|| HubError::NoFile {
            repo: name.repo.clone(),
            file: ending.to_owned(),
            there: said(ggufs(files).map(|file| &file.path), "no .gguf file"),
        })?;
        return parts(name, found, files);
    }
    let weights = find(MODEL).or_else(|| find(INDEX));
    let mut small: Vec<RemoteFile> = SMALL.iter().filter_map(|path| find(path)).collect();
    let has_config = small.iter().any(|file| file.path == "config.json");
    if let Some(weights) = weights.filter(|_| has_config) {
        if weights.path == INDEX && weights.size > MAX_SHORT {
            return Err(HubError::NotAModel {
                repo: name.repo.clone(),
                reason: format!("its index has over {} MB", MAX_SHORT >> 20),
            });
        }
        small.push(weights);
        return Ok(small);
    }
    let mut whole: Vec<&RemoteFile> = ggufs(files).filter(|file| is_first(&file.path)).collect();
    match (whole.pop(), whole.is_empty()) {
        (Some(only), true) => parts(name, only.clone(), files),
        (Some(last), false) => {
            whole.push(last);
            Err(HubError::SeveralFiles {
                repo: name.repo.clone(),
                files: said(whole.iter().map(|file| &file.path), ""),
                example: whole[0].path.clone(),
            })
        }
        (None, _) => Err(HubError::NotAModel {
            repo: name.repo.clone(),
            reason: format!("it has {}", said(files.iter().map(|file| &file.path), "no files")),
        }),
    }
}

/// The index among picked files, whose content says which weights are still to be picked.
pub fn index_of(picked: &[RemoteFile]) -> Option<&RemoteFile> {
    picked.iter().find(|file| file.path == INDEX)
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
    let index = ShardIndex::read(INDEX, index).map_err(|error| HubError::NotAModel {
        repo: name.repo.clone(),
        reason: error.to_string(),
    })?;
    if index.weight_map.is_empty() {
        return Err(HubError::NotAModel {
            repo: name.repo.clone(),
            reason: "its index names no weights".to_owned(),
        });
    }
    let mut named: Vec<&String> = index.weight_map.values().collect();
    named.sort();
    named.dedup();
    if let Some(path) = named.iter().find(|path| !path.ends_with(".safetensors")) {
        return Err(HubError::NotAModel {
            repo: name.repo.clone(),
            reason: format!("its index names {path:?}, which is no *.safetensors"),
        });
    }
    let found = named.into_iter().map(|path| {
        let found = files.iter().find(|file| file.path == *path).cloned();
        found.ok_or_else(|| HubError::NoFile {
            repo: name.repo.clone(),
            file: path.escape_debug().to_string(),
            there: "an index that names it".to_owned(),
        })
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
    Err(HubError::NotAModel {
        repo: name.repo.clone(),
        reason: format!("parts of {stem} are missing"),
    })
}

fn ggufs(files: &[RemoteFile]) -> impl Iterator<Item = &RemoteFile> {
    let is_gguf = |file: &&RemoteFile| file.path.ends_with(".gguf");
    files.iter().filter(is_gguf)
}

/// Is it a file alone, or the first part of several?
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
