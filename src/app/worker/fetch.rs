//! Fetches a model from beside the page, counting bytes as they come: a shipped one, or the folder that
//! `atelier open` serves.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Blob, DedicatedWorkerGlobalScope, ReadableStreamDefaultReader, RequestInit,
    Response,
};

use super::{Desk, Stop, read};
use crate::app::at_hand::spell_hash;
use crate::app::hub::shelf::get;
use crate::app::protocol::{ServedOrigin, Stage};
use crate::model::{FileBytes, ModelFiles, catalogue};

/// The files of a model that the catalogue knows.
pub async fn model(desk: &Desk, id: u32, name: &str) -> Result<ModelFiles<Blob>, Stop> {
    let Some(known) = catalogue::find(name) else {
        let names: Vec<&str> = catalogue::KNOWN.iter().map(|known| known.name).collect();
        return Err(Stop::Failed(format!(
            "there is no model {name:?} here: choose one of {}",
            names.join(", ")
        )));
    };
    let (mut small, mut weights) = (Vec::new(), Vec::new());
    let mut progress = Bytecount { done: 0.0, total: known.bytes as f64 };
    for file in known.files {
        let blob = fetch(desk, id, file.path, &mut progress).await?;
        if ModelFiles::is_weights(file.name) {
            weights.push((file.name.to_owned(), blob));
        } else {
            let bytes = read::slice(&blob, file.name, 0..blob.size() as u64).await?;
            small.push((file.name.to_owned(), FileBytes::Owned(bytes)));
        }
    }
    ModelFiles::new(name, small, weights).map_err(super::failed)
}

/// A server's list of the folder that it serves: `files.json` in it.
#[derive(serde::Deserialize)]
struct ServedListing {
    /// The name of the folder, or of the one file.
    from: String,
    /// Hash of the whole model. Other hosts may not give it.
    #[serde(default)]
    sha256: String,
    files: Vec<ServedFile>,
}

#[derive(serde::Deserialize)]
struct ServedFile {
    name: String,
    bytes: f64,
}

/// The files of a folder that this page's own server serves, if they have the hash that is wanted, and where they lie.
pub async fn served(
    desk: &Desk,
    id: u32,
    name: &str,
    folder: &str,
    wanted: Option<&str>,
) -> Result<(ModelFiles<Blob>, ServedOrigin), Stop> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let origin = |url: &str| web_sys::Url::new(url).ok().map(|url| url.origin());
    if origin(folder).is_none_or(|other| Some(other) != origin(&scope.name())) {
        return Err(Stop::Failed(format!(
            "{folder} is on another site, and this page fetches nothing from elsewhere: download the folder and open it here"
        )));
    }
    let mut count = Bytecount { done: 0.0, total: 0.0 };
    let list = "files.json";
    let listing = fetch(desk, id, &format!("{folder}{list}"), &mut count).await?;
    ModelFiles::check_size(list, listing.size() as u64).map_err(super::failed)?;
    let bytes = read::slice(&listing, list, 0..listing.size() as u64).await?;
    let listing: ServedListing = serde_json::from_slice(&bytes).map_err(|error| {
        Stop::Failed(format!(
            "{folder}{list} is no list of a model's files ({error}): open the folder with `atelier open --model`"
        ))
    })?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != listing.sha256) {
        return Err(Stop::Failed(format!(
            "this link was made with another model of the name {name}: its SHA-256 begins with {}, and that of the one here with {}",
            spell_hash(wanted),
            spell_hash(&listing.sha256)
        )));
    }
    let (mut small, mut weights) = (Vec::new(), Vec::new());
    count.done = 0.0;
    count.total = listing.files.iter().map(|file| file.bytes).sum();
    for ServedFile { name: file, bytes } in listing.files {
        if !ModelFiles::wants(&file) {
            continue;
        }
        // Encoded, a name stays in its folder, whatever it is.
        let encoded = String::from(js_sys::encode_uri_component(&file));
        let blob = fetch(desk, id, &format!("{folder}{encoded}"), &mut count).await?;
        if blob.size() != bytes {
            return Err(Stop::Failed(format!(
                "{file} came with {} bytes, and the server lists it with {bytes}: open the model again",
                blob.size()
            )));
        }
        if ModelFiles::is_weights(&file) {
            weights.push((file, blob));
        } else {
            ModelFiles::check_size(&file, blob.size() as u64).map_err(super::failed)?;
            let bytes = read::slice(&blob, &file, 0..blob.size() as u64).await?;
            small.push((file, FileBytes::Owned(bytes)));
        }
    }
    let files = ModelFiles::new(name, small, weights).map_err(super::failed)?;
    Ok((files, ServedOrigin { from: listing.from, sha256: listing.sha256 }))
}

/// A small file beside the page, of the very build that this program is of: what a browser or a host kept of
/// another build may not be read by this one.
pub async fn bytes(desk: &Desk, id: u32, path: &str) -> Result<Vec<u8>, Stop> {
    let mut count = Bytecount { done: 0.0, total: 0.0 };
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let page = web_sys::Url::new(&scope.name());
    let build = page.map(|page| page.search()).unwrap_or_default();
    let blob = fetch(desk, id, &format!("{path}{build}"), &mut count).await?;
    read::slice(&blob, path, 0..blob.size() as u64).await
}

/// Bytes arrived, uncompressed, of all the model's files.
struct Bytecount {
    done: f64,
    total: f64,
}

async fn fetch(desk: &Desk, id: u32, path: &str, count: &mut Bytecount) -> Result<Blob, Stop> {
    let failed = |why: &str| {
        let (file, _) = path.split_once('?').unwrap_or((path, ""));
        Stop::Failed(format!(
            "{file} could not be fetched ({why}): check the connection and try again"
        ))
    };
    // Whoever stopped the request between two files found nothing under way to abort.
    if desk.is_cancelled(id) {
        return Err(Stop::Cancelled);
    }
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    // Beside the page, whatever path it is served under: that is the worker's name, with the page's build.
    let url = web_sys::Url::new_with_base(path, &scope.name())
        .map_err(|_| failed("its address is malformed"))?;
    let abort = AbortController::new().map_err(|_| failed("no room for it"))?;
    let init = RequestInit::new();
    init.set_signal(Some(&abort.signal()));
    desk.aborts.borrow_mut().insert(id, abort);
    let answer = JsFuture::from(scope.fetch_with_str_and_init(&url.href(), &init)).await;
    if answer.is_err() {
        // Ended by the reader, or by the network.
        desk.listen(id).await?;
    }
    let answer = answer.map_err(|_| failed("no answer"))?;
    let answer: Response = answer.unchecked_into();
    if !answer.ok() {
        return Err(failed(&format!("the server answers {}", answer.status())));
    }
    let Some(body) = answer.body() else {
        return Err(failed("an empty answer"));
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    // The pieces stay the browser's: none is copied into this program's memory.
    let pieces = js_sys::Array::new();
    loop {
        // Of a file on this machine a piece comes every millisecond, sooner than a time-out.
        if let Err(stop) = desk.turn(id, false).await {
            // Ends the download. One that was aborted meanwhile refuses, which is no matter.
            let _ = JsFuture::from(reader.cancel()).await;
            return Err(stop);
        }
        let chunk = JsFuture::from(reader.read()).await;
        if chunk.is_err() {
            desk.listen(id).await?;
        }
        let chunk = chunk.map_err(|_| failed("the connection broke"))?;
        let Some(piece) = get(&chunk, "value") else {
            return Blob::new_with_u8_array_sequence(&pieces).map_err(|_| failed("no room for it"));
        };
        let piece: js_sys::Uint8Array = piece.unchecked_into();
        count.done += f64::from(piece.length());
        pieces.push(&piece);
        desk.progress(id, Stage::Download, count.done, count.total);
    }
}
