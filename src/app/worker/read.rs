//! Reads files the reader opened, a slice at a time.

use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::{Desk, Stop};
use crate::app::protocol::Stage;
use crate::model::{Bytes, ModelFiles};

/// Bytes a slice: a `Cancel` is heard between two.
const SLICE: f64 = 4e6;

/// wasm32 addresses 4 GiB, and weights are held once as stored and once as f32 while they load.
const LARGEST: f64 = 1.2e9;

/// The files a model is made of, by name; others in the folder are not touched.
pub async fn files(desk: &Desk, id: u32, files: Vec<File>) -> Result<Vec<(String, Bytes)>, Stop> {
    let files: Vec<File> = files
        .into_iter()
        .filter(|file| ModelFiles::wants(&file.name()))
        .collect();
    let total: f64 = files.iter().map(|file| file.size()).sum();
    if total > LARGEST {
        return Err(Stop::Failed(format!(
            "these files hold {:.1} GB and a page has room for {:.1} GB: use a smaller model here, or `atelier lens` for this one",
            total / 1e9,
            LARGEST / 1e9
        )));
    }
    let mut done = 0.0;
    let mut read = Vec::with_capacity(files.len());
    for file in files {
        let size = file.size();
        let mut bytes = Vec::with_capacity(size as usize);
        let mut at = 0.0;
        while at < size {
            desk.listen(id).await?;
            let end = (at + SLICE).min(size);
            let unreadable = || {
                Stop::Failed(format!(
                    "{} could not be read: was it moved or changed since it was opened?",
                    file.name()
                ))
            };
            let slice = file
                .slice_with_f64_and_f64(at, end)
                .map_err(|_| unreadable())?;
            let buffer = JsFuture::from(slice.array_buffer())
                .await
                .map_err(|_| unreadable())?;
            bytes.extend_from_slice(&js_sys::Uint8Array::new(&buffer).to_vec());
            done += end - at;
            at = end;
            desk.progress(id, Stage::Read, done, total);
        }
        read.push((file.name(), Bytes::Owned(bytes)));
    }
    Ok(read)
}
