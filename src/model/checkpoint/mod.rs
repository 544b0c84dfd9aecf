//! Safetensors, one file or sharded: where every tensor lies, by the headers alone. The tensors'
//! bytes stay where they are until someone asks for them.

mod format;
pub mod safetensors;
pub mod tensors;

use std::collections::HashMap;
use std::ops::Range;

use ::safetensors::tensor::{Dtype, Metadata};
use half::{bf16, f16};
use serde::Deserialize;

use super::files::Index;
use super::{ModelError, ModelFiles};

/// Every tensor of a checkpoint by name.
pub struct Checkpoint {
    files: Vec<String>,
    places: HashMap<String, Place>,
}

/// A type of numbers that checkpoints are read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    F32,
    F16,
    Bf16,
}

struct Place {
    file: usize,
    /// Bytes of the file.
    range: Range<u64>,
    shape: Vec<usize>,
    dtype: Dtype,
}

/// The beginning of one safetensors file.
pub struct Header<'a> {
    pub file: &'a str,
    /// Bytes of the whole file.
    pub size: u64,
    /// Its first bytes: [`Header::length`] of them, or more.
    pub bytes: &'a [u8],
}

impl Header<'_> {
    /// Bytes up to where the tensors begin, by the file's first eight.
    pub fn length(first: &[u8], size: u64) -> u64 {
        let length = first.first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        length.saturating_add(8).min(size)
    }
}

/// Some rows of a tensor: where they lie, and what they are.
#[derive(Clone, Debug)]
pub struct Slice {
    pub tensor: String,
    /// Which of the model's weight files.
    pub file: usize,
    /// Bytes of that file.
    pub range: Range<u64>,
    /// Elements of the tensor before these.
    first: usize,
    dtype: Dtype,
}

impl Checkpoint {
    /// Reads the headers of files whose bytes are at hand.
    ///
    /// # Errors
    /// As [`Self::from_headers`].
    pub fn open(files: &ModelFiles) -> Result<Self, ModelError> {
        let headers = files.weights.iter().map(|(file, bytes)| Header {
            file,
            size: bytes.len() as u64,
            bytes,
        });
        let headers: Vec<Header> = headers.collect();
        Self::from_headers(
            &headers,
            files.index.as_ref().map(|(f, b)| (f.as_str(), &b[..])),
        )
    }

    /// Reads headers and checks them against the files' sizes and the index.
    ///
    /// # Errors
    /// What is not safetensors, was cut off, or does not hold what the index says.
    pub fn from_headers(
        headers: &[Header],
        index: Option<(&str, &[u8])>,
    ) -> Result<Self, ModelError> {
        let mut places = HashMap::new();
        for (file, header) in headers.iter().enumerate() {
            read(file, header, &mut places)?;
        }
        let files: Vec<String> = headers.iter().map(|header| header.file.into()).collect();
        if let Some((index, bytes)) = index {
            let read = Index::read(index, bytes)?;
            for (tensor, file) in read.weight_map {
                let shard = files.iter().position(|name| *name == file);
                let what = match (shard, places.get(&tensor)) {
                    (None, _) => "is not there",
                    (Some(shard), Some(place)) if place.file == shard => continue,
                    (Some(_), _) => "does not hold it",
                };
                return Err(ModelError::Shard {
                    index: index.to_string(),
                    tensor,
                    file,
                    what,
                });
            }
        }
        Ok(Self { files, places })
    }

    /// How all its tensors are stored, if they are alike.
    pub fn stored(&self) -> Option<Stored> {
        let mut dtypes = self.places.values().map(|place| place.dtype);
        let first = dtypes.next()?;
        let stored = match first {
            Dtype::F32 => Stored::F32,
            Dtype::F16 => Stored::F16,
            Dtype::BF16 => Stored::Bf16,
            _ => return None,
        };
        dtypes.all(|dtype| dtype == first).then_some(stored)
    }

    pub fn contains(&self, tensor: &str) -> bool {
        self.places.contains_key(tensor)
    }

    /// Where a tensor of `shape` lies.
    ///
    /// # Errors
    /// It is missing (`hint` says why it was wanted), of another shape, or of a type other than
    /// F32, F16 or BF16.
    pub fn find(&self, tensor: &str, shape: &[usize], hint: &str) -> Result<Slice, ModelError> {
        let place = self
            .places
            .get(tensor)
            .ok_or_else(|| ModelError::MissingTensor {
                tensor: tensor.to_string(),
                hint: hint.to_string(),
            })?;
        let (tensor, file) = (tensor.to_string(), &self.files[place.file]);
        if place.shape != shape {
            return Err(ModelError::Shape {
                tensor,
                file: file.clone(),
                expected: shape.iter().map(|&side| side as u64).collect(),
                found: place.shape.iter().map(|&side| side as u64).collect(),
            });
        }
        if !matches!(place.dtype, Dtype::F32 | Dtype::F16 | Dtype::BF16) {
            return Err(ModelError::Dtype {
                tensor,
                file: file.clone(),
                found: format!("{:?}", place.dtype),
            });
        }
        Ok(Slice {
            tensor,
            file: place.file,
            range: place.range.clone(),
            first: 0,
            dtype: place.dtype,
        })
    }

    /// Appends a slice's elements to `out`, as f32.
    ///
    /// # Errors
    /// A NaN or an infinity among them.
    pub fn convert(
        &self,
        slice: &Slice,
        bytes: &[u8],
        out: &mut Vec<f32>,
    ) -> Result<(), ModelError> {
        let start = out.len();
        let halves = bytes.as_chunks().0.iter();
        match slice.dtype {
            Dtype::F16 => out.extend(halves.map(|b| f16::from_le_bytes(*b).to_f32())),
            Dtype::BF16 => out.extend(halves.map(|b| bf16::from_le_bytes(*b).to_f32())),
            _ => out.extend(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
        }
        match out[start..].iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(element) => Err(ModelError::NotFinite {
                tensor: slice.tensor.clone(),
                file: self.files[slice.file].clone(),
                element: (slice.first + element) as u64,
                value: out[start + element],
            }),
        }
    }
}

impl Slice {
    /// Rows `rows` of these, of `columns` elements each.
    pub fn rows(&self, rows: Range<usize>, columns: usize) -> Self {
        let bytes = if self.dtype == Dtype::F32 { 4 } else { 2 };
        let at = |row: usize| self.range.start + (row * columns * bytes) as u64;
        Self {
            range: at(rows.start)..at(rows.end),
            first: self.first + rows.start * columns,
            ..self.clone()
        }
    }
}

fn read(at: usize, header: &Header, places: &mut HashMap<String, Place>) -> Result<(), ModelError> {
    let file = header.file.to_string();
    let (bytes, size) = (header.bytes, header.size);
    let Some(length) = bytes.first_chunk().map(|b| u64::from_le_bytes(*b)) else {
        return Err(ModelError::NotSafetensors {
            file,
            reason: format!("it has only {size} bytes"),
        });
    };
    if length > size - 8 || length > bytes.len() as u64 - 8 {
        return Err(ModelError::HeaderPastEnd {
            file,
            header: length,
            size,
        });
    }
    let start = 8 + length;
    // `start` is within `bytes`: checked above.
    let described = &bytes[8..start as usize];
    let metadata: Metadata = match serde_json::from_slice(described) {
        Ok(metadata) => metadata,
        Err(error) => {
            // A header that promises more than there is counts as cut off, whatever else is wrong.
            let data = described_length(described);
            return Err(if data > size - start {
                truncated(file, start, data, size)
            } else {
                ModelError::NotSafetensors {
                    file,
                    reason: error.to_string(),
                }
            });
        }
    };
    // The crate's own check wants the tensors' bytes at hand, too.
    let mut end = 0;
    for tensor in metadata.offset_keys() {
        let lies = metadata.info(&tensor).is_some_and(|info| {
            let numbers = info
                .shape
                .iter()
                .try_fold(1usize, |n, &side| n.checked_mul(side));
            let bits = numbers.and_then(|n| n.checked_mul(info.dtype.bitsize()));
            let from = std::mem::replace(&mut end, info.data_offsets.1);
            let length = info.data_offsets.1.checked_sub(info.data_offsets.0);
            from == info.data_offsets.0 && length.and_then(|n| n.checked_mul(8)) == bits
        });
        if !lies {
            return Err(ModelError::NotSafetensors {
                file,
                reason: format!(
                    "tensor {tensor} does not lie where its shape and its neighbours say"
                ),
            });
        }
    }
    let data = end as u64;
    if data > size - start {
        return Err(truncated(file, start, data, size));
    }
    if data < size - start {
        return Err(ModelError::NotSafetensors {
            file,
            reason: format!("{} bytes after its last tensor", size - start - data),
        });
    }
    for (name, info) in metadata.tensors() {
        let (from, to) = info.data_offsets;
        let place = Place {
            file: at,
            range: start + from as u64..start + to as u64,
            shape: info.shape.clone(),
            dtype: info.dtype,
        };
        places.insert(name, place);
    }
    Ok(())
}

fn truncated(file: String, start: u64, data: u64, size: u64) -> ModelError {
    ModelError::Truncated {
        file,
        expected: start.saturating_add(data),
        found: size,
    }
}

/// Where the last tensor ends, by the header's own word.
fn described_length(header: &[u8]) -> u64 {
    #[derive(Deserialize)]
    struct Info {
        data_offsets: Option<(u64, u64)>,
    }
    let infos: HashMap<String, Info> = serde_json::from_slice(header).unwrap_or_default();
    let ends = infos.values().filter_map(|info| info.data_offsets);
    ends.map(|(_, end)| end).max().unwrap_or(0)
}
