//! Safetensors, one file or sharded, to f32 arrays of checked shape.

use std::collections::HashMap;

use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView};
use serde::Deserialize;

use super::files::Index;
use super::{ModelError, ModelFiles};

/// Every tensor of a checkpoint by name, without copying any.
pub struct Checkpoint<'a> {
    files: &'a ModelFiles,
    shards: Vec<(&'a str, SafeTensors<'a>)>,
    shard_of: HashMap<String, usize>,
}

impl<'a> Checkpoint<'a> {
    /// Reads the headers and checks them against the files' sizes and the index.
    pub fn open(files: &'a ModelFiles) -> Result<Self, ModelError> {
        let mut shards = Vec::new();
        let mut shard_of = HashMap::new();
        for (file, bytes) in &files.weights {
            let tensors = header(file, bytes)?;
            for name in tensors.names() {
                shard_of.insert(name.to_string(), shards.len());
            }
            shards.push((file.as_str(), tensors));
        }
        if let Some((index, bytes)) = &files.index {
            let read: Index = serde_json::from_slice(bytes).map_err(|reason| ModelError::Json {
                file: index.clone(),
                reason,
            })?;
            for (tensor, file) in read.weight_map {
                let shard = shards.iter().find(|(name, _)| *name == file);
                let what = match shard {
                    None => "is not there",
                    Some((_, tensors)) if tensors.tensor(&tensor).is_err() => "does not hold it",
                    Some(_) => continue,
                };
                return Err(ModelError::Shard {
                    index: index.clone(),
                    tensor,
                    file,
                    what,
                });
            }
        }
        Ok(Self {
            files,
            shards,
            shard_of,
        })
    }

    /// Lets go of the pages of mapped files that were read so far.
    pub fn release(&self) {
        for (_, bytes) in &self.files.weights {
            bytes.release();
        }
    }

    pub fn contains(&self, tensor: &str) -> bool {
        self.shard_of.contains_key(tensor)
    }

    /// The tensor's elements as f32, appended to `out`.
    ///
    /// # Errors
    /// It is missing (`hint` says why it was wanted), of another shape, of a type other than F32,
    /// F16 or BF16, or holds a NaN or an infinity.
    pub fn read_into(
        &self,
        out: &mut Vec<f32>,
        tensor: &str,
        shape: &[usize],
        hint: &str,
    ) -> Result<(), ModelError> {
        let missing = || ModelError::MissingTensor {
            tensor: tensor.to_string(),
            hint: hint.to_string(),
        };
        let (file, shard) = self
            .shard_of
            .get(tensor)
            .map(|&shard| &self.shards[shard])
            .ok_or_else(missing)?;
        let view = shard.tensor(tensor).map_err(|_| missing())?;
        let file = (*file).to_string();
        let tensor = tensor.to_string();
        if view.shape() != shape {
            return Err(ModelError::Shape {
                tensor,
                file,
                expected: shape.to_vec(),
                found: view.shape().to_vec(),
            });
        }
        let start = out.len();
        convert(&view, out).map_err(|found| ModelError::Dtype {
            tensor: tensor.clone(),
            file: file.clone(),
            found,
        })?;
        match out[start..].iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(element) => Err(ModelError::NotFinite {
                tensor,
                file,
                element,
                value: out[start + element],
            }),
        }
    }
}

/// Appends as f32, or gives back the name of a type that is not read.
fn convert(view: &TensorView, out: &mut Vec<f32>) -> Result<(), String> {
    let data = view.data();
    match view.dtype() {
        Dtype::F32 => out.extend(data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
        Dtype::F16 => out.extend(
            data.as_chunks()
                .0
                .iter()
                .map(|b| f16::from_le_bytes(*b).to_f32()),
        ),
        Dtype::BF16 => out.extend(
            data.as_chunks()
                .0
                .iter()
                .map(|b| bf16::from_le_bytes(*b).to_f32()),
        ),
        other => return Err(format!("{other:?}")),
    }
    Ok(())
}

fn header<'a>(file: &str, bytes: &'a [u8]) -> Result<SafeTensors<'a>, ModelError> {
    let file = file.to_string();
    let Some(length) = bytes.first_chunk().map(|b| u64::from_le_bytes(*b)) else {
        return Err(ModelError::NotSafetensors {
            file,
            reason: format!("it has only {} bytes", bytes.len()),
        });
    };
    if length > bytes.len() as u64 - 8 {
        return Err(ModelError::HeaderPastEnd {
            file,
            header: length,
            size: bytes.len(),
        });
    }
    SafeTensors::deserialize(bytes).map_err(|error| match error {
        SafeTensorError::MetadataIncompleteBuffer => {
            // `length` fits usize: it is at most the size of a slice.
            let start = 8 + length as usize;
            let data = SafeTensors::read_metadata(bytes)
                .ok()
                .map_or(0, |(_, metadata)| metadata.data_len());
            let data = if data > 0 {
                data
            } else {
                described_length(&bytes[8..start])
            };
            ModelError::Truncated {
                file,
                expected: start + data,
                found: bytes.len(),
            }
        }
        other => ModelError::NotSafetensors {
            file,
            reason: other.to_string(),
        },
    })
}

/// Where the last tensor ends, by the header's own word.
fn described_length(header: &[u8]) -> usize {
    #[derive(Deserialize)]
    struct Info {
        data_offsets: Option<(usize, usize)>,
    }
    let infos: HashMap<String, Info> = serde_json::from_slice(header).unwrap_or_default();
    infos
        .values()
        .filter_map(|info| info.data_offsets)
        .map(|(_, end)| end)
        .max()
        .unwrap_or(0)
}
