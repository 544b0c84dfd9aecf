//! Every tensor of a checkpoint by name, over all its files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::described::{Described, FileTensors};
use super::{pytorch, safetensors};
use crate::model::files::{CheckpointKind, ShardIndex};
use crate::model::{DType, FileBytes, ModelError};

/// Where every tensor of a checkpoint lies.
pub struct TensorPlaces {
    /// Names of the weight files.
    pub files: Vec<String>,
    places: BTreeMap<String, (usize, Described)>,
    /// The file that says which tensors must exist, for errors: `"config.json"`.
    pub said_by: &'static str,
}

/// A stored tensor of one of the types that weights are read in.
pub struct FoundTensor {
    pub dtype: DType,
    pub file: usize,
    /// Bytes of that file.
    pub bytes: Range<u64>,
    /// Numbers from one index of each side to the next, where it does not lie row by row.
    pub strides: Option<Vec<u64>>,
}

impl TensorPlaces {
    /// Reads the headers of files, by name and size, through `bytes`, which gives a range of one;
    /// checks them against the index, if there is one.
    ///
    /// # Errors
    /// A file that is no such checkpoint, was cut off, or lacks a tensor that the index names.
    pub fn read<'a>(
        files: &[(&str, u64)],
        index: Option<&(String, FileBytes)>,
        bytes: impl Fn(usize, Range<u64>) -> Result<Cow<'a, [u8]>, ModelError>,
    ) -> Result<Self, ModelError> {
        let index =
            index.map(|(file, bytes)| Ok((file, ShardIndex::read(file, bytes)?))).transpose()?;
        let mut read = Self::new(files, "config.json");
        for (at, &(file, size)) in files.iter().enumerate() {
            let bytes = |range| bytes(at, range);
            let tensors = match CheckpointKind::of(file) {
                Some(CheckpointKind::PYTORCH) => pytorch::read(file, size, &bytes)?,
                _ => safetensors::read(file, size, &bytes)?,
            };
            read.add(at, tensors)?;
        }
        if let Some((file, index)) = index {
            read.check(file, &index)?;
        }
        Ok(read)
    }

    /// Tensors of files, none of them added yet.
    pub(super) fn new(files: &[(&str, u64)], said_by: &'static str) -> Self {
        let files = files.iter().map(|(file, _)| file.to_string()).collect();
        Self { files, places: BTreeMap::new(), said_by }
    }

    /// Adds the tensors of a file.
    ///
    /// # Errors
    /// One is in another file too.
    pub(super) fn add(&mut self, file: usize, tensors: FileTensors) -> Result<(), ModelError> {
        for (name, tensor) in tensors {
            if let Some((first, _)) = self.places.get(&name) {
                return Err(ModelError::StoredTwice {
                    tensor: name.escape_debug().to_string(),
                    first: self.files[*first].clone(),
                    second: self.files[file].clone(),
                });
            }
            self.places.insert(name, (file, tensor));
        }
        Ok(())
    }

    fn check(&self, index_file: &str, index: &ShardIndex) -> Result<(), ModelError> {
        for (tensor, file) in &index.weight_map {
            let shard = self.files.iter().position(|name| name == file);
            let place = self.places.get(tensor);
            let what = match (shard, place) {
                (None, _) => "is not there",
                (Some(shard), Some((at, _))) if *at == shard => continue,
                (Some(_), _) => "does not hold it",
            };
            return Err(ModelError::Shard {
                index: index_file.into(),
                tensor: tensor.escape_debug().to_string(),
                file: file.escape_debug().to_string(),
                what,
            });
        }
        Ok(())
    }

    pub fn contains(&self, tensor: &str) -> bool {
        self.places.contains_key(tensor)
    }

    /// Every tensor's name and the file it is in.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        let places = self.places.iter();
        places.map(|(name, (file, _))| (name.as_str(), self.files[*file].as_str()))
    }

    /// Every tensor's name, the number of its file and what it is.
    #[cfg(feature = "cli")]
    pub fn described(&self) -> impl Iterator<Item = (&str, usize, &Described)> {
        self.places.iter().map(|(name, (file, described))| (name.as_str(), *file, described))
    }

    /// `[outermost, …]` of a tensor that is there.
    pub fn shape(&self, tensor: &str) -> Option<&[u64]> {
        self.places.get(tensor).map(|(_, tensor)| &tensor.shape[..])
    }

    /// Where a tensor of `shape` lies.
    ///
    /// # Errors
    /// It is missing (`hint` says why it was wanted), of another shape, or of a type that weights are
    /// not read in.
    pub fn find(&self, tensor: &str, shape: &[u64], hint: &str) -> Result<FoundTensor, ModelError> {
        let Some((file, described)) = self.places.get(tensor) else {
            return Err(ModelError::MissingTensor {
                tensor: tensor.into(),
                said_by: self.said_by,
                hint: hint.into(),
            });
        };
        if described.shape != shape {
            return Err(ModelError::Shape {
                tensor: tensor.into(),
                file: self.files[*file].clone(),
                said_by: self.said_by,
                expected: shape.into(),
                found: described.shape.clone().into(),
            });
        }
        let Some(dtype) = described.dtype.dtype else {
            return Err(ModelError::Dtype {
                tensor: tensor.into(),
                file: self.files[*file].clone(),
                found: described.dtype.name.into(),
            });
        };
        let Described { bytes, strides, .. } = described.clone();
        Ok(FoundTensor { dtype, file: *file, bytes, strides })
    }
}
