//! Which of a folder's files are the model: its index, and the files of weights that it names.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::FileBytes;
use crate::model::ModelError;

/// The model's only file, or the index of its files where there is no such file.
pub const MODEL: &str = "model.safetensors";
pub const MODEL_INDEX: &str = "model.safetensors.index.json";

/// Which index is the model's: none where there is `model.safetensors` (as in transformers and where a
/// hub's files are picked), else `model.safetensors.index.json`, else the only one. Others belong to
/// copies of the weights.
pub fn choose_index<W>(
    folder: &str,
    mut indexes: Vec<(String, FileBytes)>,
    weights: &[(String, W)],
) -> Result<Option<(String, FileBytes)>, ModelError> {
    if weights.iter().any(|(file, _)| file == MODEL) {
        return Ok(None);
    }
    if let Some(at) = indexes.iter().position(|(file, _)| file == MODEL_INDEX) {
        return Ok(Some(indexes.swap_remove(at)));
    }
    if indexes.len() > 1 {
        let mut files: Vec<String> = indexes.into_iter().map(|(file, _)| file).collect();
        files.sort();
        return Err(ModelError::SeveralIndexes { folder: folder.to_string(), files: some(&files) });
    }
    Ok(indexes.pop())
}

/// Which safetensors files are the model: those the index names, or `model.safetensors`, or the
/// only one. Many folders hold a second copy under another name (`consolidated.safetensors`).
pub fn choose<W>(
    folder: &str,
    mut weights: Vec<(String, W)>,
    index: Option<&[u8]>,
) -> Result<Vec<(String, W)>, ModelError> {
    if let Some(index) = index {
        // An index that cannot be read is reported where its tensors are looked up.
        if let Ok(index) = serde_json::from_slice::<ShardIndex>(index) {
            weights.retain(|(file, _)| index.weight_map.values().any(|named| named == file));
        }
    } else if weights.iter().any(|(file, _)| file == MODEL) {
        weights.retain(|(file, _)| file == MODEL);
    } else if weights.len() > 1 {
        let mut files: Vec<String> = weights.into_iter().map(|(file, _)| file).collect();
        files.sort();
        return Err(ModelError::SeveralWeights { folder: folder.to_string(), files: some(&files) });
    }
    weights.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(weights)
}

/// A few names of a list that may have thousands.
pub fn some(names: &[String]) -> String {
    const SHOWN: usize = 4;
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

/// `model.safetensors.index.json`.
#[derive(Deserialize)]
pub struct ShardIndex {
    /// Tensor to file.
    pub weight_map: BTreeMap<String, String>,
}

impl ShardIndex {
    /// Reads the index called `file`.
    ///
    /// # Errors
    /// It is no such JSON, or names a file that is not beside it.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let read: Self = serde_json::from_slice(bytes)
            .map_err(|reason| ModelError::Json { file: file.to_string(), reason })?;
        let is_elsewhere = |shard: &str| shard.contains(['/', '\\']) || shard == "..";
        match read.weight_map.iter().find(|(_, shard)| is_elsewhere(shard)) {
            None => Ok(read),
            Some((tensor, shard)) => Err(ModelError::ShardOutside {
                index: file.to_string(),
                tensor: tensor.escape_debug().to_string(),
                file: shard.escape_debug().to_string(),
            }),
        }
    }
}
