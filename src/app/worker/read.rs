//! Reads files the reader opened: small ones whole, weights a slice at a time, when they are wanted.

use std::ops::Range;

use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use super::{Desk, Stop, failed};
use crate::model::{FileBytes, ModelFiles};

/// The files a model is made of; others in the folder are not touched.
pub async fn files(
    desk: &Desk,
    id: u32,
    name: &str,
    files: Vec<File>,
) -> Result<ModelFiles<Blob>, Stop> {
    let (mut small, mut weights) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.name();
        if ModelFiles::is_weights(&name) {
            weights.push((name, file.into()));
        } else if ModelFiles::wants(&name) {
            ModelFiles::check_size(&name, file.size() as u64).map_err(failed)?;
            desk.listen(id).await?;
            let bytes = slice(&file, &name, 0..file.size() as u64).await?;
            small.push((name, FileBytes::Owned(bytes)));
        }
    }
    ModelFiles::new(name, small, weights).map_err(failed)
}

/// Some bytes of a file called `name`.
pub async fn slice(file: &Blob, name: &str, range: Range<u64>) -> Result<Vec<u8>, Stop> {
    let unreadable = || {
        Stop::Failed(format!(
            "{name} could not be read: was it moved or changed since it was opened?"
        ))
    };
    let length = range.end.saturating_sub(range.start);
    let slice = file
        .slice_with_f64_and_f64(range.start as f64, range.end as f64)
        .map_err(|_| unreadable())?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(|_| unreadable())?;
    let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(unreadable()) }
}
