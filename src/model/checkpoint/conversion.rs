//! A checkpoint written anew as safetensors: every tensor under its name, in its stored type.

use std::io::{self, Write};

use serde_json::{Map, json};

use super::described::Described;
use super::safetensors;
use super::tensors::TensorPlaces;
use crate::model::weights::{BytesAtHand, Source};
use crate::model::{ModelError, ModelFiles};

/// A model's tensors, in the order in which a safetensors file holds them.
pub struct Conversion {
    source: BytesAtHand,
    /// The largest numbers first, so that all lie at multiples of their size.
    tensors: Vec<ConvertedTensor>,
}

struct ConvertedTensor {
    name: String,
    file: usize,
    described: Described,
}

/// Why a checkpoint is not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl Conversion {
    /// Looks up the tensors of files that a `config.json` describes.
    ///
    /// # Errors
    /// A file that cannot be read; a type of numbers that safetensors does not have.
    pub fn new(files: &ModelFiles) -> Result<Self, ModelError> {
        let source = BytesAtHand::of(files);
        let sizes = files.weights.iter().map(|(name, bytes)| (&name[..], bytes.len() as u64));
        let bytes = |file, range| source.read(file, range);
        let places = TensorPlaces::read(&sizes.collect::<Vec<_>>(), files.index.as_ref(), bytes)?;

        let mut tensors = Vec::new();
        for (name, file, described) in places.described() {
            if safetensors::bits(described.dtype) == 0 {
                return Err(ModelError::Dtype {
                    tensor: name.escape_debug().to_string(),
                    file: places.files[file].clone(),
                    found: described.dtype.name.into(),
                });
            }
            let (name, described) = (name.to_owned(), described.clone());
            tensors.push(ConvertedTensor { name, file, described });
        }
        tensors.sort_by_key(|tensor| std::cmp::Reverse(safetensors::bits(tensor.described.dtype)));
        Ok(Self { source, tensors })
    }

    /// Bytes of all tensors.
    pub fn bytes(&self) -> u64 {
        self.tensors.iter().map(ConvertedTensor::bytes).sum()
    }

    /// Writes the file; `progress` is told how many bytes are written.
    ///
    /// # Errors
    /// A file that cannot be read, changed since, or cannot be written.
    pub fn write(
        &self,
        to: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ConversionError> {
        // The header, padded so that numbers begin at a multiple of eight bytes.
        let mut header = Map::new();
        let mut start = 0;
        for tensor in &self.tensors {
            let end = start + tensor.bytes();
            let Described { dtype, shape, .. } = &tensor.described;
            let about = json!({"dtype": dtype.name, "shape": shape, "data_offsets": [start, end]});
            header.insert(tensor.name.clone(), about);
            start = end;
        }
        let mut header = serde_json::to_vec(&header).map_err(io::Error::from)?;
        header.resize(header.len().next_multiple_of(8), b' ');
        to.write_all(&(header.len() as u64).to_le_bytes())?;
        to.write_all(&header)?;

        let mut done = 0;
        for tensor in &self.tensors {
            let stored = self.source.read(tensor.file, tensor.described.bytes.clone())?;
            tensor.write(&stored, to)?;
            done += tensor.bytes();
            progress(done);
        }
        self.source.check_unchanged()?;
        Ok(())
    }
}

impl ConvertedTensor {
    /// Bytes of one number.
    fn width(&self) -> u64 {
        safetensors::bits(self.described.dtype) / 8
    }

    fn bytes(&self) -> u64 {
        self.described.shape.iter().product::<u64>() * self.width()
    }

    /// Writes the numbers row by row, whatever the strides of a view.
    fn write(&self, stored: &[u8], to: &mut dyn Write) -> io::Result<()> {
        let Some(strides) = &self.described.strides else {
            return to.write_all(stored);
        };
        let width = self.width() as usize;
        let mut index = vec![0; strides.len()];
        for _ in 0..self.described.shape.iter().product::<u64>() {
            let number: u64 = index.iter().zip(strides).map(|(at, stride)| at * stride).sum();
            to.write_all(&stored[number as usize * width..][..width])?;
            // The next index: the last side first.
            for (at, side) in index.iter_mut().zip(&self.described.shape).rev() {
                *at += 1;
                if *at < *side {
                    break;
                }
                *at = 0;
            }
        }
        Ok(())
    }
}
