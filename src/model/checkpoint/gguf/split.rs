//! A model in several GGUF files: `…-00001-of-00003.gguf`. The first carries the metadata.

use std::borrow::Cow;
use std::ops::Range;

use super::super::tensors::TensorPlaces;
use super::metadata::GgufMetadata;
use crate::model::ModelError;

/// Reads the headers of all files of a model, by name and size, in the order of their names.
///
/// # Errors
/// One that cannot be read, or files that are not all of one model.
pub fn read<'a>(
    files: &[(&str, u64)],
    bytes: impl Fn(usize, Range<u64>) -> Result<Cow<'a, [u8]>, ModelError>,
) -> Result<(GgufMetadata, TensorPlaces), ModelError> {
    let mut first: Option<GgufMetadata> = None;
    let mut places = TensorPlaces::new(files, "its metadata");
    for (at, &(file, size)) in files.iter().enumerate() {
        let header = super::read(file, size, &|range| bytes(at, range))?;
        let count = header.metadata.integer("split.count")?.unwrap_or(1).max(1);
        let number = header.metadata.integer("split.no")?.unwrap_or(0);
        if count != files.len() as u64 || number != at as u64 {
            return Err(ModelError::NotGguf {
                file: file.into(),
                reason: format!(
                    "it is part {} of {count}, and {} opened; all parts of a model belong together",
                    number.saturating_add(1),
                    match files.len() {
                        1 => "one file was".to_string(),
                        several => format!("{several} files were"),
                    }
                ),
            });
        }
        places.add(at, header.tensors)?;
        first.get_or_insert(header.metadata);
    }
    let metadata = first.ok_or_else(|| ModelError::MissingFile {
        folder: "the model".into(),
        file: "*.gguf file",
        hint: "open one",
    })?;

    // Parts of two models may have the same numbers.
    if let Some(promised) = metadata.integer("split.tensors.count")?
        && promised != places.all().count() as u64
    {
        return Err(ModelError::NotGguf {
            file: files[0].0.into(),
            reason: format!(
                "it promises {promised} tensors in all parts of the model, and they have {}; all parts of a model belong together",
                places.all().count()
            ),
        });
    }
    Ok((metadata, places))
}
