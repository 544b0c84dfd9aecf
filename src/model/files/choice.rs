//! Which of a folder's files are the model: its index, and the files of weights that it names.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::FileBytes;
use crate::model::ModelError;

/// A kind of checkpoints that a `config.json` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointKind {
    /// For people.
    pub name: &'static str,
    /// The model's only file.
    pub model: &'static str,
    /// The index of the model's files, where there is no such file.
    pub index: &'static str,
}

/// How the names of files begin that trainers write beside the weights, in the same formats.
const TRAINING_STATE: [&str; 5] =
    ["optimizer", "scheduler", "scaler", "rng_state", "training_args"];

impl CheckpointKind {
    pub const SAFETENSORS: Self = Self {
        name: "safetensors",
        model: "model.safetensors",
        index: "model.safetensors.index.json",
    };
    pub const PYTORCH: Self =
        Self { name: "PyTorch", model: "pytorch_model.bin", index: "pytorch_model.bin.index.json" };

    /// The preferred first.
    pub const ALL: [Self; 2] = [Self::SAFETENSORS, Self::PYTORCH];

    /// The kind of a file of weights, by its name.
    pub fn of(file: &str) -> Option<Self> {
        let ends = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
        if ends(&[".safetensors"]) {
            return Some(Self::SAFETENSORS);
        }
        let is_state = TRAINING_STATE.iter().any(|name| file.starts_with(name));
        (ends(&[".bin", ".pt", ".pth"]) && !is_state).then_some(Self::PYTORCH)
    }

    /// The kind of weights that an index lists, by its name.
    pub fn of_index(file: &str) -> Option<Self> {
        file.strip_suffix(".index.json").and_then(Self::of)
    }

    /// Whether a file is of another copy of the weights than the one of this kind, by the names of a folder.
    #[cfg(feature = "cli")]
    pub fn leaves_out(self, file: &str, folder: &[String]) -> bool {
        let has = |name: &str| folder.iter().any(|file| file == name);
        match (Self::of(file), Self::of_index(file)) {
            (Some(kind), _) => kind != self,
            (None, Some(_)) => has(self.model) || has(self.index) && file != self.index,
            (None, None) => false,
        }
    }

    /// The kind that a folder's model is of: the first that has the name of a model or of its index, else
    /// the first that has any weights.
    pub fn choose<'a>(files: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let is_model = |kind: &Self| {
            files.clone().any(|file| file == kind.model || Self::of_index(file) == Some(*kind))
        };
        let has_weights = |kind: &Self| files.clone().any(|file| Self::of(file) == Some(*kind));
        let named = Self::ALL.into_iter().find(|kind| is_model(kind) && has_weights(kind));
        named.or_else(|| Self::ALL.into_iter().find(has_weights))
    }
}

/// Which index is the model's: none where there is the model's only file (as in transformers and where a
/// hub's files are picked), else the one of that name, else the only one. Others belong to copies of the
/// weights.
pub fn choose_index<W>(
    folder: &str,
    kind: CheckpointKind,
    mut indexes: Vec<(String, FileBytes)>,
    weights: &[(String, W)],
) -> Result<Option<(String, FileBytes)>, ModelError> {
    if weights.iter().any(|(file, _)| file == kind.model) {
        return Ok(None);
    }
    indexes.retain(|(file, _)| CheckpointKind::of_index(file) == Some(kind));
    if let Some(at) = indexes.iter().position(|(file, _)| file == kind.index) {
        return Ok(Some(indexes.swap_remove(at)));
    }
    if indexes.len() > 1 {
        return Err(ModelError::SeveralIndexes {
            folder: folder.to_string(),
            files: some(&indexes),
            expected: kind.index,
        });
    }
    Ok(indexes.pop())
}

/// Which files of weights are the model: those the index names, or the one of the model's name, or the only
/// one. Many folders hold a second copy under another name (`consolidated.safetensors`).
pub fn choose<W>(
    folder: &str,
    kind: CheckpointKind,
    mut weights: Vec<(String, W)>,
    index: Option<&[u8]>,
) -> Result<Vec<(String, W)>, ModelError> {
    if let Some(index) = index {
        // An index that cannot be read is reported where its tensors are looked up.
        if let Ok(index) = serde_json::from_slice::<ShardIndex>(index) {
            weights.retain(|(file, _)| index.weight_map.values().any(|named| named == file));
        }
    } else if weights.iter().any(|(file, _)| file == kind.model) {
        weights.retain(|(file, _)| file == kind.model);
    } else if weights.len() > 1 {
        return Err(ModelError::SeveralWeights {
            folder: folder.to_string(),
            files: some(&weights),
            kind: kind.name,
            index: kind.index,
        });
    }
    weights.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(weights)
}

/// A few names of files, of which there may be thousands, in order.
pub fn some<W>(files: &[(String, W)]) -> String {
    const SHOWN: usize = 4;
    let mut names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
    names.sort_unstable();
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

/// The index of a model's files.
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
